import { type Command, Option } from "commander";
import { duration } from "./commonFlags.ts";
import {
  parseBasePort,
  parseRegions,
  type QuickstartFlags,
  quickstartOptions,
  type QuickstartOptions,
} from "./quickstart/options.ts";

export function addQuickstart(program: Command, action: (options: QuickstartOptions) => Promise<void>): void {
  program
    .command("quickstart")
    .description("starts a hub and a member for each region on this machine, and runs the sample application there")
    .addOption(
      new Option("--regions <count>", "how many of the 12 regions of placements/ (default: 4)").argParser(parseRegions),
    )
    .option("--dir <folder>", "keep the state there, and go on from it the next time (default: a temporary folder)")
    .option("--once", "exit as soon as everything is Available, with the status on standard output", false)
    .option("--json", "with --once: the status as JSON", false)
    .addOption(duration("--timeout <duration>", "how long --once waits", "120s"))
    .addOption(
      new Option(
        "--port <first>",
        "port of the hub; members and metrics take those that follow (default: free ones)",
      ).argParser(parseBasePort),
    )
    .option("--real", "etcd, kube-apiserver and kube-controller-manager instead of the sandbox", false)
    .option("--keep", "when it stops, leave what it made: the temporary folder, or what is on your clusters", false)
    .addHelpText(
      "after",
      `
With clusters that you have already (kind, k3d), --kubeconfig names them all, and a region where you want to choose it:
  meridian quickstart --kubeconfig hub=hub.yaml,m1=m1.yaml,m2@eu-central-1=m2.yaml
What quickstart makes there is removed again when it stops, unless --dir or --keep is given. KUBECONFIG is not used.`,
    )
    .action((_, command: Command) => action(quickstartOptions(command.optsWithGlobals<QuickstartFlags>())));
}

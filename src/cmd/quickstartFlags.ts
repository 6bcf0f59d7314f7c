import { type Command, Option } from "commander";
import { duration } from "./shared/commonFlags.ts";
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
      new Option("--regions <count>", "number of regions, of the 12 regions of placements/ (default: 4)").argParser(
        parseRegions,
      ),
    )
    .option(
      "--dir <folder>",
      "keep the state in this folder, and continue from it the next time (default: a temporary folder)",
    )
    .option("--once", "exit as soon as everything is Available, with the status on standard output", false)
    .option("--json", "with --once: the status as JSON", false)
    .addOption(duration("--timeout <duration>", "how long --once waits", "120s"))
    .addOption(
      new Option(
        "--port <first>",
        "port of the hub; members and metrics take the ports that follow (default: free ports)",
      ).argParser(parseBasePort),
    )
    .option("--real", "run etcd, kube-apiserver and kube-controller-manager instead of the sandbox", false)
    .option("--keep", "leave everything when it stops: the temporary folder, or the objects on your clusters", false)
    .addHelpText(
      "after",
      `
For clusters that you have already (kind, k3d), --kubeconfig names the hub and each member; @REGION chooses a region:
  meridian quickstart --kubeconfig hub=hub.yaml,m1=m1.yaml,m2@eu-central-1=m2.yaml
When quickstart stops, it removes its objects from these clusters, unless --dir or --keep is given. KUBECONFIG is not used.`,
    )
    .action((_, command: Command) => action(quickstartOptions(command.optsWithGlobals<QuickstartFlags>())));
}

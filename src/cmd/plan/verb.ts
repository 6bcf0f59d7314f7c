import { type Command, Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import {
  EXPLAIN_FORMATS,
  type ExplainOptions,
  parseClusterName,
  parseDnsLabel,
  PLAN_FORMATS,
  type PlanOptions,
} from "../shared/index.ts";

/** The options of `explain` and `plan`: the verbs that compute decisions and write nothing. */

type Lists = "filename" | "policy" | "without" | "cordon" | "drain" | "from";
type Given<O> = Omit<O, Lists> & { [L in Lists]?: string[] };

const several = (value: string, before: string[] = []): string[] => [...before, value];

const filename = (what: string): Option =>
  new Option("-f, --filename <file>", `${what}: a file, a folder, or - (may be repeated)`).argParser(several);
const recursive = (): Option =>
  new Option("-R, --recursive", "with -f: also read the folders within a folder").default(false);

const home = (): Option =>
  new Option("--system-namespace <namespace>", "Meridian's own namespace on the hub")
    .argParser(parseDnsLabel)
    .default(DEFAULT_SYSTEM_NAMESPACE);

export function addExplain(
  program: Command,
  action: (name: string | undefined, options: ExplainOptions) => Promise<void>,
): void {
  program
    .command("explain")
    .description("says for each cluster why the object runs there or not, step by step")
    .argument("[name]", "object: NAME, or KIND/NAME such as demoapplication/shop")
    .addOption(
      new Option(
        "-n, --namespace <namespace>",
        "namespace of the object (default: the namespace of the context)",
      ).argParser(parseDnsLabel),
    )
    .option(
      "--cluster <name>",
      "explain only this cluster: every step, every field that an override sets, and what would have to change",
    )
    .option(
      "--without-hub",
      "answer only from the files of -f: the object, policies, and MemberClusters with their status",
      false,
    )
    .addOption(filename("explain as if these were applied: policies, clusters, the object"))
    .addOption(recursive())
    .addOption(home())
    .addOption(
      new Option("-o, --output <format>", "output format; wide: every step of every cluster").choices(EXPLAIN_FORMATS),
    )
    .action((name: string | undefined, _, command: Command) => {
      const { filename: files = [], ...flags } = command.optsWithGlobals<Given<ExplainOptions>>();
      return action(name, { ...flags, filename: files });
    });
}

const clusters = (value: string, before: string[] = []): string[] => [...before, parseClusterName(value)];

export function addPlan(program: Command, action: (options: PlanOptions) => Promise<void>): void {
  program
    .command("plan")
    .description("shows what a change would do on every cluster, and writes nothing")
    .addOption(filename("plan as if these were applied: objects, policies, MemberClusters"))
    .addOption(
      new Option("--policy <file>", "as -f, but refuses everything that is no policy (may be repeated)").argParser(
        several,
      ),
    )
    .addOption(recursive())
    .addOption(
      new Option(
        "--without <cluster>",
        "plan as if the cluster were lost for longer than failover waits (may be repeated)",
      ).argParser(clusters),
    )
    .addOption(
      new Option("--cordon <cluster>", "plan as if the cluster were cordoned (may be repeated)").argParser(clusters),
    )
    .addOption(
      new Option("--drain <cluster>", "plan as if the cluster were drained (may be repeated)").argParser(clusters),
    )
    .addOption(
      new Option(
        "-n, --namespace <namespace>",
        "namespace of objects without a namespace in the files (default: the namespace of the context)",
      ).argParser(parseDnsLabel),
    )
    .option(
      "--server-side",
      "apply the files as `kubectl apply --server-side` (default: as the object was applied before, else as `kubectl apply`)",
      false,
    )
    .option("--without-hub", "answer only from files: --from has the present state", false)
    .addOption(
      new Option(
        "--from <file>",
        "with --without-hub: the present state, from kubectl get -o yaml: MemberClusters with their status, policies, objects (may be repeated)",
      ).argParser(several),
    )
    .option("--hub-only", "do not ask the members: compare with the objects that the hub sends now", false)
    .addOption(home())
    .addOption(new Option("-o, --output <format>", "output format").choices(PLAN_FORMATS))
    .action((_, command: Command) => {
      const {
        filename: files = [],
        policy = [],
        without = [],
        cordon = [],
        drain = [],
        from = [],
        ...flags
      } = command.optsWithGlobals<Given<PlanOptions>>();
      return action({ ...flags, filename: files, policy, without, cordon, drain, from });
    });
}

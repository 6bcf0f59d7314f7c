import { type Command, Option } from "commander";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import {
  EXPLAIN_FORMATS,
  type ExplainOptions,
  parseClusterName,
  parseDnsLabel,
  PLAN_FORMATS,
  type PlanOptions,
} from "../options.ts";

/** The options of `explain` and `plan`: the verbs that decide and write nothing. */

type Lists = "filename" | "policy" | "without" | "cordon" | "drain" | "from";
type Given<O> = Omit<O, Lists> & { [L in Lists]?: string[] };

const several = (value: string, before: string[] = []): string[] => [...before, value];

const filename = (what: string): Option =>
  new Option("-f, --filename <file>", `${what}: a file, a folder, or - (may be repeated)`).argParser(several);
const recursive = (): Option =>
  new Option("-R, --recursive", "with -f: the folders within a folder too").default(false);

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
    .description("says why an object runs where it does, cluster by cluster and step by step, and why not elsewhere")
    .argument("[name]", "the object: NAME, or KIND/NAME such as demoapplication/shop")
    .addOption(
      new Option("-n, --namespace <namespace>", "namespace of the object (default: that of the context)").argParser(
        parseDnsLabel,
      ),
    )
    .option(
      "--cluster <name>",
      "only this cluster: every step, every field that an override sets, what would have to change",
    )
    .option(
      "--without-hub",
      "answer from the files of -f alone: the object, policies, and MemberClusters with their status",
      false,
    )
    .addOption(filename("as if these were applied: policies, clusters, the object"))
    .addOption(recursive())
    .addOption(home())
    .addOption(
      new Option("-o, --output <format>", "another form; wide: every step of every cluster").choices(EXPLAIN_FORMATS),
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
    .description("shows what a change would do on every cluster, before anything is written")
    .addOption(filename("what would be applied: objects, policies, MemberClusters"))
    .addOption(
      new Option(
        "--policy <file>",
        "a policy that would be applied, as with -f and nothing but policies (may be repeated)",
      ).argParser(several),
    )
    .addOption(recursive())
    .addOption(
      new Option(
        "--without <cluster>",
        "as if the cluster were lost for longer than failover waits (may be repeated)",
      ).argParser(clusters),
    )
    .addOption(
      new Option("--cordon <cluster>", "as if the cluster were cordoned (may be repeated)").argParser(clusters),
    )
    .addOption(new Option("--drain <cluster>", "as if the cluster were drained (may be repeated)").argParser(clusters))
    .addOption(
      new Option(
        "-n, --namespace <namespace>",
        "namespace of what names none in the files (default: that of the context)",
      ).argParser(parseDnsLabel),
    )
    .option(
      "--server-side",
      "as `kubectl apply --server-side` would apply the files (default: as was done to the object before, else as `kubectl apply`)",
      false,
    )
    .option("--without-hub", "answer from files alone: what is there now comes from --from", false)
    .addOption(
      new Option(
        "--from <file>",
        "with --without-hub: what is there now, as kubectl get -o yaml writes it: MemberClusters with their status, policies, objects (may be repeated)",
      ).argParser(several),
    )
    .option("--hub-only", "do not ask the members: compare with what the hub sends now", false)
    .addOption(home())
    .addOption(new Option("-o, --output <format>", "another form").choices(PLAN_FORMATS))
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

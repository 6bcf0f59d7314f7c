import { type Command, Option } from "commander";
import { EXPLAIN_FORMATS, type ExplainOptions, parseDnsLabel } from "../options.ts";

/** The options of `explain` and `plan`: the verbs that decide and write nothing. */

type Given<O> = Omit<O, "filename"> & { filename?: string[] };

const several = (value: string, before: string[] = []): string[] => [...before, value];

const filename = (what: string): Option =>
  new Option("-f, --filename <file>", `${what}: a file, a folder, or - (may be repeated)`).argParser(several);
const recursive = (): Option =>
  new Option("-R, --recursive", "with -f: the folders within a folder too").default(false);

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
    .addOption(
      new Option("-o, --output <format>", "another form; wide: every step of every cluster").choices(EXPLAIN_FORMATS),
    )
    .action((name: string | undefined, _, command: Command) => {
      const { filename: files = [], ...flags } = command.optsWithGlobals<Given<ExplainOptions>>();
      return action(name, { ...flags, filename: files });
    });
}

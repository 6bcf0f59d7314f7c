import { Option } from "@commander-js/extra-typings";
import { collected, filename, type OptionsOf, parseDnsLabel, recursive, verb } from "../shared/index.ts";

export const analyze = verb({
  name: "analyze",
  summary: "finds what policies and objects in files would not do as meant on this fleet, and writes nothing",
  flags: (command) =>
    command
      .addOption(filename("policies, objects and MemberClusters to analyze as if they were applied"))
      .addOption(recursive())
      .option(
        "-n, --namespace <namespace>",
        "namespace of objects without a namespace in the files (default: the namespace of the context)",
        parseDnsLabel,
      )
      .option("--without-hub", "answer only from files: --from has the fleet", false)
      .addOption(
        collected(
          "--from <file>",
          "with --without-hub: the fleet, from kubectl get -o yaml: MemberClusters with their status, policies, objects (may be repeated)",
        ),
      )
      .addOption(new Option("-o, --output <format>", "output format").choices(["json", "yaml"])),
  options: (flags) => ({ filename: [], from: [], ...flags }),
});
export type AnalyzeOptions = OptionsOf<typeof analyze>;

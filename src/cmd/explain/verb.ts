import { Argument, Option } from "@commander-js/extra-typings";
import {
  filename,
  objectNamespace,
  offering,
  type OptionsOf,
  otherSystemNamespace,
  recursive,
  verb,
} from "../shared/index.ts";

export const explain = verb({
  name: "explain",
  summary: "says for each cluster why the object runs there or not, step by step",
  flags: (command) =>
    command
      .addArgument(
        offering("applications", new Argument("[name]", "object: NAME, or KIND/NAME such as demoapplication/shop")),
      )
      .addOption(objectNamespace())
      .addOption(
        offering(
          "members",
          new Option(
            "--cluster <name>",
            "explain only this cluster: every step, every field that an override sets, and what would have to change",
          ),
        ),
      )
      .option(
        "--without-hub",
        "answer only from the files of -f: the object, policies, and MemberClusters with their status",
        false,
      )
      .addOption(filename("explain as if these were applied: policies, clusters, the object"))
      .addOption(recursive())
      .addOption(otherSystemNamespace())
      .addOption(
        new Option("-o, --output <format>", "output format; wide: every step of every cluster").choices([
          "wide",
          "json",
          "yaml",
        ]),
      ),
  options: (flags) => ({ filename: [], ...flags }),
});
export type ExplainOptions = OptionsOf<typeof explain>;

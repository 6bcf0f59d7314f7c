import { Argument, Option } from "@commander-js/extra-typings";
import { duration, offering, type OptionsOf, rowsFrom, verb } from "../shared/index.ts";

export const status = verb({
  name: "status",
  summary: "shows every object and every cluster, and the reason of every trouble",
  flags: (command) =>
    command
      .addArgument(
        offering(
          "shownObjects",
          new Argument(
            "[names...]",
            "objects to show: NAME, KIND/NAME such as demoapplication/shop, or membercluster/NAME",
          ),
        ),
      )
      .option("-n, --namespace <namespace>", "only objects of this namespace, and their clusters")
      .addOption(
        new Option("-A, --all-namespaces", "objects of every namespace (default, if your rights allow it)").conflicts(
          "namespace",
        ),
      )
      .option("-l, --selector <selector>", "only objects with these labels, as in kubectl, and their clusters")
      .addOption(new Option("-o, --output <format>", "output format").choices(["wide", "json", "yaml", "name"]))
      .addOption(rowsFrom())
      .addOption(
        new Option("-w, --watch", "show a table that follows every change, until Ctrl-C")
          .default(false)
          .conflicts("output"),
      )
      .addOption(
        new Option("--wait", "wait until all that is shown is well, with a line for each change")
          .default(false)
          .conflicts(["output", "watch"]),
      )
      .addOption(duration("--timeout <duration>", "with --wait: how long; exits with 3 when the time is over", "5m")),
});
export type StatusOptions = OptionsOf<typeof status>;

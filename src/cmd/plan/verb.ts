import { Option } from "@commander-js/extra-typings";
import {
  collected,
  filename,
  members,
  type OptionsOf,
  otherSystemNamespace,
  parseDnsLabel,
  recursive,
  verb,
} from "../shared/index.ts";

export const plan = verb({
  name: "plan",
  summary: "shows what a change would do on every cluster, and writes nothing",
  flags: (command) =>
    command
      .addOption(filename("plan as if these were applied: objects, policies, MemberClusters"))
      .addOption(collected("--policy <file>", "as -f, but refuses everything that is no policy (may be repeated)"))
      .addOption(recursive())
      .addOption(
        members(
          "--without <cluster>",
          "plan as if the cluster were lost for longer than failover waits (may be repeated)",
        ),
      )
      .addOption(members("--cordon <cluster>", "plan as if the cluster were cordoned (may be repeated)"))
      .addOption(members("--drain <cluster>", "plan as if the cluster were drained (may be repeated)"))
      .option(
        "-n, --namespace <namespace>",
        "namespace of objects without a namespace in the files (default: the namespace of the context)",
        parseDnsLabel,
      )
      .option(
        "--server-side",
        "apply the files as `kubectl apply --server-side` (default: as the object was applied before, else as `kubectl apply`)",
        false,
      )
      .option("--without-hub", "answer only from files: --from has the present state", false)
      .addOption(
        collected(
          "--from <file>",
          "with --without-hub: the present state, from kubectl get -o yaml: MemberClusters with their status, policies, objects (may be repeated)",
        ),
      )
      .option("--hub-only", "do not ask the members: compare with the objects that the hub sends now", false)
      .addOption(otherSystemNamespace())
      .addOption(new Option("-o, --output <format>", "output format").choices(["json", "yaml"])),
  options: (flags) => ({ filename: [], policy: [], without: [], cordon: [], drain: [], from: [], ...flags }),
});
export type PlanOptions = OptionsOf<typeof plan>;

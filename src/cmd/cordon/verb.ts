import { duration, memberName, type NewCommand, type OptionsOf, verb } from "../shared/index.ts";

/** `cordon`, `uncordon` and `drain`, as kubectl has them for nodes. */

const ofMember = (command: NewCommand) =>
  command.addArgument(memberName("<cluster>")).option("--dry-run", "print every step, and do nothing", false);

export const cordon = verb({
  name: "cordon",
  summary: "places nothing new on a cluster; objects that run there stay",
  flags: ofMember,
});
export type CordonOptions = OptionsOf<typeof cordon>;

export const uncordon = verb({
  name: "uncordon",
  summary: "ends cordon and drain: objects may be placed on the cluster again",
  flags: ofMember,
});

export const drain = verb({
  name: "drain",
  summary: "cordons a cluster, moves its objects to other clusters, and waits until they have moved",
  flags: (command) =>
    ofMember(command)
      .option("-y, --yes", "do not ask; needed where there is no terminal", false)
      .addOption(duration("--timeout <duration>", "how long to wait until every object has moved", "10m")),
});
export type DrainOptions = OptionsOf<typeof drain>;

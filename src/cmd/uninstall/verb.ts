import { Option } from "@commander-js/extra-typings";
import { duration, leaseName, type OptionsOf, systemNamespace, verb } from "../shared/index.ts";

export const uninstall = verb({
  name: "uninstall",
  summary: "removes Meridian from the hub; while there are objects, needs --drain or --orphan",
  flags: (command) =>
    command
      .addOption(systemNamespace())
      .addOption(leaseName())
      .addOption(
        new Option(
          "--drain",
          "delete Meridian's objects on the hub, and all copies on members; needs a manager",
        ).conflicts("orphan"),
      )
      .option("--orphan", "delete Meridian's objects on the hub, and leave the copies on members running")
      .option("--keep-crds", "leave the CRDs on the hub", false)
      .option("--dry-run", "print every step, and do nothing", false)
      .option("-y, --yes", "do not ask; needed without a terminal", false)
      .addOption(duration("--timeout <duration>", "how long to wait in total", "10m")),
  /** Refuse: nothing is done while there are objects. */
  options: ({ drain, orphan, ...rest }) =>
    ({ ...rest, objects: drain ? "Drain" : orphan ? "Orphan" : "Refuse" }) as const,
});
export type UninstallOptions = OptionsOf<typeof uninstall>;

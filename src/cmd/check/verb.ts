import { Option } from "@commander-js/extra-typings";
import { leaseName, type OptionsOf, systemNamespace, verb } from "../shared/index.ts";

export const check = verb({
  name: "check",
  summary: "looks for what keeps hub and members from working together, and says how to mend it",
  flags: (command) =>
    command
      .addOption(systemNamespace())
      .addOption(leaseName())
      .option("--hub-only", "do not ask the members: take what the hub has last heard of them", false)
      .addOption(new Option("-o, --output <format>", "output format").choices(["json", "yaml"])),
});
export type CheckOptions = OptionsOf<typeof check>;

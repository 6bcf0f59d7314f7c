import { Option } from "@commander-js/extra-typings";
import { leaseName, type OptionsOf, systemNamespace, verb } from "../shared/index.ts";

export const supportBundle = verb({
  name: "support-bundle",
  summary: "writes a file with what a maintainer needs to help you, without secrets",
  flags: (command) =>
    command
      .addOption(
        new Option("-o, --output <file>", "file to write: a tar archive, compressed by gzip").default(
          "meridian-support.tar.gz",
        ),
      )
      .addOption(systemNamespace())
      .addOption(leaseName()),
});
export type SupportOptions = OptionsOf<typeof supportBundle>;

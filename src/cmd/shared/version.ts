import { Option } from "@commander-js/extra-typings";
import packageJson from "../../../package.json" with { type: "json" };
import { printYaml } from "../../apis/index.ts";
import { EXIT } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";
import { type OptionsOf, verb } from "./verb.ts";

/** Version of this build. */
export const VERSION: string = packageJson.version;

export const version = verb({
  name: "version",
  summary: "shows the version of this program",
  flags: (command) => command.addOption(new Option("-o, --output <format>", "output format").choices(["json", "yaml"])),
});

export function printVersion({ output }: OptionsOf<typeof version>, terminal: Terminal): number {
  const shown = { version: VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
  switch (output) {
    case "json":
      terminal.out(`${JSON.stringify(shown, undefined, 2)}\n`);
      break;
    case "yaml":
      terminal.out(printYaml(shown));
      break;
    default:
      terminal.out(`meridian ${shown.version} (Node ${shown.node}, ${shown.platform})\n`);
  }
  return EXIT.ok;
}

import packageJson from "../../../package.json" with { type: "json" };
import { printYaml } from "../../apis/index.ts";
import type { VersionOptions } from "./options.ts";
import { EXIT } from "./outcome.ts";
import type { Terminal } from "./terminal.ts";

/** Version of this build. */
export const VERSION: string = packageJson.version;

/** `meridian version`: prints the versions of Meridian and Node, and the platform. */
export function printVersion({ output }: VersionOptions, terminal: Terminal): number {
  const version = { version: VERSION, node: process.version, platform: `${process.platform}/${process.arch}` };
  switch (output) {
    case "json":
      terminal.out(`${JSON.stringify(version, undefined, 2)}\n`);
      break;
    case "yaml":
      terminal.out(printYaml(version));
      break;
    default:
      terminal.out(`meridian ${version.version} (Node ${version.node}, ${version.platform})\n`);
  }
  return EXIT.ok;
}

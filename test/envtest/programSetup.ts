import { buildMeridian } from "./commands.ts";

/** The program as it ships, built once before the first test. */
export default function setup(): Promise<void> {
  return buildMeridian();
}

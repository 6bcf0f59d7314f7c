import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DashboardFiles } from "../../dashboard/index.ts";
import type { Logger } from "../../observability/index.ts";

/** Beside the built program, and where `npm run build` puts the files for a program that runs from its source. */
const PLACES = ["./dashboard/", "../../../dist/dashboard/"];

/** Undefined, with a warning, where the page was not built. */
export async function loadDashboard(logger: Logger): Promise<DashboardFiles | undefined> {
  const folders = PLACES.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  const folder = folders.find((one) => existsSync(`${one}index.html`));
  if (folder !== undefined) return await DashboardFiles.load(folder);
  logger.warn({ event_reason: "DashboardMissing" }, "there is no dashboard: its page was not built (npm run build)");
  return undefined;
}

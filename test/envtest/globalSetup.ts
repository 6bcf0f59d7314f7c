import { requireControlPlaneAssets } from "./assets.ts";
import { buildMeridian } from "./commands.ts";

/** Resolves or builds the programs once, before the first test: building them takes minutes and belongs to no test's time. */
export default async function setup(): Promise<void> {
  await requireControlPlaneAssets();
  await buildMeridian();
}

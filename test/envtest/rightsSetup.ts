import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import setup from "./globalSetup.ts";
import { helmBinary } from "./helm.ts";

/** As for any test on control planes, and a folder for what their managers ask for. Gives back what removes it. */
export default async function rightsSetup(): Promise<() => Promise<void>> {
  await setup();
  await helmBinary();
  const folder = await mkdtemp(join(tmpdir(), "meridian-rights-"));
  process.env["MERIDIAN_E2E_AUDIT"] = folder;
  return () => rm(folder, { recursive: true, force: true });
}

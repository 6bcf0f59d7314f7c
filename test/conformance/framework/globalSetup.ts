import { join } from "node:path";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { TestProject } from "vitest/node";
import { startSandboxCluster } from "../../../src/sandbox/index.ts";
import { requireControlPlaneAssets, startControlPlane } from "../../envtest/index.ts";
import type { Side } from "./client.ts";
import { installCrds } from "./crds.ts";
import { aggregateRoles } from "./roles.ts";

/**
 * Starts, once for all files: a real API server without controllers, a sandbox cluster without controllers, which is compared with it,
 * and a sandbox cluster with controllers, which kubectl works with.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  await requireControlPlaneAssets();
  const folder = await mkdtemp(join(tmpdir(), "meridian-conformance-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const [plane, bare, living] = await Promise.all([
    startControlPlane({ name: "real", controllerManager: false }).then((one) => stack.use(one)),
    startSandboxCluster({ name: "sandbox", controllers: false }).then((one) => stack.use(one)),
    startSandboxCluster({ name: "living" }).then((one) => stack.use(one)),
  ]);
  const real: Side = {
    name: "the real server",
    url: plane.server,
    ca: plane.caData,
    token: plane.adminToken,
    addresses: "10.0",
  };
  const sandbox: Side = {
    name: "the sandbox",
    url: bare.url,
    ca: bare.caPem,
    token: bare.adminToken,
    addresses: "10.96",
  };
  await Promise.all([aggregateRoles(real), installCrds(real), installCrds(sandbox)]);
  const kubeconfigs = { real: plane.kubeconfigFile, sandbox: join(folder, "sandbox"), living: join(folder, "living") };
  await writeFile(kubeconfigs.sandbox, bare.kubeconfig(), { mode: 0o600 });
  await writeFile(kubeconfigs.living, living.kubeconfig(), { mode: 0o600 });
  project.provide("conformance", { real, sandbox });
  project.provide("kubeconfigs", kubeconfigs);
  const running = stack.move();
  return () => running.disposeAsync();
}

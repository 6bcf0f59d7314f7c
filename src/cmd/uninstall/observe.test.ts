import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ALLOW_DELETION_ANNOTATION, crdNameOf, type KubeObject, OBJECT_FINALIZER } from "../../apis/index.ts";
import { CRDS, DEMOAPPLICATIONS, NAMESPACES } from "../../runtime/index.ts";
import { startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember } from "../shared/connection.ts";
import { runMeridian } from "../testing/commandLine.ts";

const MERGE = "application/merge-patch+json";

test(
  "a drain agrees on objects that a manager holds because they were deleted with an earlier CRD",
  { timeout: 60_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), "meridian-uninstall-"));
    const hub = await startSandboxCluster({ name: "hub", controllers: false });
    const file = join(folder, "hub");
    await writeFile(file, hub.kubeconfig());
    const admin = connectMember("hub", file, undefined);
    onTestFinished(async () => {
      await admin[Symbol.asyncDispose]();
      await hub.stop();
      await rm(folder, { recursive: true, force: true });
    });
    const { client } = admin;
    const run = (line: string) => runMeridian([...line.split(" "), "--kubeconfig", file]);
    expect((await run("install")).code).toBe(0);
    await client.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } });
    for (const name of ["one", "two"])
      await client.create(DEMOAPPLICATIONS, {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        metadata: { name, namespace: "shop", finalizers: [OBJECT_FINALIZER] },
        spec: { image: "nginx:1.27", replica: 1 },
      } as KubeObject);
    const steps = async () => (await run("uninstall --drain --dry-run")).out;
    expect(await steps()).not.toContain("agree on");

    const crd = crdNameOf(DEMOAPPLICATIONS);
    const { apiVersion, kind, spec } = (await client.get(CRDS, undefined, crd)) as KubeObject & { spec: unknown };
    await client.delete(CRDS, undefined, crd);
    await client.patch(CRDS, undefined, crd, MERGE, { metadata: { finalizers: null } });
    await client.create(CRDS, { apiVersion, kind, metadata: { name: crd }, spec } as KubeObject);
    await expect.poll(async () => await steps(), { timeout: 20_000 }).toMatch(/agree on 2 /);
    const annotations = { [ALLOW_DELETION_ANNOTATION]: "true" };
    await client.patch(DEMOAPPLICATIONS, "shop", "one", MERGE, { metadata: { annotations } });
    expect(await steps()).toMatch(/agree on (?:1 |demoapplication)/);
    await client.patch(DEMOAPPLICATIONS, "shop", "two", MERGE, { metadata: { annotations } });
    expect(await steps()).not.toContain("agree on");
  },
);

import { expect, onTestFinished, test } from "vitest";
import { ALLOW_DELETION_ANNOTATION, crdNameOf, type KubeObject, OBJECT_FINALIZER } from "../../apis/index.ts";
import { CRDS, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { SandboxHub } from "../testing/sandboxHub.ts";

const MERGE = "application/merge-patch+json";

test(
  "a drain agrees on objects that a manager holds because they were deleted with an earlier CRD",
  { timeout: 60_000 },
  async () => {
    const fleet = await SandboxHub.start();
    onTestFinished(() => fleet[Symbol.asyncDispose]());
    const { client } = fleet.admin;
    await fleet.makeNamespaces("shop");
    for (const name of ["one", "two"])
      await client.create(DEMOAPPLICATIONS, {
        apiVersion: "paas.cmft.com/v1",
        kind: "DemoApplication",
        metadata: { name, namespace: "shop", finalizers: [OBJECT_FINALIZER] },
        spec: { image: "nginx:1.27", replica: 1 },
      } as KubeObject);
    const steps = async () => (await fleet.run("uninstall --drain --dry-run")).out;
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

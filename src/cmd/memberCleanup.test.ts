import { expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { ApiError, type Client, CLUSTERROLES, NAMESPACES, type ResourceType } from "../runtime/index.ts";
import { accessNamespace, memberAccess } from "./memberAccess.ts";
import { revokeAccess } from "./memberCleanup.ts";

const access = memberAccess("0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0", "meridian-system");

/** A member on which the account is gone as soon as one request of its removal has been answered. */
function memberThatForgets(label: KubeObject): { client: Client; deleted: string[] } {
  const deleted: string[] = [];
  let gone = false;
  const client = {
    cluster: "shanghai-1",
    get: () => Promise.resolve(label),
    list: () => Promise.resolve({ items: [], resourceVersion: "1" }),
    raw: () => Promise.resolve({ groups: [], resources: [], versions: [] }),
    delete: async (type: ResourceType) => {
      if (gone) throw new ApiError(401, "Unauthorized", "the account is gone");
      await Promise.resolve();
      deleted.push(type.kind);
      setImmediate(() => (gone = true));
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return { client: client as unknown as Client, deleted };
}

test("an account that removes itself leaves nothing, whichever of its removals is answered first", async () => {
  const { client, deleted } = memberThatForgets(accessNamespace(access));
  const { left } = await revokeAccess(client, access, false, new AbortController().signal);
  expect(left).toEqual([]);
  expect(deleted.sort()).toEqual([CLUSTERROLES.kind, NAMESPACES.kind]);
});

test("a namespace that no join made stays", async () => {
  const { client, deleted } = memberThatForgets({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "meridian-system" },
  });
  await revokeAccess(client, access, false, new AbortController().signal);
  expect(deleted).not.toContain(NAMESPACES.kind);
});

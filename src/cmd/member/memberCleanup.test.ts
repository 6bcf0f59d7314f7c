import { expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import {
  ApiError,
  type Client,
  CLUSTERROLES,
  NAMESPACES,
  type ResourceType,
  SERVICEACCOUNTS,
} from "../../runtime/index.ts";
import { accessNamespace, memberAccess } from "./memberAccess.ts";
import { revokeAccess } from "./memberCleanup.ts";

const access = memberAccess("0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0", "meridian-system");
const OURS = accessNamespace(access);
OURS.metadata.uid = "uid-n";
const FOREIGN: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "meridian-system" } };

/**
 * A member whose controllers are done before the next request: what the ClusterRole gives is gone with it, and the
 * account with its namespace.
 */
function quickMember(namespace: KubeObject, mayNot = false) {
  const deleted: string[] = [];
  const client = {
    cluster: "shanghai-1",
    get: () => Promise.resolve(namespace),
    list: () => Promise.resolve({ items: [], resourceVersion: "1" }),
    raw: () => Promise.resolve({ kind: "APIGroupList", groups: [] }),
    delete: async (type: ResourceType) => {
      await Promise.resolve();
      if (deleted.includes(NAMESPACES.kind) || deleted.includes(SERVICEACCOUNTS.kind))
        throw new ApiError(401, "Unauthorized", "the account is gone");
      const isLost = type === CLUSTERROLES ? mayNot : deleted.includes(type.kind);
      if (isLost) throw new ApiError(403, "Forbidden", "the account has no right to that");
      deleted.push(type.kind);
    },
  };
  return { client: client as unknown as Client, deleted };
}

const never = new AbortController().signal;

test.each([
  ["the namespace that join made", OURS, "namespace/meridian-system", NAMESPACES.kind],
  ["itself where no join made the namespace", FOREIGN, `serviceaccount/${access.name}`, SERVICEACCOUNTS.kind],
])("an account removes its ClusterRole and then %s, however quick its member is", async (_, namespace, last, kind) => {
  const { client, deleted } = quickMember(namespace);
  const removed = [`clusterrole/${access.name}`, last];
  expect(await revokeAccess(client, access, false, never)).toEqual({ removed, left: [] });
  expect(deleted).toEqual([CLUSTERROLES.kind, kind]);
});

test("an account that may not remove its ClusterRole stays, and everything is named for whoever may", async () => {
  const { client, deleted } = quickMember(OURS, true);
  const { removed, left } = await revokeAccess(client, access, false, never);
  expect(deleted).toEqual([]);
  expect(removed).toEqual([]);
  expect(left.map(({ command }) => command)).toEqual([
    `kubectl delete clusterrole,clusterrolebinding ${access.name}`,
    `kubectl delete validatingadmissionpolicybinding,validatingadmissionpolicy ${access.name} --ignore-not-found`,
    `kubectl -n meridian-system delete serviceaccount,role,rolebinding ${access.name}`,
    "kubectl delete namespace meridian-system",
  ]);
});

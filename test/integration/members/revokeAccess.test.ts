import { expect, test } from "vitest";
import {
  accessAccount,
  accessClusterRole,
  accessDependents,
  accessNamespace,
  memberAccess,
} from "../../../src/cmd/member/memberAccess.ts";
import { type Cleanup, revokeAccess, revokeNamespaces } from "../../../src/cmd/member/memberCleanup.ts";
import {
  CLUSTERROLEBINDINGS,
  CLUSTERROLES,
  NAMESPACES,
  requestToken,
  type ResourceType,
  ROLEBINDINGS,
  ROLES,
  SERVICEACCOUNTS,
} from "../../../src/runtime/index.ts";
import { FakeClock } from "../../../src/runtime/testing/fakeClock.ts";
import { InProcessClient } from "../federation/inProcessClient.ts";
import { TestCluster, untilQuiet } from "../federation/testCluster.ts";

const SYSTEM = "meridian-system";
const TYPES = [SERVICEACCOUNTS, ROLES, ROLEBINDINGS, CLUSTERROLEBINDINGS];
const never = new AbortController().signal;

/** A member whose controllers are as quick as the quickstart's, and a connection with the account that join makes there. */
async function joined(namespaces?: readonly string[]) {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 8));
  const cluster = await TestCluster.start({ name: "member", clock, controllers: {} });
  const access = memberAccess("0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0", SYSTEM, { namespaces });
  const administrator = cluster.connect(clock);
  await administrator.create(NAMESPACES, accessNamespace(access));
  for (const name of namespaces ?? [])
    await administrator.create(NAMESPACES, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  const uidOf = async (type: ResourceType, object: ReturnType<typeof accessAccount>): Promise<string> =>
    (await administrator.apply(type, object, { force: true })).metadata.uid ?? "";
  const owners = {
    clusterRole: await uidOf(CLUSTERROLES, accessClusterRole(access)),
    account: await uidOf(SERVICEACCOUNTS, accessAccount(access)),
  };
  for (const object of accessDependents(access, owners)) {
    const type = TYPES.find(({ kind }) => kind === object.kind);
    if (type !== undefined) await administrator.apply(type, object, { force: true });
  }
  const { token } = await requestToken(administrator, {
    namespace: SYSTEM,
    serviceAccount: access.name,
    expirationSeconds: 3600,
    signal: never,
  });
  const credentials = { authorization: () => Promise.resolve(`Bearer ${token}`) };
  const account = new InProcessClient({ cluster: "member", wire: cluster, clock, credentials });
  const settled = async (): Promise<string[]> => {
    for (let turn = 0; turn < 20; turn++) {
      await clock.advance(1_000);
      await untilQuiet(() => cluster.version);
    }
    return [...TYPES, CLUSTERROLES, NAMESPACES]
      .flatMap((type) => cluster.list(type))
      .filter(({ metadata }) => metadata.name === access.name || metadata.name === SYSTEM)
      .map(({ kind }) => kind);
  };
  return { cluster, account, administrator, access, settled };
}

test("the account of a member removes itself with everything that join made, namespace included", async () => {
  const { cluster, account, access, settled } = await joined();
  await using _ = cluster;
  expect(await revokeAccess(account, access, false, never)).toEqual({
    removed: [`clusterrole/${access.name}`, `namespace/${SYSTEM}`],
    left: [],
  });
  expect(await settled()).toEqual([]);
});

test("and leaves a namespace in which something else is", async () => {
  const { cluster, account, access, settled } = await joined();
  await using _ = cluster;
  await cluster.create(SERVICEACCOUNTS, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "x", namespace: SYSTEM },
  });
  expect((await revokeAccess(account, access, false, never)).left).toEqual([]);
  expect(await settled()).toEqual(["Namespace"]);
});

test("the account of a member that is joined for namespaces removes itself with its rights in all of them", async () => {
  const { cluster, account, access, settled } = await joined(["bank", "shop"]);
  await using _ = cluster;
  expect((await revokeAccess(account, access, false, never)).left).toEqual([]);
  expect(await settled()).toEqual([]);
  expect(cluster.list(NAMESPACES).map(({ metadata }) => metadata.name)).toEqual(
    expect.arrayContaining(["bank", "shop"]),
  );
});

test("an administrator takes the rights in single namespaces away, those in the account's own aside", async () => {
  const { cluster, administrator, access } = await joined(["bank", "shop"]);
  await using _ = cluster;
  const cleanup: Cleanup = { removed: [], left: [] };
  await revokeNamespaces(administrator, { ...access, namespaces: ["shop"] }, cleanup, never);
  expect(cleanup.removed).toEqual([
    `rolebinding/${access.name} of namespace bank`,
    `role/${access.name} of namespace bank`,
  ]);
  const places = cluster
    .list(ROLES)
    .flatMap(({ metadata }) => (metadata.name === access.name ? [metadata.namespace ?? ""] : []));
  expect(new Set(places)).toEqual(new Set([SYSTEM, "shop"]));
});

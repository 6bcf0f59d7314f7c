import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject, Taint } from "../../../src/apis/index.ts";
import {
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  CLUSTERROLES,
  CONFIGMAPS,
  DEMOAPPLICATIONS,
  DEPLOYMENTS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
} from "../../../src/runtime/index.ts";
import { bundle, clusterPlacement, demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { configMap, deployment } from "./objects.ts";

/** Of equal clusters the first by name is chosen. */
const FIRST = "beijing";
const MEMBERS = [FIRST, "shanghai", "singapore"];
const HOME = "singapore";
const SHOPS = Array.from({ length: 14 }, (_, index) => `shop-${index}`);

async function taint(
  federation: TestFederation,
  taints: readonly Required<Pick<Taint, "key" | "effect">>[],
  ...clusters: string[]
): Promise<void> {
  for (const name of clusters) await federation.hub.merge(MEMBERCLUSTERS, undefined, name, { spec: { taints } });
}

const CORDON = { key: "unschedulable", effect: "NoSchedule" } as const;
const cordon = (federation: TestFederation, ...clusters: string[]) => taint(federation, [CORDON], ...clusters);
const uncordon = (federation: TestFederation, ...clusters: string[]) => taint(federation, [], ...clusters);

/** Whose copies are on each member, with their UIDs. */
function copies(federation: TestFederation, type: ResourceType, ...names: readonly string[]): string[] {
  return MEMBERS.flatMap((member) =>
    federation
      .member(member)
      .server.list(type)
      .filter(({ metadata }) => names.includes(metadata.name))
      .map(({ metadata }) => `${member} ${metadata.name} ${metadata.uid}`),
  ).toSorted();
}

/** As in a hub that was lost: they never were. */
async function lose(federation: TestFederation, type: ResourceType, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const namespace = type.namespaced ? "default" : undefined;
    await federation.hub.merge(type, namespace, name, { metadata: { finalizers: null } });
    await federation.hub.delete(type, namespace, name);
  }
}

async function loseBindings(federation: TestFederation): Promise<void> {
  for (const type of [RESOURCEBINDINGS, CLUSTERRESOURCEBINDINGS])
    for (const { metadata } of federation.hub.list(type)) {
      await federation.hub.merge(type, metadata.namespace, metadata.name, { metadata: { finalizers: null } });
      await federation.hub.delete(type, metadata.namespace, metadata.name);
    }
}

async function removeStatus(federation: TestFederation, type: ResourceType): Promise<void> {
  for (const { metadata } of federation.hub.list(type))
    await federation.hub.merge(type, metadata.namespace, metadata.name, { status: null }, "status");
}

const clustersOf = (status: FederatedStatus | undefined): string[] => (status?.clusters ?? []).map(({ name }) => name);
const one = placement("one").clusterCount(1);

/** Applications that run on the last cluster alone, where nothing would bring them anew. */
async function shopsAtHome(policy = one, names: readonly string[] = SHOPS): Promise<TestFederation> {
  const federation = await TestFederation.start(...MEMBERS);
  await cordon(federation, ...MEMBERS.filter((name) => name !== HOME));
  await federation.apply(PLACEMENTS, policy);
  for (const name of names) await federation.apply(DEMOAPPLICATIONS, demoApplication(name).port(80));
  for (const name of names) await federation.untilAvailable(name);
  await uncordon(federation, ...MEMBERS);
  return federation;
}

async function settled(federation: TestFederation, names: readonly string[] = SHOPS): Promise<void> {
  for (const name of names) await federation.untilAvailable(name);
  await federation.pass(20_000);
}

describe("applications that are applied again after the hub had lost them run on where they are", () => {
  test("while a manager runs", async () => {
    await using federation = await shopsAtHome();
    const before = copies(federation, DEPLOYMENTS, ...SHOPS);
    expect(before).toHaveLength(SHOPS.length);
    await federation.stopManager();
    await lose(federation, DEMOAPPLICATIONS, ...SHOPS);
    await federation.startManager();
    await federation.pass(20_000);
    for (const name of SHOPS) await federation.apply(DEMOAPPLICATIONS, demoApplication(name).port(80));
    await settled(federation);
    expect(copies(federation, DEPLOYMENTS, ...SHOPS)).toEqual(before);
    for (const name of SHOPS) expect(clustersOf(federation.status(name))).toEqual([HOME]);
  });

  test("while no manager runs, though a member answers later than the others", async () => {
    await using federation = await shopsAtHome(one, ["shop"]);
    const before = copies(federation, DEPLOYMENTS, "shop");
    await federation.stopManager();
    await lose(federation, DEMOAPPLICATIONS, "shop");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    const { promise, resolve } = Promise.withResolvers<undefined>();
    federation.member(HOME).refuse = () => promise;
    await federation.startManager();
    await federation.pass(1_000);
    expect(federation.status("shop")).toBeUndefined();
    federation.member(HOME).refuse = () => undefined;
    resolve(undefined);
    await settled(federation, ["shop"]);
    expect(copies(federation, DEPLOYMENTS, "shop")).toEqual(before);
  });

  test("before their Placement is", async () => {
    await using federation = await shopsAtHome(one, ["shop"]);
    const before = copies(federation, DEPLOYMENTS, "shop");
    await federation.stopManager();
    await lose(federation, DEMOAPPLICATIONS, "shop");
    await federation.delete(PLACEMENTS, "one");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.startManager();
    await federation.until(() => federation.condition("shop", "Scheduled") === "False NoPlacement");
    await federation.until(() => federation.entry("shop", HOME)?.state === "Held");
    expect(federation.entry("shop", HOME)?.reason).toBe("CopyFound");
    await federation.apply(PLACEMENTS, one);
    await settled(federation, ["shop"]);
    expect(copies(federation, DEPLOYMENTS, "shop")).toEqual(before);
  });
});

describe("objects whose status was removed while no manager ran run on where they are", () => {
  test.each<{ name: string; type: ResourceType; object: KubeObject; policy: KubeObject; copy?: ResourceType }>([
    {
      name: "a kind that is sent as it is",
      type: DEPLOYMENTS,
      object: deployment("web", 2),
      policy: one.selects({ apiVersion: "apps/v1", kind: "Deployment" }).object(),
    },
    {
      name: "a cluster-scoped kind",
      type: CLUSTERROLES,
      object: { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "web" }, rules: [] },
      policy: clusterPlacement("one")
        .clusterCount(1)
        .selects({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", name: "web" })
        .object(),
    },
    {
      name: "a bundle",
      type: MANIFESTBUNDLES,
      object: bundle("web", [configMap("web", { a: "b" })]),
      policy: one.selects({ apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" }).object(),
      copy: CONFIGMAPS,
    },
  ])("$name", async ({ type, object, policy, copy = type }) => {
    await using federation = await TestFederation.start(...MEMBERS);
    await cordon(federation, ...MEMBERS.filter((name) => name !== HOME));
    await federation.apply(policy.kind === "Placement" ? PLACEMENTS : CLUSTERPLACEMENTS, policy);
    await federation.apply(type, object);
    await federation.until(() => copies(federation, copy, "web").length === 1);
    await federation.pass(5_000);
    await uncordon(federation, ...MEMBERS);
    await federation.pass(5_000);
    const before = copies(federation, copy, "web");
    expect(before).toMatchObject([expect.stringMatching(`^${HOME} `)]);
    await federation.stopManager();
    if (type === MANIFESTBUNDLES) await removeStatus(federation, type);
    await loseBindings(federation);
    await federation.startManager();
    await federation.pass(20_000);
    expect(copies(federation, copy, "web")).toEqual(before);
  });
});

describe("a copy that no record names", () => {
  const applied = async (federation: TestFederation): Promise<void> => {
    await federation.stopManager();
    await lose(federation, DEMOAPPLICATIONS, "shop");
    await federation.apply(DEMOAPPLICATIONS, demoApplication("shop").port(80));
    await federation.startManager();
  };

  test("draws the object to no cluster that a new object could not go to", async () => {
    await using federation = await shopsAtHome(one, ["shop"]);
    await cordon(federation, HOME);
    await applied(federation);
    await federation.until(() => clustersOf(federation.status("shop")).join() === FIRST);
    await federation.until(() => federation.member(HOME).server.find(DEPLOYMENTS, "default", "shop") === undefined);
  });

  test("stays where it is while no cluster fits, and is not written", async () => {
    await using federation = await shopsAtHome(one, ["shop"]);
    await cordon(federation, ...MEMBERS);
    const { metadata } = federation.member(HOME).server.get(DEPLOYMENTS, "default", "shop");
    await applied(federation);
    await federation.until(() => federation.condition("shop", "Scheduled") === "False NoClusterFits");
    // Another reason to plan: what the status says by now admits the object nowhere either.
    await federation.hub.merge(DEMOAPPLICATIONS, "default", "shop", { spec: { image: "nginx:2" } });
    await federation.pass(20_000);
    expect(federation.condition("shop", "Scheduled")).toBe("False NoClusterFits");
    expect(federation.member(HOME).server.get(DEPLOYMENTS, "default", "shop").metadata.resourceVersion).toBe(
      metadata.resourceVersion,
    );
    await uncordon(federation, HOME);
    await federation.untilAvailable("shop");
    expect(clustersOf(federation.status("shop"))).toEqual([HOME]);
    expect(federation.member(HOME).server.get(DEPLOYMENTS, "default", "shop").metadata.uid).toBe(metadata.uid);
  });
});

import { describe, expect, test } from "vitest";
import {
  ALLOW_CRD_REMOVAL_ANNOTATION,
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  type FederatedStatus,
  type KubeObject,
  MANAGED_BY_LABEL,
  OWNER_ANNOTATION,
} from "../../src/apis/index.ts";
import {
  bundle,
  clusterRole,
  definition,
  demoApplication,
  notServed,
  operator,
  placement,
  serviceAccount,
  widget,
} from "../builders/index.ts";
import { eventually, FaultProxy, throughout } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { collectionPath, objectPath } from "./objects.ts";

const SHANGHAI = "shanghai-1";
/** Joined by hand, through a proxy. */
const SPARE = "spare-1";

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SPARE, region: "eu-central-1" },
  ],
  unjoined: [SPARE],
});

const path = (namespace: string): string => objectPath("DemoApplication", namespace, "shop");
const untilGone = (namespace: string, timeout = 60_000): Promise<void> =>
  eventually(async () => expect(await federation.api.find(path(namespace))).toBeUndefined(), { timeout });
const isThere = async (cluster: string, namespace: string): Promise<boolean> =>
  (await federation.memberApi(cluster).find(objectPath("Deployment", namespace, "shop"))) !== undefined;

async function running(deletionPolicy: "Delete" | "Orphan" = "Delete"): Promise<string> {
  const namespace = await federation.namespace();
  await federation.apply(placement("one").namespace(namespace).onClusters(SHANGHAI).deletionPolicy(deletionPolicy));
  await federation.apply(demoApplication("shop").namespace(namespace).port(80));
  await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
  return namespace;
}

async function takeLabelOff(namespace: string): Promise<void> {
  for (const kind of ["Deployment", "Service"])
    await federation.memberApi(SHANGHAI).patch(objectPath(kind, namespace, "shop"), "merge", {
      metadata: { labels: { [MANAGED_BY_LABEL]: null } },
    });
}

async function withoutManager(act: () => Promise<unknown>): Promise<void> {
  await federation.manager.stop();
  await act();
  await federation.startManager();
}

async function marks(namespace: string): Promise<string[]> {
  const { metadata } = await federation.deployment(SHANGHAI, namespace, "shop");
  return [...Object.keys(metadata.labels ?? {}), ...Object.keys(metadata.annotations ?? {})].filter(
    (key) => key === MANAGED_BY_LABEL || key === OWNER_ANNOTATION,
  );
}

describe("a copy that lost its label while no manager ran", () => {
  test("is removed before the finalizer goes", async () => {
    const namespace = await running();
    await withoutManager(async () => {
      await takeLabelOff(namespace);
      await federation.api.delete(path(namespace));
    });
    await untilGone(namespace);
    expect(await isThere(SHANGHAI, namespace)).toBe(false);
    expect(await federation.memberApi(SHANGHAI).find(objectPath("Service", namespace, "shop"))).toBeUndefined();
  });

  test("is let go of where its policy says Orphan, though the finalizer was stripped from its object", async () => {
    const namespace = await running("Orphan");
    await withoutManager(async () => {
      await federation.api.patch(path(namespace), "merge", { metadata: { finalizers: [] } });
      await federation.api.delete(path(namespace));
      await federation.api.delete(objectPath("Placement", namespace, "one"));
    });
    await eventually(async () => expect(await marks(namespace)).toEqual([]), { timeout: 60_000 });
  });
});

describe("kubectl delete --cascade=orphan", () => {
  const orphan = (namespace: string): Promise<string> =>
    federation.kubectl(["delete", "demoapplication", "shop", "-n", namespace, "--cascade=orphan", "--wait=false"]);

  test("leaves what runs, as anybody's", async () => {
    const namespace = await running();
    await orphan(namespace);
    await untilGone(namespace, 90_000);
    expect(await marks(namespace)).toEqual([]);
  });

  test("also when the garbage collector is done with it before a manager runs again", async () => {
    const namespace = await running();
    await withoutManager(async () => {
      await orphan(namespace);
      await eventually(
        async () => expect((await federation.application(namespace, "shop")).metadata.finalizers).toHaveLength(1),
        { timeout: 90_000 },
      );
    });
    await untilGone(namespace);
    expect(await marks(namespace)).toEqual([]);
  });
});

test("what was held on a cluster outlives the MemberCluster, and another one of its name", async () => {
  const spare = federation.member(SPARE).plane;
  const namespace = await federation.namespace();
  await federation.joinByHand(SPARE, spare.kubeconfig);
  await federation.untilMemberIs(SPARE, "True");
  const policy = placement("one").namespace(namespace).onClusters(SPARE);
  await federation.apply(policy);
  await federation.apply(demoApplication("shop").namespace(namespace));
  await federation.untilAvailable(namespace, "shop", { [SPARE]: 1 });
  const { uid } = (await federation.deployment(SPARE, namespace, "shop")).metadata;
  await federation.remove(policy);
  await federation.untilEntry(namespace, "shop", SPARE, { state: "Held" });
  await federation.removeMember(SPARE);
  await federation.joinByHand(SPARE, spare.kubeconfig);
  await federation.untilMemberIs(SPARE, "True");
  await throughout(5_000, async () =>
    expect((await federation.deployment(SPARE, namespace, "shop")).metadata.uid).toBe(uid),
  );
  await federation.removeMember(SPARE);
  await federation.remove(demoApplication("shop").namespace(namespace));
});

test("a deletion waits, through another leader, for a cluster that was never reached, and names it", async () => {
  const spare = federation.member(SPARE).plane;
  await using proxy = await FaultProxy.start(spare);
  proxy.cut();
  const namespace = await federation.namespace();
  await federation.joinByHand(SPARE, proxy.kubeconfigFor(spare.adminToken));
  try {
    await federation.untilMemberIs(SPARE, "False");
    await federation.apply(placement("two").namespace(namespace).onClusters(SHANGHAI, SPARE));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
    await withoutManager(() => federation.api.delete(path(namespace)));
    await eventually(async () => expect(await isThere(SHANGHAI, namespace)).toBe(false), { timeout: 60_000 });
    await federation.untilEntry(namespace, "shop", SPARE, { reason: "ClusterUnreachable" });
    await eventually(async () => {
      const progressing = conditionOf(await federation.application(namespace, "shop"), "Progressing");
      const message = expect.stringContaining(
        `waits for ${SPARE}: ClusterUnreachable; goes on when it answers or is unjoined`,
      ) as string;
      expect(progressing).toMatchObject({ reason: "Deleting", message });
    });
    await throughout(3_000, async () =>
      expect((await federation.application(namespace, "shop")).metadata.finalizers).not.toEqual([]),
    );
    proxy.heal();
    await untilGone(namespace, 90_000);
    expect(await isThere(SPARE, namespace)).toBe(false);
  } finally {
    proxy.heal();
    await federation.removeMember(SPARE);
  }
});

describe("a bundle of an operator", () => {
  const spare = () => federation.memberApi(SPARE);
  const find = async (kind: string, namespace: string | undefined, name: string): Promise<KubeObject | undefined> => {
    try {
      return await spare().find(objectPath(kind, namespace, name));
    } catch {
      // Where the definition is not there, nor is the path.
      return undefined;
    }
  };
  const entry = async (namespace: string, name: string) => {
    const found = await federation.api.find(objectPath("ManifestBundle", namespace, name));
    return (found?.["status"] as FederatedStatus | undefined)?.clusters?.find((one) => one.name === SPARE);
  };
  const untilEntry = (namespace: string, name: string, want: object): Promise<void> =>
    eventually(async () => expect(await entry(namespace, name)).toMatchObject(want), { timeout: 60_000 });
  const untilGoneThere = (kind: string, namespace: string | undefined, name: string): Promise<void> =>
    eventually(async () => expect(await find(kind, namespace, name)).toBeUndefined(), { timeout: 60_000 });

  test("comes in order, is pruned by a manager that never saw the rest, and goes with its definition last", async () => {
    const namespace = await federation.namespace();
    await federation.joinByHand(SPARE, federation.member(SPARE).plane.kubeconfig);
    await federation.untilMemberIs(SPARE, "True");
    const selects = { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "ManifestBundle" };
    await federation.apply(placement("bundles").namespace(namespace).selects(selects).onClusters(SPARE));
    const manifests = [
      widget("first"),
      operator("operator"),
      clusterRole(namespace),
      serviceAccount("operator"),
      definition(),
    ];
    await federation.apply(bundle("operator", manifests, { namespace }));
    await untilEntry(namespace, "operator", { state: "Failed", reason: "NotAllowed" });
    await federation.kubectl([
      "annotate",
      "namespace",
      namespace,
      `${ALLOWED_BUNDLE_KINDS_ANNOTATION}=ClusterRole,CustomResourceDefinition`,
    ]);

    await eventually(async () => expect(await find("Widget", namespace, "first")).toBeDefined(), { timeout: 60_000 });
    const times = await Promise.all(
      [
        ["CustomResourceDefinition", undefined, "widgets.example.com"],
        ["ServiceAccount", namespace, "operator"],
        ["Deployment", namespace, "operator"],
        ["Widget", namespace, "first"],
      ].map(async ([kind = "", where, name = ""]) => (await find(kind, where, name))?.metadata.creationTimestamp ?? ""),
    );
    expect(times).toEqual(times.toSorted());

    await withoutManager(async () => {
      await federation.apply(bundle("operator", manifests.slice(1), { namespace }));
    });
    await untilGoneThere("Widget", namespace, "first");

    await spare().create(collectionPath("Widget", namespace), widget("precious", { namespace }));
    // What is not served is in the member's store all the same, and would go with its definition.
    await federation.apply(bundle("operator", [...manifests.slice(1, 4), notServed(definition())], { namespace }));
    await untilGoneThere("Widget", namespace, "precious");
    await federation.apply(bundle("operator", manifests.slice(1, 4), { namespace }));
    await untilEntry(namespace, "operator", { state: "Held", reason: "CustomObjectsExist" });
    const { spec } = definition();
    await spare().patch(objectPath("CustomResourceDefinition", undefined, "widgets.example.com"), "merge", { spec });
    await eventually(async () => expect(await find("Widget", namespace, "precious")).toBeDefined());
    const annotations = { [ALLOW_CRD_REMOVAL_ANNOTATION]: "widgets.example.com" };
    await federation.apply(bundle("operator", manifests.slice(1, 4), { namespace, annotations }));
    await untilGoneThere("CustomResourceDefinition", undefined, "widgets.example.com");

    await federation.remove(bundle("operator", [], { namespace }));
    for (const kind of ["Deployment", "ServiceAccount"])
      expect(await find(kind, namespace, "operator")).toBeUndefined();
    expect(await find("ClusterRole", undefined, namespace)).toBeUndefined();
    await federation.removeMember(SPARE);
  });
});

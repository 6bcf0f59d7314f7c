import { beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { clusterPlacement, demoApplication, memberCluster, placement } from "../builders/index.ts";
import { eventually, type FleetMember, meridian, meridianOk, type Plane } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { ENDPOINT_CONTROLLERS, uninstall } from "./installation.ts";
import { collectionPath, configMap, type DataObject, objectPath } from "./objects.ts";

/**
 * A cluster leaves and comes back: what a person let go of is nobody's afterwards, what somebody else uses stays, and a namespace in
 * which people work is never taken away. Tests build on each other where they say so.
 */

const SYSTEM = "meridian-system";
const SHANGHAI = "shanghai-1";
const FRANKFURT = "frankfurt-1";
const OURS = /federation\.paas\.cmft\.com/;
const KINDS = ["Deployment", "Service", "ConfigMap", "Secret", "Namespace"];
const SHOPS = ["shop-0", "shop-1", "shop-2", "shop-3", "shop-4", "shop-5"];

const federation = useFederation({
  hub: { kubelet: false },
  members: [
    { name: SHANGHAI, region: "cn-shanghai", moreControllers: ENDPOINT_CONTROLLERS },
    { name: FRANKFURT, region: "eu-central-1", moreControllers: ENDPOINT_CONTROLLERS },
  ],
});
let shanghai: FleetMember<Plane>;
let frankfurt: FleetMember<Plane>;

beforeAll(async () => {
  shanghai = federation.member(SHANGHAI);
  frankfurt = federation.member(FRANKFURT);
});

/** Objects of a member on which anything of Meridian shows: in the labels, annotations, owners, or the owners of fields. */
async function marked({ plane }: FleetMember<Plane>): Promise<string[]> {
  const lists = await Promise.all(KINDS.map((kind) => plane.api.list(collectionPath(kind))));
  return lists.flatMap((items, index) =>
    items.filter(isMarked).map(({ metadata }) => `${KINDS[index]} ${metadata.namespace ?? ""}/${metadata.name}`),
  );
}

function isMarked({ metadata: { labels, annotations, ownerReferences, managedFields, name, namespace } }: KubeObject) {
  // What join made for itself is another matter.
  if (name === SYSTEM || namespace === SYSTEM) return false;
  if (OURS.test(JSON.stringify([labels, annotations, ownerReferences]))) return true;
  return managedFields?.some(({ manager }) => manager === "meridian") === true;
}

/** UIDs of what runs in the namespaces. */
async function lives({ plane }: FleetMember<Plane>, ...namespaces: string[]): Promise<string[]> {
  const paths = namespaces.flatMap((namespace) =>
    ["Deployment", "Service", "ConfigMap", "Pod"].map((kind) => collectionPath(kind, namespace)),
  );
  const lists = await Promise.all(paths.map((path) => plane.api.list(path)));
  return lists
    .flat()
    .map(({ kind, metadata }) => `${kind ?? ""} ${metadata.namespace}/${metadata.name} ${metadata.uid}`);
}

/** Applications with a ConfigMap of theirs, everywhere in a namespace that the members do not have. */
async function place(names: readonly string[], ...clusters: string[]): Promise<string> {
  const namespace = await federation.namespace();
  await federation.apply(
    placement("all")
      .namespace(namespace)
      .onClusters(...clusters),
  );
  await federation.apply(configMap(namespace, "settings", { colour: "red" }));
  for (const name of names) {
    const shop: KubeObject = demoApplication(name).namespace(namespace).port(80).object();
    (shop["spec"] as Record<string, unknown>)["envFrom"] = [{ configMapRef: { name: "settings" } }];
    await federation.apply(shop);
  }
  for (const name of names) {
    for (const cluster of clusters) await federation.untilEntry(namespace, name, cluster, { state: "Available" });
  }
  return namespace;
}

/** Once the namespace of the account of before is gone. */
async function joinAgain(member: FleetMember<Plane>): Promise<void> {
  const path = objectPath("Namespace", undefined, SYSTEM);
  await eventually(async () => expect(await member.plane.api.find(path)).toBeUndefined(), { timeout: 60_000 });
  await federation.join(member);
}

/** Everything that the manager knew of a cluster before this has been planned: an application that came later runs there. */
async function untilPlanned(cluster: string): Promise<void> {
  await place(["later"], cluster);
}

describe("a second MemberCluster for the same cluster", () => {
  test("is refused, and takes nothing with it when it goes", async () => {
    const traces = async () =>
      Promise.all(
        ["Namespace", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"].map(async (kind) =>
          (
            await shanghai.plane.api.list(`${collectionPath(kind)}?labelSelector=federation.paas.cmft.com/joined-to`)
          ).map(({ metadata }) => `${metadata.name} ${metadata.uid}`),
        ),
      );
    const before = await traces();
    const joined = await federation.api.get<DataObject>(objectPath("Secret", SYSTEM, SHANGHAI));
    const { labels = {}, annotations = {}, uid } = joined.metadata;
    // By the first one's Secret, and by a Secret that somebody copied with its labels.
    const copied: KubeObject = { ...joined, metadata: { name: "copied", namespace: SYSTEM, labels, annotations } };
    await federation.apply(copied);
    for (const [name, of] of [
      ["same-secret", SHANGHAI],
      ["copied", "copied"],
    ] as const) {
      await federation.apply(memberCluster(name).region("cn-shanghai").secret(of));
      await federation.untilMemberIs(name, "False", "DuplicateCluster");
      const { code, stdout, stderr } = await meridian(federation.hub, ["unjoin", name]);
      expect({ code, stderr, stdout }).toMatchObject({ code: 0 });
      expect(stderr).toContain(`${SHANGHAI} stands for the same cluster`);
      expect(await federation.api.find(objectPath("MemberCluster", undefined, name))).toBeUndefined();
      expect((await federation.api.get(objectPath("Secret", SYSTEM, SHANGHAI))).metadata.uid).toBe(uid);
      expect(await traces()).toEqual(before);
    }
    expect(await federation.api.find(objectPath("Secret", SYSTEM, "copied"))).toBeUndefined();
    const namespace = await place(["shop"], SHANGHAI);
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
  });
});

describe("two hubs of one member", () => {
  test("do not notice when the other one leaves", async () => {
    const other = frankfurt.plane;
    await meridianOk(other, ["install"]);
    await meridianOk(other, ["join", "shared", "--member-kubeconfig", shanghai.plane.kubeconfigFile, "--region", "x"]);
    const accounts = async () =>
      (await shanghai.plane.api.list(collectionPath("ServiceAccount", SYSTEM)))
        .map(({ metadata }) => metadata.name)
        .filter((name) => name.startsWith("meridian-"));
    expect(await accounts()).toHaveLength(2);
    // The hub that made the namespace leaves first.
    await meridianOk(federation.hub, ["unjoin", SHANGHAI]);
    await eventually(async () => expect(await accounts()).toHaveLength(1));
    await meridianOk(other, ["join", "shared", "--member-kubeconfig", shanghai.plane.kubeconfigFile, "--renew"]);
    const { code, stderr } = await meridian(other, ["unjoin", "shared"]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    await joinAgain(shanghai);
  });
});

describe("what a person lets go of", () => {
  test("by unjoin has no mark afterwards, whatever held it, and is not deleted by a later join", async () => {
    const namespace = await place(SHOPS, SHANGHAI, FRANKFURT);
    const held = await place(["held"], SHANGHAI);
    await federation.remove({ kind: "Placement", metadata: { name: "all", namespace: held } });
    await federation.untilEntry(held, "held", SHANGHAI, { state: "Held" });
    const before = await lives(shanghai, namespace, held);
    const { code, stdout } = await meridian(federation.hub, ["unjoin", SHANGHAI]);
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/\d+ objects released on shanghai-1/);
    expect(await marked(shanghai)).toEqual([]);
    expect(await lives(shanghai, namespace, held)).toEqual(before);

    // None of it is wanted there any more.
    await federation.apply(placement("all").namespace(namespace).onClusters(FRANKFURT));
    await federation.remove({ kind: "DemoApplication", metadata: { name: "held", namespace: held } });
    await joinAgain(shanghai);
    await untilPlanned(SHANGHAI);
    expect(await lives(shanghai, namespace, held)).toEqual(before);
  });

  test("by kubectl, with no word on what runs there, waits and names the choices; unjoin is one of them", async () => {
    const namespace = await place(["shop"], SHANGHAI);
    await federation.kubectl(["delete", "membercluster", SHANGHAI, "--wait=false"]);
    const choices = `choose: spec.deletionPolicy Orphan (all runs on) or Drain (all goes); or meridian unjoin ${SHANGHAI}`;
    await eventually(async () =>
      expect(await federation.memberCondition(SHANGHAI, "Removed")).toMatchObject({
        status: "False",
        reason: "DeletionPolicyMissing",
        message: choices,
      }),
    );
    expect(await federation.kubectl(["get", "membercluster", SHANGHAI, "-o", "wide"])).toContain(choices);
    expect(await federation.kubectl(["get", "membercluster", SHANGHAI])).toMatch(/ LEAVING .* DeletionPolicyMissing /s);
    const events = async () =>
      (
        await federation.api.list<KubeObject & { reason: string; note: string }>(collectionPath("Event", "default"))
      ).filter(({ reason }) => reason === "DeletionPolicyMissing");
    await eventually(async () => expect(await events()).toHaveLength(1));
    expect((await events())[0]?.note).toContain(`meridian unjoin ${SHANGHAI} --drain`);
    await federation.apply(demoApplication("shop").namespace(namespace).port(80).replica(2));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 2 });

    const { code, stdout, stderr } = await meridian(federation.hub, ["unjoin", SHANGHAI]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining("Left on") });
    expect(await marked(shanghai)).toEqual([]);
    await joinAgain(shanghai);
  });

  test("by deleting the MemberCluster of a cluster that is away stays, and goes when somebody agrees", async () => {
    const namespace = await place(SHOPS.slice(0, 3), SHANGHAI);
    const before = await lives(shanghai, namespace);
    await shanghai.plane.stop();
    try {
      await federation.untilMemberIs(SHANGHAI, "False");
      const { code, stderr } = await meridian(federation.hub, ["unjoin", SHANGHAI]);
      expect(code).toBe(1);
      expect(stderr).toContain("keep Meridian's marks");
    } finally {
      await shanghai.plane.start();
    }
    // One application is gone by then, one is of a later life, and one is wanted elsewhere.
    await federation.remove({ kind: "DemoApplication", metadata: { name: "shop-0", namespace } });
    await federation.remove({ kind: "DemoApplication", metadata: { name: "shop-1", namespace } });
    await federation.apply(placement("all").namespace(namespace).onClusters(FRANKFURT));
    await federation.apply(demoApplication("shop-1").namespace(namespace).port(80));
    await federation.join(shanghai);
    const events = async () =>
      (
        await federation.api.list<KubeObject & { reason: string; note: string }>(collectionPath("Event", "default"))
      ).filter(({ reason }) => reason === "FoundOnJoin");
    await eventually(async () => expect((await events()).length).toBe(1));
    await untilPlanned(SHANGHAI);
    expect(await lives(shanghai, namespace)).toEqual(before);
    await federation.manager.stop();
    await federation.startManager();
    await federation.untilMemberIs(SHANGHAI, "True");
    await untilPlanned(SHANGHAI);
    expect(await lives(shanghai, namespace)).toEqual(before);

    await federation.api.patch(objectPath("MemberCluster", undefined, SHANGHAI), "merge", {
      metadata: { annotations: { "federation.paas.cmft.com/remove-found": "true" } },
    });
    await eventually(async () =>
      expect(await shanghai.plane.api.list(collectionPath("Deployment", namespace))).toEqual([]),
    );
  });

  test("by unjoin --force without a manager has no mark either", async () => {
    const namespace = await place(SHOPS.slice(0, 2), SHANGHAI);
    const before = await lives(shanghai, namespace);
    await federation.manager.stop();
    const { code, stdout, stderr } = await meridian(federation.hub, ["unjoin", SHANGHAI, "--force"]);
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(stdout).toMatch(/\d+ objects released on shanghai-1/);
    expect(await marked(shanghai)).toEqual([]);
    await federation.startManager();
    await joinAgain(shanghai);
    await untilPlanned(SHANGHAI);
    // The application is still placed there, and the objects of that name are somebody else's now.
    await federation.untilEntry(namespace, "shop-0", SHANGHAI, { reason: "AlreadyExists" });
    expect(await lives(shanghai, namespace)).toEqual(before);
  });
});

describe("a namespace that Meridian made", () => {
  test("is not taken away, so that nothing is lost in it", async () => {
    const namespace = await place(["shop"], SHANGHAI);
    const { api } = shanghai.plane;
    await federation.remove({ kind: "DemoApplication", metadata: { name: "shop", namespace } });
    await eventually(async () => expect(await api.list(collectionPath("ConfigMap", namespace))).toHaveLength(1));
    await untilPlanned(SHANGHAI);
    await api.create(collectionPath("ConfigMap", namespace), configMap(namespace, "theirs", { a: "b" }));
    await untilPlanned(SHANGHAI);
    expect((await api.get(objectPath("Namespace", undefined, namespace))).metadata.deletionTimestamp).toBeUndefined();
    expect(await api.find(objectPath("ConfigMap", namespace, "theirs"))).toBeDefined();
  });
});

describe("uninstall --orphan", () => {
  test("leaves nothing that a later installation would take for its own", async () => {
    const namespace = await place(SHOPS, SHANGHAI, FRANKFURT);
    await federation.apply(clusterPlacement("everywhere"));
    const before = await Promise.all([shanghai, frankfurt].map((member) => lives(member, namespace)));
    const { code, output } = await uninstall(federation.hub, ["--orphan", "--yes"], federation.manager);
    expect({ code, output }).toMatchObject({ code: 0 });
    expect(await Promise.all([shanghai, frankfurt].map(marked))).toEqual([[], []]);
    await meridianOk(federation.hub, ["install"]);
    await federation.startManager();
    await joinAgain(shanghai);
    // There the namespace of that name is a hub's, too.
    await federation.join(frankfurt);
    await untilPlanned(SHANGHAI);
    expect(await Promise.all([shanghai, frankfurt].map((member) => lives(member, namespace)))).toEqual(before);
  });
});

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  CONTROLLER_CLASS_LABEL,
  crdNameOf,
  DEFAULT_CLASS,
  FEDERATION_API_VERSION,
  type KubeObject,
  type MemberCluster,
  REMOVE_FOUND_ANNOTATION,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { app, cluster, placement, planning } from "../../controllers/testing/planning.ts";
import {
  assembleRemovalFacts,
  assembleSnapshot,
  computeTarget,
  copiesToPlan,
  type HubState,
  leftBehind,
  type Observation,
  ownerRefOf,
  type ResolvedNeeds,
  type Row,
  step,
  type Target,
} from "../../desiredstate/index.ts";
import { kindTerms } from "../../hub/index.ts";
import { CRDS, MANIFESTBUNDLES, MEMBERCLUSTERS, SECRETS } from "../../runtime/index.ts";
import { PlannerHubState, put } from "./state/hubState.ts";

/** The manager's tables and what the planner has read are two states of one hub: both lead to the same rows. */

const NAMES = ["a", "b", "c"];
const APPS = ["shop", "cart"];
const [LONG_AGO, JOINED, LATER] = ["2025-01-01T00:00:00Z", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"];

interface Cluster {
  ready: boolean;
  joined: boolean;
  removeFound: boolean;
  leaving: "Drain" | "Orphan" | undefined;
  namespaces: readonly string[] | undefined;
}

interface Owner {
  /** Undefined: the object has no status. */
  record: string[] | undefined;
  reads: boolean;
  otherClass: boolean;
  agreed: boolean;
}

interface Copy {
  cluster: string;
  owner: number;
  kind: "Deployment" | "Secret" | "Database";
  createdAt: string;
  proven: boolean;
  deleting: boolean;
  state: "Available" | "Progressing";
}

interface Hub {
  clusters: Cluster[];
  owners: Owner[];
  copies: Copy[];
  placed: string[] | undefined;
  suspend: boolean;
  divided: boolean;
  hasSecret: boolean;
  /** The CRD of the clusters is being deleted. */
  kindGoes: boolean;
}

const some = fc.subarray(NAMES);
/** True, and now and then not; or the other way round. */
const mostly = fc.nat(5).map((roll) => roll !== 0);
const rarely = fc.nat(5).map((roll) => roll === 0);
const arbitraryHub: fc.Arbitrary<Hub> = fc.record({
  clusters: fc.tuple(
    ...NAMES.map(() =>
      fc.record({
        ready: mostly,
        joined: fc.boolean(),
        removeFound: rarely,
        leaving: fc.constantFrom(undefined, undefined, undefined, "Drain" as const, "Orphan" as const),
        namespaces: fc.constantFrom(undefined, undefined, ["default"], ["other"]),
      }),
    ),
  ),
  owners: fc.tuple(
    ...[...APPS, "operator"].map(() =>
      fc.record({
        record: fc.option(some, { nil: undefined, freq: 4 }),
        reads: mostly,
        otherClass: fc.boolean(),
        agreed: fc.boolean(),
      }),
    ),
  ),
  copies: fc.array(
    fc.record({
      cluster: fc.constantFrom(...NAMES),
      owner: fc.nat(2),
      kind: fc.constantFrom("Deployment" as const, "Secret" as const, "Database" as const),
      createdAt: fc.constantFrom(LONG_AGO, LATER),
      proven: mostly,
      deleting: rarely,
      state: fc.constantFrom("Available" as const, "Progressing" as const),
    }),
    { minLength: 2, maxLength: 12 },
  ),
  placed: fc.option(some, { nil: undefined, freq: 6 }),
  suspend: rarely,
  divided: fc.boolean(),
  hasSecret: mostly,
  kindGoes: rarely,
});

function memberOf(name: string, { ready, joined, removeFound, leaving, namespaces }: Cluster): KubeObject {
  const { metadata, ...rest } = cluster(name);
  const annotations = removeFound ? { annotations: { [REMOVE_FOUND_ANNOTATION]: "true" } } : {};
  const gone =
    leaving === undefined ? {} : { deletionTimestamp: LATER, finalizers: ["federation.paas.cmft.com/members"] };
  const spec = {
    connection: { local: {} },
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(leaving === undefined ? {} : { deletionPolicy: leaving }),
  };
  const condition = {
    type: "Ready",
    status: ready ? "True" : "False",
    reason: "X",
    message: "",
    lastTransitionTime: JOINED,
  };
  return {
    ...rest,
    metadata: { ...metadata, ...annotations, ...gone, creationTimestamp: joined ? JOINED : LONG_AGO },
    spec,
    status: { conditions: [condition] },
  };
}

function metadataOf(name: string, { otherClass, agreed }: Owner): KubeObject["metadata"] {
  return {
    name,
    namespace: "default",
    uid: `${name}-uid`,
    generation: 1,
    ...(otherClass ? { labels: { [CONTROLLER_CLASS_LABEL]: "canary" } } : {}),
    ...(agreed ? { annotations: { "federation.paas.cmft.com/allow-crd-removal": "*" } } : {}),
  };
}

function statusOf({ record }: Owner): object {
  if (record === undefined) return {};
  const replicas = { desired: 2, updated: 2, ready: 2, available: 2 };
  const clusters = record.map((name) => ({ name, state: "Available", replicas, desiredHash: "h", observedHash: "h" }));
  return { status: { observedGeneration: 1, clusters } };
}

function objectsOf({ owners }: Hub): KubeObject[] {
  const operator = owners.at(-1) as Owner;
  const apps = APPS.map((name, index) => {
    const owner = owners[index] as Owner;
    const spec = owner.reads ? { envFrom: [{ secretRef: { name: "password" } }] } : {};
    return { ...app(metadataOf(name, owner), spec), metadata: metadataOf(name, owner), ...statusOf(owner) };
  });
  const manifest = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings", namespace: "default" } };
  const bundle = {
    apiVersion: FEDERATION_API_VERSION,
    kind: "ManifestBundle",
    metadata: metadataOf("operator", operator),
    spec: { manifests: [manifest] },
    ...statusOf(operator),
  };
  return [...apps, bundle];
}

const SECRET: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "password", namespace: "default" },
  data: { password: "b2xk" },
};

/** One observation for each place. */
function observationsOf({ copies }: Hub, objects: readonly KubeObject[]): Observation[] {
  const found = new Map<string, Observation>();
  const API = { Deployment: "apps/v1", Secret: "v1", Database: "example.com/v1" };
  for (const { cluster: on, owner, kind, createdAt, proven, deleting, state } of copies) {
    const object = objects[owner] as KubeObject;
    const name = kind === "Secret" ? "password" : object.metadata.name;
    const ref = { apiVersion: API[kind], kind, namespace: "default", name };
    const counts = { desired: 2, updated: 2, ready: 2, available: state === "Available" ? 2 : 0 };
    const health = { state, ...(kind === "Deployment" ? { replicas: counts } : {}) };
    const present = { uid: `${on}-${kind}-${name}`, owner: ownerRefOf(object), createdAt, proven, deleting, health };
    found.set(`${on}/${refKey(ref)}`, { cluster: on, ref, present, writing: false, revision: 0 });
  }
  return [...found.values()];
}

function placementsOf({ placed, suspend, divided }: Hub): KubeObject[] {
  if (placed === undefined) return [];
  const scheduling = divided ? { mode: "Divided", strategy: "Weighted" } : { mode: "Duplicated" };
  const one = placement(placed, { ...(suspend ? { suspend } : {}), replicaScheduling: scheduling });
  const bundles = { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle" };
  const { resourceSelectors } = one["spec"] as { resourceSelectors: object[] };
  return [{ ...one, spec: { ...(one["spec"] as object), resourceSelectors: [...resourceSelectors, bundles] } }];
}

const crdOfClusters = ({ kindGoes }: Hub): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: {
    name: crdNameOf(MEMBERCLUSTERS),
    creationTimestamp: LONG_AGO,
    ...(kindGoes ? { deletionTimestamp: LATER, finalizers: ["customresourcecleanup.apiextensions.k8s.io"] } : {}),
  },
});

/** As the manager and the planner both go on from a state. */
function rowsIn(state: HubState, object: KubeObject, target: Target): Row[] {
  const observations = copiesToPlan(state, refKey(refOf(object)), target);
  const removal = assembleRemovalFacts(state, observations, leftBehind(target.owner));
  return step({ target, observations, removal }).rows;
}

const targetIn = (state: HubState, object: KubeObject, resolved: ResolvedNeeds, now: number): Target =>
  computeTarget(assembleSnapshot(state, object, resolved), now);

/** The rows of each object by the manager's tables: those of its first plan, while the other objects have theirs. */
async function byManager(hub: Hub, objects: readonly KubeObject[], copies: readonly Observation[]) {
  const all = await planning(
    { apps: objects.slice(0, APPS.length), placements: placementsOf(hub), clusters: NAMES },
    { classes: [DEFAULT_CLASS] },
  );
  const { server, settle, shared, cache, classes, observations, states, assignments, progress } = all;
  server.create(CRDS, crdOfClusters(hub));
  for (const one of objects.slice(APPS.length)) server.create(MANIFESTBUNDLES, one);
  if (hub.hasSecret) server.create(SECRETS, SECRET);
  for (const [index, name] of NAMES.entries()) {
    const { ready } = hub.clusters[index] as Cluster;
    server.delete(MEMBERCLUSTERS, undefined, name);
    server.create(MEMBERCLUSTERS, memberOf(name, hub.clusters[index] as Cluster));
    all.contact(name, { ok: ready, synced: ready });
    observations.report(
      name,
      copies.filter(({ cluster: on }) => on === name),
    );
  }
  await settle();
  for (const member of cache.clusters.list()) cache.kindDeletions.heldNow(MEMBERCLUSTERS, member.metadata);
  for (const owner of cache.owners()) progress.planned(owner);
  const owners = objects.map((object) => refKey(refOf(object)));
  const own = owners.filter((owner) => classes.of(cache.object(owner)?.object as KubeObject) === "Owned");
  for (const owner of own) all.resolved(owner);
  await settle();
  const now = cache.now();
  const planOf = (owner: string) => {
    const object = cache.object(owner)?.object as KubeObject;
    const target = targetIn(shared.hubState, object, all.resolved(owner) as ResolvedNeeds, now);
    return { object, target, rows: rowsIn(shared.hubState, object, target) };
  };
  const planned = new Map(own.map((owner) => [owner, planOf(owner)]));
  const rows = new Map<string, Row[]>();
  for (const owner of own) {
    for (const [other, plan] of planned) {
      const { uid } = plan.object.metadata;
      if (other === owner) states.dropPlan(other);
      else states.setPlan(other, { uid, generation: 1, target: plan.target, remaining: new Set(), ours: true });
      assignments.replace(other, other === owner ? [] : plan.rows);
    }
    rows.set(owner, planOf(owner).rows);
  }
  return { rows, now, clusters: cache.clusters.list(), stored: owners.map((owner) => cache.object(owner)?.object) };
}

interface Stored {
  clusters: readonly MemberCluster[];
  objects: readonly KubeObject[];
  now: number;
}

/** The same by what the planner reads of hub and members. */
function byPlanner(hub: Hub, { clusters, objects, now }: Stored, copies: readonly Observation[]): Map<string, Row[]> {
  const state = new PlannerHubState();
  state.hubId = "hub";
  put(state, { apiVersion: "v1", kind: "Namespace", metadata: { name: "default" } });
  for (const one of [...placementsOf(hub), ...clusters, ...objects]) put(state, one as KubeObject);
  if (hub.hasSecret) put(state, SECRET);
  state.kindTerms = new Map([
    [`${MEMBERCLUSTERS.group}/${MEMBERCLUSTERS.kind}`, kindTerms(MEMBERCLUSTERS, crdOfClusters(hub).metadata)],
  ]);
  const resolved = { dependencies: state.dependencies };
  for (const object of objects) {
    const owner = refKey(refOf(object));
    state.observe(
      owner,
      copies.filter(({ present }) => refKey(present?.owner ?? refOf(object)) === owner),
      true,
    );
  }
  const targets = new Map(objects.map((one) => [refKey(refOf(one)), targetIn(state, one, resolved, now)]));
  state.plan(targets);
  return new Map(
    objects.map((one) => {
      const owner = refKey(refOf(one));
      return [owner, rowsIn(state, one, targets.get(owner) as Target)];
    }),
  );
}

describe("the planner and the manager", () => {
  test.prop([arbitraryHub], { numRuns: 100 })("have the same rows for the same hub", async (hub) => {
    const objects = objectsOf(hub);
    const copies = observationsOf(hub, objects);
    const manager = await byManager(hub, objects, copies);
    const stored = { clusters: manager.clusters, objects: manager.stored as KubeObject[], now: manager.now };
    const planner = byPlanner(hub, stored, copies);
    for (const [owner, rows] of manager.rows) expect(planner.get(owner)).toEqual(rows);
  });
});

import type {
  ClusterStatusEntry,
  FederatedStatus,
  KubeObject,
  OverridePolicy,
  OverrideRule,
  OwnerRef,
  Placement,
  PlacementSpec,
} from "../../apis/index.ts";
import type { ClusterSnapshot } from "../../scheduler/index.ts";
import { ownerRefOf } from "../rows/marks.ts";
import { step } from "../rows/step.ts";
import { computeTarget } from "../target/target.ts";
import type { Observation, RemovalFacts, StepInput, Target } from "../types.ts";
import type { Snapshot } from "../snapshot.ts";

/** Values for the tests of targets and of steps towards them, and words to speak of them. */

export const NOW = 1_795_000_000_000;

/** The owner of copies that are another hub object's. */
export const other: OwnerRef = {
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  namespace: "default",
  name: "other",
  uid: "o",
};

const SELECTS_APPS = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" };

export function app(spec: object = {}, metadata: object = {}): KubeObject {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "nginx-demo", namespace: "default", uid: "11111111-1111-1111-1111-111111111111", ...metadata },
    spec: { replica: 2, image: "nginx:latest", ports: [{ port: 80, targetPort: 80, nodePort: 30002 }], ...spec },
  };
}

export function cluster(name: string, region: string, more: Partial<ClusterSnapshot> = {}): ClusterSnapshot {
  return {
    name,
    region,
    labels: { "topology.kubernetes.io/region": region },
    taints: [],
    deleting: false,
    local: false,
    ...more,
  };
}

export const shanghai = cluster("shanghai-1", "cn-shanghai");
export const singapore = cluster("singapore-1", "ap-southeast-1");
export const frankfurt = cluster("frankfurt-1", "eu-central-1");
export const hub = cluster("hub", "eu-central-1", { local: true });

export function placement(name: string, spec: Partial<PlacementSpec> = {}, metadata: object = {}): Placement {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "Placement",
    metadata: { name, namespace: "default", ...metadata },
    spec: {
      priority: 0,
      resourceSelectors: [SELECTS_APPS],
      replicaScheduling: { mode: "Duplicated" },
      dependencies: { mode: "Auto" },
      conflictResolution: "Abort",
      deletionPolicy: "Delete",
      suspend: false,
      ...spec,
    } as PlacementSpec,
  };
}

export function clusterPlacement(name: string, spec: Partial<PlacementSpec> = {}): Placement {
  const { metadata, ...rest } = placement(name, spec);
  return { ...rest, kind: "ClusterPlacement", metadata: { name: metadata.name } };
}

export function overrides(name: string, ...rules: OverrideRule[]): OverridePolicy {
  return {
    apiVersion: "federation.paas.cmft.com/v1alpha1",
    kind: "OverridePolicy",
    metadata: { name, namespace: "default" },
    spec: { resourceSelectors: [SELECTS_APPS], rules },
  };
}

export function inRegion(region: string): NonNullable<OverrideRule["targetClusters"]> {
  return { labelSelector: { matchLabels: { "topology.kubernetes.io/region": region } } };
}

/** The status of an object that runs on these clusters. */
export function running(
  names: readonly string[],
  more: Partial<FederatedStatus> = {},
  state: ClusterStatusEntry["state"] = "Available",
): FederatedStatus {
  const replicas = { desired: 7, updated: 7, ready: 7, available: 7 };
  return { clusters: names.map((name) => ({ name, state, replicas })), ...more };
}

export const placedBy = (name: string): Partial<FederatedStatus> => ({
  placement: { kind: "Placement", namespace: "default", name },
});

export function snapshot(more: Partial<Snapshot> = {}): Snapshot {
  return {
    object: app(),
    placements: [],
    overrides: [],
    clusters: [shanghai, singapore, frankfurt],
    dependencies: new Map(),
    hubId: "hub-uid",
    previous: undefined,
    ...more,
  };
}

export const targetOf = (more: Partial<Snapshot>): Target => computeTarget(snapshot(more), NOW);

/** `verb cluster kind/name` of each row of the first step towards the target. */
export function rows(target: Target): string[] {
  const { rows: first } = step(stepInput({ target }));
  return first.map(({ verb, cluster: name, ref }) => `${verb} ${name} ${ref.kind}/${ref.name}`);
}

export const verbs = (target: Target): string[] => [
  ...new Set(step(stepInput({ target })).rows.map(({ verb }) => verb)),
];
export const scheduled = ({ scheduled: { status, reason } }: Target): string => `${status} ${reason}`;
export const at = (target: Target, name: string, kind: string): KubeObject | undefined =>
  target.clusters.find((one) => one.name === name)?.objects.find(({ ref }) => ref.kind === kind)?.object;

/** The target as JSON, sets as sorted lists. */
export function goldenText(target: Target): string {
  const plain = (_key: string, value: unknown): unknown =>
    value instanceof Set ? [...(value as Set<string>)].sort() : value;
  return `${JSON.stringify(target, plain, 2)}\n`;
}

/** Every fact allows it. */
export function facts(more: Partial<RemovalFacts> = {}): RemovalFacts {
  const names = [shanghai, singapore, frankfurt, hub].map(({ name }) => name);
  return {
    owner: ownerRefOf(app()),
    policy: "Delete",
    cause: { reason: "NotSelected", message: "no policy selects the cluster" },
    hub: { synced: true, deletionsHeld: false, planned: true },
    ownership: "Ours",
    clusters: new Map(names.map((name) => [name, { synced: true }])),
    neededByOthers: new Set(),
    foundOnJoin: new Set(),
    othersCopies: new Set(),
    replacing: new Set(),
    ...more,
  };
}

export function stepInput(more: Partial<StepInput> = {}): StepInput {
  return { target: undefined, observations: [], removal: facts(), ...more };
}

/** A copy that is there, in the name of {@link app}. */
export function copy(
  cluster: string,
  kind: string,
  present: Partial<NonNullable<Observation["present"]>> = {},
  more: Partial<Observation> = {},
): Observation {
  const apiVersion = kind === "Deployment" ? "apps/v1" : "v1";
  return {
    cluster,
    ref: { apiVersion, kind, namespace: "default", name: "nginx-demo" },
    present: {
      uid: `${cluster}-${kind}`,
      hash: "an-older-hash",
      owner: ownerRefOf(app()),
      proven: true,
      deleting: false,
      health: { state: "Available" },
      ...present,
    },
    writing: false,
    revision: 1,
    ...more,
  };
}

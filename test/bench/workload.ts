import {
  FIRST_RECORD_ANNOTATION,
  HASH_ANNOTATION,
  HUB_VERSION_ANNOTATION,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  OBJECT_FINALIZER,
  OWNER_ANNOTATION,
  PAAS_GROUP,
} from "../../src/apis/index.ts";
import { demoApplication, overridePolicy, placement } from "../builders/index.ts";
import type { Deployment, Service } from "../e2e/objects.ts";
import type { MemberOptions } from "../envtest/index.ts";

/** What the bench federates: applications of one Deployment and one Service, different in each region. */

export const NAMESPACE = "bench";
export const FLOOR_NAMESPACE = "bench-floor";
export const FIRST_IMAGE = "nginx:1.27.0";
export const SECOND_IMAGE = "nginx:1.27.1";
/**
 * Applications of the round before the first measurement. Enough for most code to be compiled: after 60 the manager still needed a quarter
 * more CPU for a creation than after 300.
 */
export const WARM_UP = 200;

const REGIONS = [
  { region: "cn-shanghai", city: "shanghai", replicas: 5, env: [] },
  { region: "ap-southeast-1", city: "singapore", replicas: 3, env: [{ name: "REGION", value: "ap-southeast-1" }] },
  { region: "eu-central-1", city: "frankfurt", replicas: 2, env: [] },
] as const;

type Region = (typeof REGIONS)[number];

function regionOf(name: string): Region {
  const found = REGIONS.find(({ region }) => region === name);
  if (found === undefined) throw new Error(`the bench knows no region ${name}`);
  return found;
}

/** Members in the three regions, in turn. */
export function memberOptions(count: number): MemberOptions[] {
  return Array.from({ length: count }, (_, index) => {
    const { region, city } = REGIONS[index % REGIONS.length] as Region;
    const name = `${city}-${Math.floor(index / REGIONS.length) + 1}`;
    return { name, region, controllerManager: false, kubelet: false };
  });
}

export function applicationNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `app-${String(index).padStart(4, "0")}`);
}

export function application(namespace: string, name: string): KubeObject {
  return demoApplication(name)
    .namespace(namespace)
    .label("tier", "web")
    .replica(2)
    .image(FIRST_IMAGE)
    .port(80, { name: "http", targetPort: 8080 })
    .object();
}

/** The Placement and the OverridePolicy by region. */
export function policies(): KubeObject[] {
  let overrides = overridePolicy("by-region").namespace(NAMESPACE);
  for (const { region, replicas, env } of REGIONS) {
    overrides = overrides.inRegion(region, { replicas, ...(env.length === 0 ? {} : { env: [...env] }) });
  }
  const everywhere = placement("everywhere").namespace(NAMESPACE);
  return [everywhere.inRegions(...REGIONS.map(({ region }) => region)).object(), overrides.object()];
}

export function replicasIn(region: string): number {
  return regionOf(region).replicas;
}

/** Whether a member's Deployment is as the policies want it in that region. */
export function isRightDeployment({ spec }: Deployment, region: string, image: string): boolean {
  const { replicas, env } = regionOf(region);
  const [container] = spec.template.spec.containers;
  const isEnv = env.every(({ name, value }) => container.env?.some((one) => one.name === name && one.value === value));
  return spec.replicas === replicas && container.image === image && isEnv;
}

export function isRightService({ spec, metadata }: Service): boolean {
  return (
    spec.selector["app"] === metadata.name &&
    spec.ports.some(({ port, targetPort }) => port === 80 && targetPort === 8080)
  );
}

const HUB_ID = "5b0e8a64-58a9-4d3a-9d5e-1f5c4e0a7c11";
const HASH = "0123456789abcdef";

/** The bodies that the floors send: of the size and the shape of those that Meridian sends. */
export const floorBodies = {
  application: (name: string): string => JSON.stringify(application(FLOOR_NAMESPACE, name)),

  finalizer: (clusters: readonly string[]): string => {
    const annotations = { [FIRST_RECORD_ANNOTATION]: JSON.stringify({ clusters }) };
    return JSON.stringify({ metadata: { finalizers: [OBJECT_FINALIZER], annotations } });
  },
  noFinalizer: JSON.stringify({ metadata: { finalizers: null } }),
  deletion: (uid: string): string => JSON.stringify({ propagationPolicy: "Background", preconditions: { uid } }),
  image: (image: string): string => JSON.stringify({ spec: { image } }),

  deployment(name: string, regionName: string, image: string): string {
    const { replicas, env } = regionOf(regionName);
    const container = {
      name,
      image,
      ...(env.length === 0 ? {} : { env }),
      ports: [{ name: "http", containerPort: 8080 }],
    };
    return JSON.stringify({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: marked(name, "apps/Deployment"),
      spec: {
        replicas,
        selector: { matchLabels: { app: name } },
        template: { metadata: { labels: { app: name } }, spec: { containers: [container] } },
      },
    });
  },

  service(name: string): string {
    return JSON.stringify({
      apiVersion: "v1",
      kind: "Service",
      metadata: marked(name, "/Service"),
      spec: { type: "ClusterIP", selector: { app: name }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
    });
  },

  status(name: string, members: readonly Pick<MemberOptions, "name" | "region">[], generation: number): string {
    const now = `${new Date().toISOString().slice(0, 19)}Z`;
    const condition = (type: string, status: string, reason: string, message: string) => ({
      type,
      status,
      reason,
      message,
      observedGeneration: generation,
      lastTransitionTime: now,
    });
    const total = members.reduce((sum, { region }) => sum + replicasIn(region), 0);
    const all = `${members.length} of ${members.length} clusters`;
    const pending = "its controller has not seen the present generation yet";
    const none = `0 of ${members.length} clusters available; ${members[0]?.name}: ${pending}`;
    const names = members.map((member) => member.name).join(", ");
    return JSON.stringify({
      apiVersion: `${PAAS_GROUP}/v1`,
      kind: "DemoApplication",
      metadata: { name, namespace: FLOOR_NAMESPACE },
      status: {
        observedGeneration: generation,
        placement: { kind: "Placement", namespace: FLOOR_NAMESPACE, name: "everywhere" },
        availableClusters: `0/${members.length}`,
        selector: `app=${name}`,
        replicas: { desired: total, updated: 0, ready: 0, available: 0 },
        conditions: [
          condition("Scheduled", "True", "ClustersSelected", `${all} selected`),
          condition("Applied", "True", "AllClustersApplied", `${all} applied`),
          condition("Available", "False", "RolloutPending", none),
          condition("Progressing", "True", "RollingOut", `rolling out on ${names}`),
          condition("Fresh", "True", "AllClustersObserved", ""),
          condition("Ready", "False", "RolloutPending", none),
          condition("Validated", "True", "Valid", ""),
        ],
        clusters: members.map((member) => ({
          name: member.name,
          region: member.region,
          state: "Progressing",
          reason: "RolloutPending",
          message: pending,
          overrides: ["OverridePolicy/by-region"],
          replicas: { desired: replicasIn(member.region), updated: 0, ready: 0, available: 0 },
          desiredHash: HASH,
          observedHash: HASH,
          observedAt: now,
        })),
      },
    });
  },
};

/** The metadata of a member object of `type` (`apps/Deployment`), with marks of the size of Meridian's. */
function marked(name: string, type: string): KubeObject["metadata"] {
  const owner = {
    apiVersion: `${PAAS_GROUP}/v1`,
    kind: "DemoApplication",
    name,
    namespace: FLOOR_NAMESPACE,
    uid: HUB_ID,
  };
  return {
    name,
    namespace: FLOOR_NAMESPACE,
    labels: { tier: "web", app: name, [MANAGED_BY_LABEL]: HUB_ID },
    annotations: {
      [OWNER_ANNOTATION]: JSON.stringify(owner),
      [OBJECT_ANNOTATION]: `${type}/${FLOOR_NAMESPACE}/${name}`,
      [HASH_ANNOTATION]: HASH,
      [HUB_VERSION_ANNOTATION]: "12020",
    },
  };
}

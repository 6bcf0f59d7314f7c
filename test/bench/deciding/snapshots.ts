import {
  type KubeObject,
  type OverridePolicy,
  parseObject,
  type Placement,
  REGION_LABEL,
} from "../../../src/apis/index.ts";
import type { Snapshot } from "../../../src/desiredstate/index.ts";
import type { ClusterSnapshot } from "../../../src/scheduler/types.ts";
import { clusterOverridePolicy, clusterPlacement, demoApplication } from "../../builders/index.ts";

const REGIONS = 10;
const ZONES = 3;
const PROVIDERS = ["alpha", "beta"] as const;

/**
 * What a large company might have: as many applications as clusters, in ten regions of a tenth of the clusters each. Every application
 * runs in all clusters of its region, and twelve override policies match it. The same values every time.
 */
export function* snapshots(objects: number, clusters: number): Generator<Snapshot> {
  const shared = {
    placements: Array.from({ length: REGIONS }, (_, region) => parsed<Placement>(placementOf(region))),
    overrides: overridePolicies().map((policy) => parsed<OverridePolicy>(policy)),
    clusters: Array.from({ length: clusters }, (_, index) => clusterAt(index)),
    dependencies: new Map<string, KubeObject>(),
    hubId: "5b0e8a64-58a9-4d3a-9d5e-1f5c4e0a7c11",
  };
  const running = Array.from(
    { length: REGIONS },
    (_, region) => new Set(shared.clusters.filter((one) => one.region === regionName(region)).map(({ name }) => name)),
  );
  for (let index = 0; index < objects; index++) {
    const region = index % REGIONS;
    yield {
      ...shared,
      object: parsed<KubeObject>(applicationAt(index, region)),
      previous: undefined,
      running: running[region] ?? new Set(),
    };
  }
}

function regionName(region: number): string {
  return `region-${region}`;
}

function clusterAt(index: number): ClusterSnapshot {
  const region = regionName(index % REGIONS);
  const zone = `${region}-${Math.floor(index / REGIONS) % ZONES}`;
  const provider = PROVIDERS[Math.floor(index / REGIONS) % PROVIDERS.length] as string;
  return {
    name: `cluster-${String(index).padStart(4, "0")}`,
    labels: { [REGION_LABEL]: region, "topology.kubernetes.io/zone": zone, "example.com/stage": "production" },
    provider,
    region,
    zone,
    taints: index % 20 === 0 ? [{ key: "edge", value: "true", effect: "NoSchedule" }] : [],
    deleting: false,
    local: false,
  };
}

function applicationAt(index: number, region: number): KubeObject {
  const object = demoApplication(`app-${String(index).padStart(4, "0")}`)
    .label("region", regionName(region))
    .label("tier", "web")
    .replica(2)
    .image(`registry.example.com/shop/app-${index}:1.27.0`)
    .port(80, { name: "http", targetPort: 8080 })
    .env("LOG_LEVEL", "info")
    .requests({ cpu: "100m", memory: "128Mi" })
    .object();
  return {
    ...object,
    metadata: { ...object.metadata, uid: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}` },
  };
}

function placementOf(region: number): KubeObject {
  return clusterPlacement(regionName(region))
    .selects({
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      labelSelector: { matchLabels: { region: regionName(region) } },
    })
    .inRegions(regionName(region))
    .tolerates({ key: "edge", operator: "Exists" })
    .object();
}

/** Twelve that select every application: six by region, three by zone, two by provider, one for all clusters. */
function overridePolicies(): KubeObject[] {
  const regions = Array.from({ length: REGIONS }, (_, region) => regionName(region));
  const byRegion = [
    (region: string) => ({ labels: { region } }),
    (region: string) => ({ annotations: { "example.com/owner": `sre-${region}` } }),
    (region: string) => ({ env: [{ name: "REGION", value: region }] }),
    (region: string) => ({ image: { registry: `${region}.registry.example.com` } }),
    (_region: string, index: number) => ({ replicas: 2 + (index % 4) }),
    (region: string) => ({ args: [`--region=${region}`] }),
  ].map((rule, index) => {
    const policy = clusterOverridePolicy(`region-${index}`);
    return regions.reduce((built, region, at) => built.inRegion(region, rule(region, at)), policy).object();
  });
  const byZone = [0, 1, 2].map((zone) => {
    const zones = regions.map((region) => `${region}-${zone}`);
    return clusterOverridePolicy(`zone-${zone}`)
      .rule({
        targetClusters: {
          labelSelector: {
            matchExpressions: [{ key: "topology.kubernetes.io/zone", operator: "In", values: zones }],
          },
        },
        env: [{ name: "ZONE", value: String(zone) }],
      })
      .object();
  });
  const byProvider = PROVIDERS.map((provider) =>
    clusterOverridePolicy(`provider-${provider}`)
      .rule({
        targetClusters: {
          fieldSelector: { matchExpressions: [{ key: "provider", operator: "In", values: [provider] }] },
        },
        patches: [
          { kind: "Deployment", op: "add", path: "/spec/template/spec/terminationGracePeriodSeconds", value: 45 },
        ],
      })
      .object(),
  );
  const everywhere = clusterOverridePolicy("stage")
    .rule({ labels: { stage: "production" } })
    .object();
  return [...byRegion, ...byZone, ...byProvider, everywhere];
}

/** As the API server would store it. Throws when it would refuse it: the bench would decide about what cannot be. */
function parsed<T>(object: KubeObject): T {
  const result = parseObject(object);
  if (!result.ok) throw new Error(`${object.metadata.name}: ${JSON.stringify(result.problems)}`);
  return result.object as unknown as T;
}

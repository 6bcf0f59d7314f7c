import {
  FEDERATION_API_VERSION,
  type FederatedStatus,
  HASH_ANNOTATION,
  hashOf,
  type KubeObject,
} from "../../../src/apis/index.ts";
import { bundle, placement } from "../../builders/index.ts";
import type { DataObject, Deployment } from "../../e2e/objects.ts";
import { NAMESPACE } from "../workload.ts";

/** What the bench federates beside applications: objects that are sent as they are, and bundles. */
export interface KindWorkload {
  title: string;
  /** Of what a person writes on the hub. */
  apiVersion: string;
  kind: string;
  /** Where decision and status stand. */
  told: { apiVersion: string; kind: string; name: (name: string) => string };
  object: (namespace: string, name: string, version: number) => KubeObject;
  /** What a person patches to have another version. */
  change: (name: string, version: number) => object;
  /** What an object is on a member, by phase: those of one phase go there together, and leave in the opposite order. */
  copies: (namespace: string, name: string, version: number) => KubeObject[][];
  /** What of {@link copies} is not the same in another version. */
  changes: readonly string[];
  /** Whether an object of a member is of that version. */
  isRight: (copy: KubeObject, version: number) => boolean;
  /** Whether the status speaks of what the members have now; `copies` are those on each member. */
  isTold: (object: KubeObject, status: FederatedStatus | undefined, copies: readonly KubeObject[]) => boolean;
}

const settings = (namespace: string, name: string, version: number): DataObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, namespace, labels: { tier: "web" } },
  data: { version: String(version), "app.properties": `name=${name}\nlevel=info\npool=16\ntimeout=30s\n`.repeat(4) },
});

const workload = (namespace: string, name: string, version: number): KubeObject => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels: { app: name } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: {
        containers: [
          { name, image: imageOf(version), envFrom: [{ configMapRef: { name } }], ports: [{ containerPort: 8080 }] },
        ],
      },
    },
  },
});

const address = (namespace: string, name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name, namespace, labels: { app: name } },
  spec: { type: "ClusterIP", selector: { app: name }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
});

function imageOf(version: number): string {
  return `nginx:1.27.${version}`;
}

/** One ConfigMap for each, chosen by its label: it is sent as it is, and its status stands in its binding. */
export const CONFIG_MAPS: KindWorkload = {
  title: "ConfigMaps",
  apiVersion: "v1",
  kind: "ConfigMap",
  told: { apiVersion: FEDERATION_API_VERSION, kind: "ResourceBinding", name: (name) => `configmap.${name}` },
  object: settings,
  change: (_, version) => ({ data: { version: String(version) } }),
  copies: (namespace, name, version) => [[settings(namespace, name, version)]],
  changes: ["ConfigMap"],
  isRight: (copy, version) => (copy as DataObject).data?.["version"] === String(version),
  // A ConfigMap has no generation: what the status speaks of, its hashes say.
  isTold: (_, status, copies) => {
    const there = new Set(copies.map(({ metadata }) => hashOf([metadata.annotations?.[HASH_ANNOTATION]])));
    const told = status?.clusters ?? [];
    const isOfNow =
      told.length === copies.length &&
      told.every(({ observedHash }) => observedHash !== undefined && there.has(observedHash));
    return isApplied(status) !== undefined && isOfNow;
  },
};

/** One bundle for each, of a ConfigMap, a Deployment and a Service. */
export const BUNDLES: KindWorkload = {
  title: "bundles",
  apiVersion: FEDERATION_API_VERSION,
  kind: "ManifestBundle",
  told: { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", name: (name) => name },
  object: (namespace, name, version) => bundle(name, manifests(name, version), { namespace }),
  change: (name, version) => ({ spec: { manifests: manifests(name, version) } }),
  copies: (namespace, name, version) => [
    [settings(namespace, name, 0)],
    [address(namespace, name), workload(namespace, name, version)],
  ],
  changes: ["Deployment"],
  isRight: (copy, version) =>
    copy.kind !== "Deployment" || (copy as Deployment).spec.template.spec.containers[0].image === imageOf(version),
  isTold: ({ metadata }, status) => isApplied(status) === metadata.generation,
};

function manifests(name: string, version: number): KubeObject[] {
  const all = [settings("", name, 0), address("", name), workload("", name, version)];
  return all.map(({ metadata: { namespace: _, ...metadata }, ...rest }) => ({ ...rest, metadata }) as KubeObject);
}

/** The generation of which the status says that it is applied everywhere; 0 where the kind has none. */
function isApplied(status: FederatedStatus | undefined): number | undefined {
  const applied = status?.conditions?.find(({ type }) => type === "Applied");
  return applied?.status === "True" ? (applied.observedGeneration ?? 0) : undefined;
}

/** The Placement on all members. */
export function placementOf({ apiVersion, kind }: KindWorkload): KubeObject {
  const chosen = kind === "ConfigMap" ? { labelSelector: { matchLabels: { tier: "web" } } } : {};
  return placement("kinds")
    .namespace(NAMESPACE)
    .selects({ apiVersion, kind, ...chosen })
    .object();
}

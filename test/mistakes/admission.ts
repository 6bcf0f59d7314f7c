import type { KubeObject } from "../../src/apis/index.ts";
import type { Mistake } from "./types.ts";

/** A mistake in what is applied or deleted with kubectl; the hub answers. */
export interface KubectlMistake extends Mistake {
  /** Applied, or for `delete` there already. */
  object: KubeObject;
  verb?: "delete";
  /** The answer is this one only while an application with node port 30777 runs on the member m1. */
  besideFirst?: true;
}

const APPLICATIONS = [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }];

/** An application of the namespace `shop`, where a Placement is, unless told. */
function application(spec: object, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "web", namespace: "shop", ...metadata },
    spec: { image: "nginx:1.27", ...spec },
  };
}

function policy(kind: string, spec: object): KubeObject {
  const metadata = {
    name: "mine",
    ...(kind.startsWith("Cluster") || kind === "MemberCluster" ? {} : { namespace: "shop" }),
  };
  return { apiVersion: "federation.paas.cmft.com/v1alpha1", kind, metadata, spec };
}

const placement = (spec: object) => policy("Placement", { resourceSelectors: APPLICATIONS, ...spec });
const selecting = (selector: object) => policy("Placement", { resourceSelectors: [selector] });
const override = (rule: object) => policy("OverridePolicy", { resourceSelectors: APPLICATIONS, rules: [rule] });

const applications: KubectlMistake[] = [
  {
    mistake: "more replicas than the namespace may have",
    object: application({ replica: 101 }),
    what: /101 is not within 1 to 100/,
    where: /spec\.replica:/,
    next: /set it to 100 or less, or let the platform widen/,
  },
  {
    mistake: "an image that is none",
    object: application({ image: "Nginx Latest" }),
    what: /must be an image/,
    where: /spec\.image:/,
    next: /such as registry\.example\.com/,
  },
  {
    mistake: "a name that cannot be a Service's",
    object: application({}, { name: "1-web" }),
    what: /must be at most 63 lower-case letters/,
    where: /metadata\.name:/,
    next: /begin with a letter/,
  },
  {
    mistake: "a number of replicas that is a word",
    object: application({ replica: "two" }),
    what: /is a string/,
    where: /spec\.replica:/,
    next: /must be a number/,
  },
  {
    mistake: "no image",
    object: application({ image: undefined }),
    what: /is missing/,
    where: /spec\.image:/,
    next: /give a string/,
  },
  {
    mistake: "one node port twice",
    object: application({
      ports: [
        { name: "a", port: 80, nodePort: 30_100 },
        { name: "b", port: 81, nodePort: 30_100 },
      ],
    }),
    what: /may be there only once/,
    where: /spec\.ports: every nodePort/,
    next: /choose another or remove it/,
  },
  {
    mistake: "a node port that another application has there",
    besideFirst: true,
    object: application({ ports: [{ port: 80, nodePort: 30_777 }] }),
    what: /30777\/TCP is taken/,
    where: /spec\.ports\[0\]\.nodePort: .* on cluster m1 by DemoApplication shop\/first/,
    next: /choose another, or remove it and let each cluster choose/,
  },
  {
    mistake: "a mount of a volume that is not there",
    object: application({ volumeMounts: [{ name: "data", mountPath: "/data" }] }),
    what: /every name must be the name of an entry of volumes/,
    where: /spec\.volumeMounts:/,
    next: /add that entry or correct the name/,
  },
  {
    mistake: "a request above its limit",
    object: application({ resources: { requests: { memory: "2Gi" }, limits: { memory: "1Gi" } } }),
    what: /no request may be above its limit/,
    where: /spec\.resources\.requests:/,
    next: /lower them, or raise the limits/,
  },
  {
    mistake: "a class of controllers with a capital",
    object: application({}, { labels: { "federation.paas.cmft.com/controller-class": "V2" } }),
    what: /V2 is no class/,
    where: /metadata\.labels\[federation\.paas\.cmft\.com\/controller-class\]/,
    next: /looks like v2/,
  },
  {
    mistake: "to delete what is protected",
    verb: "delete",
    object: application(
      {},
      { name: "kept", namespace: "blog", labels: { "paas.cmft.com/deletion-protection": "true" } },
    ),
    what: /protects DemoApplication kept from deletion/,
    where: /metadata\.labels\[paas\.cmft\.com\/deletion-protection\]/,
    next: /kubectl label demoapplication kept -n blog paas\.cmft\.com\/deletion-protection-/,
  },
];

const policies: KubectlMistake[] = [
  {
    mistake: "a tenant's Placement for another namespace",
    object: selecting({ ...APPLICATIONS[0], namespace: "blog" }),
    what: /selects nothing in blog/,
    where: /spec\.resourceSelectors\[0\]\.namespace:/,
    next: /remove the field, or let the platform write a ClusterPlacement/,
  },
  {
    mistake: "a tenant's Placement for what belongs to no namespace",
    object: selecting({ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" }),
    what: /ClusterRole belongs to no namespace/,
    where: /spec\.resourceSelectors\[0\]\.kind:/,
    next: /let the platform write a ClusterPlacement/,
  },
  {
    mistake: "a version that the hub does not serve",
    object: selecting({ apiVersion: "apps/v1beta1", kind: "Deployment" }),
    what: /does not serve Deployment in apps\/v1beta1/,
    where: /spec\.resourceSelectors\[0\]\.apiVersion:/,
    next: /write apps\/v1/,
  },
  {
    mistake: "a kind of which the hub has no CRD",
    object: selecting({ apiVersion: "example.com/v1", kind: "Gadget" }),
    what: /serves no Gadget of example\.com\/v1/,
    where: /spec\.resourceSelectors\[0\]\.kind:/,
    next: /check the spelling, or install its CRD/,
  },
  {
    mistake: "a kind in the wrong group",
    object: selecting({ apiVersion: "v1", kind: "Deployment" }),
    what: /serves no Deployment of v1/,
    where: /spec\.resourceSelectors\[0\]\.kind:/,
    next: /did you mean apiVersion apps\/v1\?/,
  },
  {
    mistake: "weights without dividing",
    object: placement({
      replicaScheduling: { mode: "Duplicated", weights: [{ targetClusters: { clusterNames: ["m1"] }, weight: 2 }] },
    }),
    what: /count only where replicas are divided by weight/,
    where: /spec\.replicaScheduling\.weights:/,
    next: /remove them, or set mode to Divided and strategy to Weighted/,
  },
  {
    mistake: "a mode that there is not",
    object: placement({ replicaScheduling: { mode: "Split" } }),
    what: /must be one of/,
    where: /spec\.replicaScheduling\.mode:/,
    next: /Duplicated, Divided/,
  },
  {
    mistake: "a duration that is none",
    object: placement({ failover: { gracePeriod: "soon" } }),
    what: /must be a duration/,
    where: /spec\.failover\.gracePeriod:/,
    next: /such as/,
  },
  {
    mistake: "one cluster twice",
    object: placement({ clusterAffinities: [{ name: "a", clusterNames: ["m1", "m1"] }] }),
    what: /"m1" is there twice/,
    where: /spec\.clusterAffinities\[0\]\.clusterNames\[1\]:/,
    next: /remove one/,
  },
];

const overrides: KubectlMistake[] = [
  {
    mistake: "an override of the name",
    object: override({ patches: [{ op: "replace", path: "/metadata/name", value: "other" }] }),
    what: /may not change what an object is called/,
    where: /spec\.rules\[0\]\.patches\[0\]\.path:/,
    next: /choose another path/,
  },
  {
    mistake: "an override of Meridian's own label",
    object: override({ patches: [{ op: "remove", path: "/metadata/labels/federation.paas.cmft.com~1managed-by" }] }),
    what: /is protected: Meridian knows its objects by it/,
    where: /spec\.rules\[0\]\.patches\[0\]\.path:/,
    next: /use a key of your own/,
  },
  {
    mistake: "an override of the selector",
    object: override({ patches: [{ op: "add", path: "/spec/selector/app", value: "x" }] }),
    what: /is protected: the application finds its pods by it/,
    where: /spec\.rules\[0\]\.patches\[0\]\.path:/,
    next: /add a label of your own with rules\[\]\.labels/,
  },
  {
    mistake: "an override beyond the bounds of the namespace",
    object: override({ replicas: 500 }),
    what: /500 is not within 1 to 100/,
    where: /spec\.rules\[0\]\.replicas:/,
    next: /set it to 100 or less/,
  },
  {
    mistake: "a patch without its value",
    object: override({ patches: [{ op: "add", path: "/spec/replicas" }] }),
    what: /op add needs a value/,
    where: /spec\.rules\[0\]\.patches\[0\]\.value:/,
    next: /give one, or use op remove/,
  },
  {
    mistake: "a patch whose path has dots",
    object: override({ patches: [{ op: "replace", path: "spec.replicas", value: 3 }] }),
    what: /must be a JSON pointer/,
    where: /spec\.rules\[0\]\.patches\[0\]\.path:/,
    next: /such as \/spec\/type/,
  },
];

const clusters: KubectlMistake[] = [
  {
    mistake: "a MemberCluster with no connection",
    object: policy("MemberCluster", { connection: {} }),
    what: /exactly one of/,
    where: /spec\.connection:/,
    next: /give .* kubeconfigSecretRef, local and pull/,
  },
  {
    mistake: "a taint with an effect that there is not",
    object: policy("MemberCluster", { connection: { pull: {} }, taints: [{ key: "a", effect: "Never" }] }),
    what: /must be one of/,
    where: /spec\.taints\[0\]\.effect:/,
    next: /NoSchedule, PreferNoSchedule, NoExecute/,
  },
  {
    mistake: "to delete a member on which something runs",
    verb: "delete",
    besideFirst: true,
    object: { ...policy("MemberCluster", {}), metadata: { name: "m1" } },
    what: /DemoApplications .*shop\/first.* are placed on m1/,
    where: /spec\.deletionPolicy:/,
    next: /set it to Drain .* or Orphan .*meridian unjoin m1/,
  },
];

export const KUBECTL_MISTAKES: readonly KubectlMistake[] = [...applications, ...policies, ...overrides, ...clusters];

import { type z } from "zod";
import { type Conversion, V1BETA1_CONVERSION } from "../conversion/index.ts";
import {
  demoApplicationSpec,
  demoApplicationSpecV1beta1,
  federatedStatus,
  manifestBundleSpec,
  memberClusterSpec,
  memberClusterStatus,
  overridePolicySpec,
  placementSpec,
  policyStatus,
  resourceBindingSpec,
} from "../kinds/index.ts";
import { DNS_LABEL, type Rule, SERVICE_NAME } from "../schema/index.ts";
import { CORDON_TAINT, DRAIN_TAINT, FEDERATION_GROUP, FEDERATION_VERSION, PAAS_GROUP } from "../metadata/index.ts";

export interface PrinterColumn {
  name: string;
  type: "string" | "integer" | "boolean" | "date";
  jsonPath: string;
  description?: string;
  /** 1: only with `-o wide`. */
  priority?: number;
}

/** CEL can read only the name of the metadata. A violation names it unless the rule has a `field`. */
export type ObjectRule = Rule<{ metadata: { name: string } }>;

export interface KindVersion {
  name: string;
  spec: z.ZodType;
  status: z.ZodType;
  columns: PrinterColumn[];
  rules?: ObjectRule[];
  selectableFields?: string[];
}

/** Objects are read and written, but never stored in it. */
export interface ConvertedVersion extends KindVersion {
  conversion: Conversion;
}

export interface KindDefinition {
  group: string;
  kind: string;
  plural: string;
  singular: string;
  shortNames: string[];
  categories: string[];
  namespaced: boolean;
  description: string;
  /** The others convert to each other through the first one. */
  versions: readonly [stored: KindVersion, ...others: ConvertedVersion[]];
  scale?: { specReplicasPath: string; statusReplicasPath: string; labelSelectorPath: string };
}

const AGE: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

function conditionField(type: string, field: "status" | "reason" | "message"): string {
  return `.status.conditions[?(@.type=="${type}")].${field}`;
}

function conditionStatus(type: string): string {
  return conditionField(type, "status");
}

const RUNS: PrinterColumn = {
  name: "Runs",
  type: "string",
  jsonPath: ".status.runs.summary",
  description: "The image that the clusters run; where some run what is not wanted there, that and on how many",
};

const applicationName: ObjectRule = {
  rule: `size(self.metadata.name) <= 63 && self.metadata.name.matches('${SERVICE_NAME.source}')`,
  message:
    "metadata.name: must be at most 63 lower-case letters, digits and '-', and begin with a letter; the Service has the same name",
  holds: ({ metadata: { name } }) => name.length <= 63 && SERVICE_NAME.test(name),
};

const clusterNameRule: ObjectRule = {
  rule: `size(self.metadata.name) <= 63 && self.metadata.name.matches('${DNS_LABEL.source}')`,
  message: "metadata.name: must be at most 63 lower-case letters, digits and '-'",
  holds: ({ metadata: { name } }) => name.length <= 63 && DNS_LABEL.test(name),
};

/** Such a policy selects only in its own namespace. */
const ownNamespaceOnly: ObjectRule = {
  rule: "!self.spec.resourceSelectors.exists(selector, has(selector.namespaceSelector))",
  message:
    "remove namespaceSelector; it is for ClusterPlacement and ClusterOverridePolicy, and this policy selects in its own namespace only",
  field: "spec.resourceSelectors",
  holds: ({ spec }: { metadata: object; spec?: { resourceSelectors?: readonly { namespaceSelector?: unknown }[] } }) =>
    spec?.resourceSelectors?.some(({ namespaceSelector }) => namespaceSelector !== undefined) !== true,
};

const replicaColumns: readonly PrinterColumn[] = [
  {
    name: "Desired",
    type: "integer",
    jsonPath: ".status.replicas.desired",
    description: "Replicas over all clusters",
  },
  { name: "Ready", type: "integer", jsonPath: ".status.replicas.ready", description: "Replicas over all clusters" },
  {
    name: "Clusters",
    type: "string",
    jsonPath: ".status.availableClusters",
    description: "Clusters where it is available, of those that should run it",
  },
];

const reasonColumn: PrinterColumn = {
  name: "Reason",
  type: "string",
  jsonPath: conditionField("Ready", "reason"),
  description: "Why it is ready, or is not",
  priority: 1,
};

const applicationVersion = {
  status: federatedStatus,
  rules: [applicationName],
  columns: [
    { name: "Image", type: "string", jsonPath: ".spec.image" },
    RUNS,
    ...replicaColumns,
    { name: "Available", type: "string", jsonPath: conditionStatus("Available") },
    reasonColumn,
    { name: "Placement", type: "string", jsonPath: ".status.placement.name", priority: 1 },
    {
      name: "Stale",
      type: "integer",
      jsonPath: ".status.staleReplicas.ready",
      description: "Of the ready replicas, those of clusters without contact",
      priority: 1,
    },
    { name: "Message", type: "string", jsonPath: conditionField("Ready", "message"), priority: 1 },
    AGE,
  ],
} satisfies Omit<KindVersion, "name" | "spec">;

const bundleVersion: KindVersion = {
  name: FEDERATION_VERSION,
  spec: manifestBundleSpec,
  status: federatedStatus,
  // A bundle has no single image and no replicas of its own, so these columns are left out.
  columns: applicationVersion.columns.filter(({ name }) => !["Image", "Desired", "Ready", "Stale"].includes(name)),
};

const policyColumns: PrinterColumn[] = [
  { name: "Matched", type: "integer", jsonPath: ".status.matchedObjects", description: "Objects that it applies to" },
  { name: "Ready", type: "string", jsonPath: conditionStatus("Ready") },
  { name: "Reason", type: "string", jsonPath: conditionField("Ready", "reason") },
  { name: "Message", type: "string", jsonPath: conditionField("Ready", "message"), priority: 1 },
  { name: "Error", type: "string", jsonPath: ".status.lastError", priority: 1 },
  AGE,
];

const placementVersion: KindVersion = {
  name: FEDERATION_VERSION,
  spec: placementSpec,
  status: policyStatus,
  selectableFields: [".spec.suspend"],
  columns: [
    { name: "Mode", type: "string", jsonPath: ".spec.replicaScheduling.mode" },
    { name: "Priority", type: "integer", jsonPath: ".spec.priority" },
    { name: "Suspended", type: "boolean", jsonPath: ".spec.suspend" },
    ...policyColumns,
  ],
};

const overrideVersion: KindVersion = {
  name: FEDERATION_VERSION,
  spec: overridePolicySpec,
  status: policyStatus,
  columns: policyColumns,
};

const bindingVersion: KindVersion = {
  name: FEDERATION_VERSION,
  spec: resourceBindingSpec,
  status: federatedStatus,
  columns: [
    { name: "Kind", type: "string", jsonPath: ".spec.resource.kind" },
    { name: "Resource", type: "string", jsonPath: ".spec.resource.name" },
    RUNS,
    ...replicaColumns,
    { name: "Healthy", type: "string", jsonPath: conditionStatus("Ready") },
    reasonColumn,
    { name: "Message", type: "string", jsonPath: conditionField("Ready", "message"), priority: 1 },
    AGE,
  ],
};

const federation = { group: FEDERATION_GROUP, categories: ["meridian"] };

export const KINDS: readonly KindDefinition[] = [
  {
    group: PAAS_GROUP,
    kind: "DemoApplication",
    plural: "demoapplications",
    singular: "demoapplication",
    shortNames: ["demo"],
    categories: ["meridian", "all"],
    namespaced: true,
    description: "A web service: a Deployment and a Service, in every cluster that a Placement chooses for it.",
    versions: [
      // The two versions must differ in selectableFields. The server moves a list that all versions share to the CRD as
      // a whole, and refuses selectableFields on the CRD while the schemas differ.
      {
        name: "v1",
        spec: demoApplicationSpec,
        ...applicationVersion,
        selectableFields: [".spec.image", ".spec.serviceType"],
      },
      {
        name: "v1beta1",
        spec: demoApplicationSpecV1beta1,
        ...applicationVersion,
        selectableFields: [".spec.image"],
        conversion: V1BETA1_CONVERSION,
      },
    ],
    scale: {
      specReplicasPath: ".spec.replica",
      statusReplicasPath: ".status.replicas.ready",
      labelSelectorPath: ".status.selector",
    },
  },
  {
    ...federation,
    kind: "MemberCluster",
    plural: "memberclusters",
    singular: "membercluster",
    shortNames: ["mc"],
    namespaced: false,
    description: "A cluster that can run what the hub holds, and how it is reached.",
    versions: [
      {
        name: FEDERATION_VERSION,
        spec: memberClusterSpec,
        status: memberClusterStatus,
        rules: [clusterNameRule],
        selectableFields: [".spec.provider"],
        columns: [
          { name: "Region", type: "string", jsonPath: ".metadata.labels.topology\\.kubernetes\\.io/region" },
          { name: "Ready", type: "string", jsonPath: conditionStatus("Ready") },
          { name: "Reason", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].reason' },
          { name: "Version", type: "string", jsonPath: ".status.kubernetesVersion" },
          {
            name: "Leaving",
            type: "string",
            jsonPath: '.status.conditions[?(@.type=="Removed")].reason',
            description: "What the deletion of the MemberCluster is at",
          },
          {
            name: "Cordoned",
            type: "date",
            jsonPath: `.spec.taints[?(@.key=="${CORDON_TAINT}")].timeAdded`,
            description: "Since when nothing new is placed on the cluster",
          },
          {
            name: "Draining",
            type: "date",
            jsonPath: `.spec.taints[?(@.key=="${DRAIN_TAINT}")].timeAdded`,
            description: "Since when what runs on the cluster moves to other clusters",
          },
          { name: "Provider", type: "string", jsonPath: ".spec.provider", priority: 1 },
          { name: "Zone", type: "string", jsonPath: ".metadata.labels.topology\\.kubernetes\\.io/zone", priority: 1 },
          { name: "Latency", type: "string", jsonPath: ".status.latency", priority: 1 },
          { name: "Nodes", type: "integer", jsonPath: ".status.capacity.nodes", priority: 1 },
          { name: "Message", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
          {
            name: "Deletion",
            type: "string",
            jsonPath: '.status.conditions[?(@.type=="Removed")].message',
            description: "What the deletion of the MemberCluster waits for",
            priority: 1,
          },
          AGE,
        ],
      },
    ],
  },
  {
    ...federation,
    kind: "Placement",
    plural: "placements",
    singular: "placement",
    shortNames: ["pl"],
    namespaced: true,
    description: "Says which clusters run the objects of its namespace that it selects, and how.",
    versions: [{ ...placementVersion, rules: [ownNamespaceOnly] }],
  },
  {
    ...federation,
    kind: "ClusterPlacement",
    plural: "clusterplacements",
    singular: "clusterplacement",
    shortNames: ["cpl"],
    namespaced: false,
    description: "Says which clusters run the objects that it selects, of any namespace or none, and how.",
    versions: [placementVersion],
  },
  {
    ...federation,
    kind: "OverridePolicy",
    plural: "overridepolicies",
    singular: "overridepolicy",
    shortNames: ["op"],
    namespaced: true,
    description: "Says how the objects of its namespace that it selects differ from cluster to cluster.",
    versions: [{ ...overrideVersion, rules: [ownNamespaceOnly] }],
  },
  {
    ...federation,
    kind: "ClusterOverridePolicy",
    plural: "clusteroverridepolicies",
    singular: "clusteroverridepolicy",
    shortNames: ["cop"],
    namespaced: false,
    description: "Says how the objects that it selects, of any namespace or none, differ from cluster to cluster.",
    versions: [overrideVersion],
  },
  {
    ...federation,
    kind: "ManifestBundle",
    plural: "manifestbundles",
    singular: "manifestbundle",
    shortNames: ["mb"],
    namespaced: true,
    description: "Objects for members that must not be on the hub itself, such as an operator with its definitions.",
    versions: [bundleVersion],
  },
  {
    ...federation,
    kind: "ResourceBinding",
    plural: "resourcebindings",
    singular: "resourcebinding",
    shortNames: ["rb"],
    namespaced: true,
    description:
      "Written by Meridian only: where an object of its namespace runs that is sent to members as it is, and how it fares there.",
    versions: [bindingVersion],
  },
  {
    ...federation,
    kind: "ClusterResourceBinding",
    plural: "clusterresourcebindings",
    singular: "clusterresourcebinding",
    shortNames: ["crb"],
    namespaced: false,
    description:
      "Written by Meridian only: where a cluster-scoped object runs that is sent to members as it is, and how it fares there.",
    versions: [bindingVersion],
  },
];

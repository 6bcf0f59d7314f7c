import { z } from "zod";
import {
  atLeastOneOf,
  clusterSelector,
  conditions,
  count,
  exactlyOneOf,
  ITEM_PATH,
  KIND,
  LABEL_KEY,
  labelKey,
  labelValue,
  LIST_PATH,
  listMap,
  NOT_WRITTEN_PATH,
  observedGeneration,
  resourceSelectors,
  timestamp,
  withRules,
} from "../schema/index.ts";
import { type ObjectMeta } from "../metadata/index.ts";
import { duration, entryName, percent, share } from "./policyScalars.ts";
import { replicaScheduling } from "./replicaScheduling.ts";
import { rollout } from "./rolloutPolicy.ts";
import { taintEffect } from "./membercluster.ts";

export const toleration = withRules(
  z.object({
    key: labelKey.optional().describe("Absent, with operator Exists: tolerates every taint."),
    operator: z.enum(["Exists", "Equal"]).default("Equal"),
    value: labelValue.optional(),
    effect: taintEffect.optional().describe("Absent: every effect."),
    tolerationSeconds: z
      .int()
      .min(0)
      .max(31_536_000)
      .optional()
      .describe("How long a NoExecute taint is tolerated. Absent: for ever."),
  }),
  {
    rule: "self.operator != 'Exists' || !has(self.value) || self.value == ''",
    message: "value: remove it; operator Exists compares no value",
    field: "value",
    holds: ({ operator, value }) => operator !== "Exists" || (value ?? "") === "",
  },
  {
    rule: "self.operator != 'Equal' || has(self.key)",
    message: "key: name one, or use operator Exists to tolerate every taint",
    field: "key",
    holds: ({ operator, key }) => operator !== "Equal" || key !== undefined,
  },
  {
    rule: "!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
    message: "tolerationSeconds: only effect NoExecute uses it; remove it, or set effect NoExecute",
    field: "tolerationSeconds",
    holds: ({ tolerationSeconds, effect }) => tolerationSeconds === undefined || effect === "NoExecute",
  },
);

export const affinityGroup = clusterSelector.extend({ name: entryName });

export const spreadConstraint = withRules(
  z.object({
    topologyKey: withRules(
      z.string().min(1).max(317).regex(LABEL_KEY, "must be cluster, region, zone, provider or a label key"),
      {
        rule: "self in ['cluster', 'region', 'zone', 'provider'] || self.contains('/')",
        message: "topologyKey: must be cluster, region, zone, provider or a label key with a prefix",
        holds: (key) => ["cluster", "region", "zone", "provider"].includes(key) || key.includes("/"),
      },
    ),
    minGroups: z.int().min(1).max(1000).optional(),
    maxGroups: z.int().min(1).max(1000).optional(),
    whenUnsatisfiable: z.enum(["DoNotSchedule", "ScheduleAnyway"]).default("DoNotSchedule"),
  }),
  {
    rule: "!has(self.minGroups) || !has(self.maxGroups) || self.minGroups <= self.maxGroups",
    message: "minGroups: must not be above maxGroups; lower it, or raise maxGroups",
    field: "minGroups",
    holds: ({ minGroups, maxGroups }) => minGroups === undefined || maxGroups === undefined || minGroups <= maxGroups,
  },
);

export const failover = z.object({
  gracePeriod: duration.optional(),
  makeBeforeBreak: z.boolean().optional(),
  maxUnhealthyClusters: percent.optional().describe("When more are unhealthy at once, nothing moves."),
  returnAfter: duration.optional(),
  unhealthyAfter: duration
    .optional()
    .describe("The object moves from a reachable cluster where it was unhealthy for so long. Absent: it stays."),
  maxEvictionsPerMinute: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe("Of the objects that the policy places, how many may leave lost clusters in a minute. Absent: all."),
});

export const clusterPreference = z.object({
  targetClusters: clusterSelector,
  weight: z.int().min(1).max(100).describe("Added to the score of the clusters that are taken."),
});

export const disruptionBudget = withRules(
  z.object({
    minAvailable: share.optional().describe("Replicas that stay available, as a number or a share."),
    maxUnavailable: share.optional().describe("Replicas that may be unavailable, as a number or a share."),
  }),
  exactlyOneOf("minAvailable", "maxUnavailable"),
);

/** Members get the objects that are rendered from these. */
export const HUB_ONLY_KINDS: readonly string[] = ["DemoApplication", "ManifestBundle"];

/** An entry about a hub-only kind could never apply. */
const isHeldByMembers = {
  rule: `!(self.kind in [${HUB_ONLY_KINDS.map((kind) => `'${kind}'`).join(", ")}])`,
  message:
    "kind: no member holds a DemoApplication or a ManifestBundle; name a kind that comes of it, such as Deployment",
  field: "kind",
  holds: ({ kind }: { kind: string }) => !HUB_ONLY_KINDS.includes(kind),
};

const retainedField = withRules(
  z.object({
    kind: z.string().min(1).max(63).regex(KIND, "must be a kind, such as Deployment"),
    path: withRules(
      z
        .string()
        .min(1)
        .max(512)
        .regex(ITEM_PATH, "must be a path such as spec.replicas or webhooks[name=x].clientConfig.caBundle")
        .describe(
          "Names joined by dots. Items of a list by their keys: webhooks[name=x].clientConfig.caBundle, or all of them: webhooks[*].clientConfig.caBundle.",
        ),
      {
        rule: "!(self in ['apiVersion', 'kind', 'metadata', 'metadata.name', 'metadata.namespace', 'spec'])",
        message:
          "path: name a field inside the object, such as spec.replicas; name and namespace cannot be left to the member",
        holds: (path) =>
          !["apiVersion", "kind", "metadata", "metadata.name", "metadata.namespace", "spec"].includes(path),
      },
    ),
  }),
  isHeldByMembers,
);

export const dependencyKind = z.enum(["ConfigMap", "PersistentVolumeClaim", "Secret", "ServiceAccount"]);

export const declaredDependency = z.object({
  kind: dependencyKind,
  path: withRules(
    z
      .string()
      .min(1)
      .max(512)
      .regex(LIST_PATH, "must be a path such as spec.secretName, or through a list spec.users[].secretName"),
    {
      rule: `!self.matches('${NOT_WRITTEN_PATH.source}')`,
      message: "path: name a field that users write, such as spec.secretName; not one of metadata or status",
      holds: (path) => !NOT_WRITTEN_PATH.test(path),
    },
  ).describe("Where the object names it, in the object's own namespace; `[]` goes through a list."),
});

export const dependencies = withRules(
  z.object({
    mode: z.enum(["Auto", "None"]).default("Auto"),
    fields: listMap(z.array(declaredDependency).max(32), "kind", "path")
      .optional()
      .describe("For kinds that Kubernetes does not know: in which fields the selected objects name what they need."),
  }),
  {
    rule: "self.mode == 'Auto' || !has(self.fields)",
    message: "fields: remove them, or set mode to Auto; with mode None nothing travels with the object",
    field: "fields",
    holds: ({ mode, fields }) => mode === "Auto" || fields === undefined,
  },
);

const declaredTemplate = withRules(
  z.object({
    kind: z.string().min(1).max(63).regex(KIND, "must be a kind, such as FlinkDeployment"),
    path: withRules(
      z
        .string()
        .min(1)
        .max(512)
        .regex(LIST_PATH, "must be a path such as spec.podTemplate, or through a list spec.nodeSets[].podTemplate"),
      {
        rule: "self.startsWith('spec.')",
        message: "path: name a field inside the spec, such as spec.podTemplate",
        holds: (path) => path.startsWith("spec."),
      },
    ).describe("Where the object has a template, with `metadata` and `spec`; `[]` goes through a list."),
  }),
  isHeldByMembers,
);

const healthExpression = z.string().min(1).max(1024);

const healthRule = withRules(
  z.object({
    kind: z.string().min(1).max(63).regex(KIND, "must be a kind, such as MysqlCluster"),
    available: healthExpression.optional().describe("True of an object that is as it should be."),
    failed: healthExpression
      .optional()
      .describe("True of an object that stays as it is until somebody changes something."),
  }),
  atLeastOneOf("available", "failed"),
  {
    rule: "!(self.kind in ['ConfigMap', 'Secret'])",
    message: "kind: a ConfigMap or a Secret has no health; remove the entry",
    field: "kind",
    holds: ({ kind }) => kind !== "ConfigMap" && kind !== "Secret",
  },
  isHeldByMembers,
);

const placementFields = z.object({
  priority: z
    .int()
    .min(-1_000_000_000)
    .max(1_000_000_000)
    .default(0)
    .describe("The highest wins when several policies select an object."),
  resourceSelectors,
  clusterAffinities: listMap(z.array(affinityGroup).max(16), "name")
    .optional()
    .describe("In order: the first group that fits is used. Absent: every cluster."),
  clusterPreferences: z
    .array(clusterPreference)
    .max(32)
    .optional()
    .describe("Of the clusters that fit, those that are better than others. They count where not all are taken."),
  clusterCount: z.int().min(1).max(1000).optional().describe("How many clusters are taken. Absent: all that fit."),
  tolerations: z.array(toleration).max(64).optional(),
  spreadConstraints: listMap(z.array(spreadConstraint).max(8), "topologyKey").optional(),
  replicaScheduling: replicaScheduling.default({ mode: "Duplicated" }),
  rollout: rollout.optional(),
  failover: failover.optional(),
  disruptionBudget: disruptionBudget
    .optional()
    .describe(
      "What stays available, over all clusters, while copies leave clusters by a move, a drain or failover; of kinds without replicas, clusters count.",
    ),
  dependencies: dependencies
    .default({ mode: "Auto" })
    .describe(
      "Auto: the ConfigMaps, Secrets, PersistentVolumeClaims and ServiceAccounts that an object needs travel with it.",
    ),
  conflictResolution: z
    .enum(["Abort", "Adopt"])
    .default("Abort")
    .describe("What to do about an object of that name which somebody else made on the member."),
  deletionPolicy: z
    .enum(["Delete", "Orphan"])
    .default("Delete")
    .describe("What becomes of the member objects when the hub object is deleted."),
  retain: listMap(z.array(retainedField).max(64), "kind", "path")
    .optional()
    .describe("Fields that are left to the member once the object is there."),
  podTemplates: listMap(z.array(declaredTemplate).max(32), "kind", "path")
    .optional()
    .describe(
      "For kinds that Kubernetes does not know: where member objects have the templates of their pods, beside spec.template. Overrides of images, commands, arguments and variables reach them, and what these pods read travels with the object.",
    ),
  health: listMap(z.array(healthRule).max(32), "kind")
    .optional()
    .describe(
      "What healthy means for a kind of member objects, in CEL over `object`. Absent: the rules that Meridian has for the kind, else the standard conditions.",
    ),
  aggregateStatus: z
    .boolean()
    .optional()
    .describe(
      "True: the status of the members' objects, summed up, is written into the status of the propagated object on the hub. Where somebody else writes that status, theirs stays.",
    ),
  suspend: z.boolean().default(false).describe("Nothing is written or deleted on members while it is true."),
});

export const placementSpec = withRules(placementFields, {
  rule: "!has(self.clusterCount) || !has(self.spreadConstraints) || self.spreadConstraints.all(c, !has(c.minGroups) || c.whenUnsatisfiable == 'ScheduleAnyway' || c.minGroups <= self.clusterCount)",
  message:
    "clusterCount: fewer clusters than minGroups of a spread constraint are in fewer groups; raise it, or lower that",
  field: "clusterCount",
  holds: ({ clusterCount, spreadConstraints = [] }) =>
    clusterCount === undefined ||
    spreadConstraints.every(
      ({ minGroups = 0, whenUnsatisfiable }) => whenUnsatisfiable === "ScheduleAnyway" || minGroups <= clusterCount,
    ),
});

/** With the schema's defaults filled in. */
export type PlacementSpec = z.infer<typeof placementSpec>;
export type AffinityGroup = z.infer<typeof affinityGroup>;
export type HealthRule = Pick<z.infer<typeof healthRule>, "available" | "failed">;
export type DeclaredTemplate = z.infer<typeof declaredTemplate>;
export type DisruptionBudget = z.infer<typeof disruptionBudget>;
export type Toleration = z.infer<typeof toleration>;
export type DependencyKind = z.infer<typeof dependencyKind>;
export type DeclaredDependency = z.infer<typeof declaredDependency>;

export const policyStatus = z.object({
  observedGeneration: observedGeneration.exactOptional(),
  conditions: conditions.exactOptional(),
  matchedObjects: count.exactOptional(),
  decisions: z
    .array(z.object({ clusters: z.array(z.string().max(253)), objects: count }))
    .exactOptional()
    .describe("For each set of clusters that was chosen, how many objects it was chosen for."),
  lastError: z.string().max(32768).exactOptional(),
  stoppedRollouts: z
    .array(
      z.object({
        kind: z.string().max(253),
        namespace: z.string().max(63).exactOptional(),
        name: z.string().max(253),
        since: timestamp,
        yieldsAt: timestamp.describe("From then on objects of other namespaces do not wait for it."),
      }),
    )
    .max(10)
    .exactOptional()
    .describe(
      "With `rollout.maxObjects`: objects whose rollout has stopped and keeps its place while others wait; the first ten.",
    ),
});

export type PolicyStatus = z.infer<typeof policyStatus>;

export interface Placement {
  apiVersion: string;
  kind: "Placement" | "ClusterPlacement";
  metadata: ObjectMeta;
  spec: PlacementSpec;
  status?: PolicyStatus;
}

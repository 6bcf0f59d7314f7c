import { z } from "zod";
import { API_VERSION, DNS_LABEL, DNS_SUBDOMAIN, KIND, LABEL_KEY, LABEL_VALUE } from "./patterns.ts";
import { listSet, withRules, type Rule } from "./rules.ts";
import { FEDERATION_GROUP } from "../metadata/index.ts";

export const labelKey = z.string().min(1).max(317).regex(LABEL_KEY, "must be a label key, such as example.com/tier");
export const labelValue = z
  .string()
  .max(63)
  .regex(LABEL_VALUE, "must be a label value: at most 63 letters, digits, '-', '_' and '.'");
export const clusterName = z
  .string()
  .min(1)
  .max(63)
  .regex(DNS_LABEL, "must be the name of a MemberCluster: lower-case letters, digits and '-'");

export const selectorOperator = z.enum(["In", "NotIn", "Exists", "DoesNotExist"]);

const valuesFitOperator: Rule<{ operator: string; values?: string[] | undefined }>[] = [
  {
    rule: "!(self.operator in ['In', 'NotIn']) || (has(self.values) && size(self.values) > 0)",
    message: "values: operator In and NotIn need at least one value",
    field: "values",
    holds: ({ operator, values }) => !["In", "NotIn"].includes(operator) || (values?.length ?? 0) > 0,
  },
  {
    rule: "!(self.operator in ['Exists', 'DoesNotExist']) || !has(self.values) || size(self.values) == 0",
    message: "values: operator Exists and DoesNotExist take none; remove them",
    field: "values",
    holds: ({ operator, values }) => !["Exists", "DoesNotExist"].includes(operator) || (values?.length ?? 0) === 0,
  },
];

export const selectorRequirement = withRules(
  z.object({
    key: labelKey,
    operator: selectorOperator,
    values: z.array(labelValue).max(256).optional(),
  }),
  ...valuesFitOperator,
);

/** A schema of the API server cannot constrain the keys of a map, so a rule does. */
export const LABEL_KEYS_RULE = {
  rule: `self.all(key, size(key) <= 317 && key.matches('${LABEL_KEY.source.replaceAll("\\/", "/").replaceAll("\\", "\\\\")}'))`,
  message: "every key must be a label key, such as example.com/tier",
  holds: (value: Readonly<Record<string, string>>) =>
    Object.keys(value).every((key) => labelKey.safeParse(key).success),
} satisfies Rule<Record<string, string>>;

export const labelMap = withRules(z.record(z.string(), labelValue).meta({ maxProperties: 32 }), LABEL_KEYS_RULE);

export const labelSelector = z.object({
  matchLabels: labelMap.optional(),
  matchExpressions: z.array(selectorRequirement).max(32).optional(),
});

export const fieldSelectorRequirement = withRules(
  z.object({
    key: z.enum(["name", "provider", "region", "zone"]),
    operator: selectorOperator,
    values: z.array(labelValue).max(256).optional(),
  }),
  ...valuesFitOperator,
);

export const fieldSelector = z.object({ matchExpressions: z.array(fieldSelectorRequirement).min(1).max(32) });

/** Every given part must match; an empty selector matches every cluster. `exclude` always wins. */
export const clusterSelector = z.object({
  clusterNames: listSet(z.array(clusterName).max(1000))
    .optional()
    .describe("Names of MemberClusters. Absent: whatever their name."),
  exclude: listSet(z.array(clusterName).max(1000)).optional().describe("MemberClusters that are never taken."),
  labelSelector: labelSelector.optional().describe("Over the labels of MemberClusters."),
  fieldSelector: fieldSelector.optional().describe("Over the name, provider, region and zone of MemberClusters."),
  matchLabelKeys: listSet(z.array(labelKey).max(16))
    .optional()
    .describe(
      "Takes the clusters whose labels of these keys equal the object's own. An object without the label goes nowhere.",
    ),
});

export const resourceSelector = withRules(
  z.object({
    apiVersion: z.string().min(1).max(317).regex(API_VERSION, "must be an API version, such as apps/v1"),
    kind: z.string().min(1).max(63).regex(KIND, "must be a kind, such as Deployment"),
    name: z.string().min(1).max(253).optional(),
    namespace: z
      .string()
      .min(1)
      .max(63)
      .regex(DNS_LABEL, "must be the name of a namespace")
      .optional()
      .describe("For cluster-scoped policies. A namespaced policy selects in its own namespace only."),
    namespaceSelector: labelSelector
      .optional()
      .describe(
        "For cluster-scoped policies: over the labels of the objects' namespaces on the hub. Absent: every namespace. Objects that belong to no namespace are not selected by it.",
      ),
    labelSelector: labelSelector.optional(),
  }),
  {
    rule: "!(has(self.namespace) && has(self.namespaceSelector))",
    message: "namespaceSelector: remove it, or remove namespace; only one of them may choose namespaces",
    field: "namespaceSelector",
    holds: ({ namespace, namespaceSelector }) => namespace === undefined || namespaceSelector === undefined,
  },
  {
    rule: `!self.apiVersion.startsWith('${FEDERATION_GROUP}/') || self.kind == 'ManifestBundle'`,
    message:
      "kind: Meridian's own policies and clusters stay on the hub; of this API group only ManifestBundle can be selected",
    field: "kind",
    holds: ({ apiVersion, kind }) => !apiVersion.startsWith(`${FEDERATION_GROUP}/`) || kind === "ManifestBundle",
  },
);

export const resourceSelectors = z
  .array(resourceSelector)
  .min(1)
  .max(64)
  .describe(
    "The objects that the policy is about: those that any of these selects. What belongs to the hub itself is selected by its name only.",
  );

export const subdomainName = z
  .string()
  .min(1)
  .max(253)
  .regex(DNS_SUBDOMAIN, "must be the name of an object: a DNS name");

export type LabelSelector = z.infer<typeof labelSelector>;
export type FieldSelector = z.infer<typeof fieldSelector>;
export type ClusterSelector = z.infer<typeof clusterSelector>;
export type ResourceSelector = z.infer<typeof resourceSelector>;

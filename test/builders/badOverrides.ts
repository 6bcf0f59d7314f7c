import type { BadObject } from "./badObject.ts";
import {
  bundleObject as bundle,
  clusterOverrideObject,
  overrideObject as override,
  patchObject as patch,
} from "./policyObjects.ts";

const patches: BadObject[] = [
  ...[
    "/apiVersion",
    "/kind",
    "/metadata",
    "/metadata/name",
    "/metadata/namespace",
    "/metadata/ownerReferences/-",
    "/status/x",
  ].map((path) => ({
    name: `a patch of ${path}`,
    object: patch({ op: "add", path, value: "x" }),
    field: "spec.rules[0].patches[0].path",
  })),
  {
    name: "a move that takes the name away",
    object: patch({ op: "move", from: "/metadata/name", path: "/spec/x" }),
    field: "spec.rules[0].patches[0].from",
  },
  {
    name: "a patch of everything",
    object: patch({ op: "replace", path: "", value: {} }),
    field: "spec.rules[0].patches[0].path",
  },
  {
    name: "a path that is no pointer",
    object: patch({ op: "replace", path: "spec.type", value: 1 }),
    field: "spec.rules[0].patches[0].path",
  },
  {
    name: "an op that there is not",
    object: patch({ op: "merge", path: "/spec", value: {} }),
    field: "spec.rules[0].patches[0].op",
  },
  ...["add", "replace", "test"].map((op) => ({
    name: `${op} without a value`,
    object: patch({ op, path: "/spec/type" }),
    field: "spec.rules[0].patches[0].value",
  })),
  {
    name: "move without from",
    object: patch({ op: "move", path: "/spec/type" }),
    field: "spec.rules[0].patches[0].from",
  },
  {
    name: "copy without from",
    object: patch({ op: "copy", path: "/spec/type" }),
    field: "spec.rules[0].patches[0].from",
  },
  {
    name: "replace with from",
    object: patch({ op: "replace", path: "/spec/type", value: 1, from: "/spec/a" }),
    field: "spec.rules[0].patches[0].from",
  },
];

export const BAD_OVERRIDES: readonly BadObject[] = [
  { name: "a rule that changes nothing", object: override({ targetClusters: {} }), field: "spec.rules[0]" },
  {
    name: "no rules",
    object: { ...override({}), spec: { resourceSelectors: [{ apiVersion: "v1", kind: "Pod" }], rules: [] } },
    field: "spec.rules",
  },
  { name: "replicas above 1000", object: override({ replicas: 1001 }), field: "spec.rules[0].replicas" },
  { name: "an image override of nothing", object: override({ image: {} }), field: "spec.rules[0].image" },
  {
    name: "a registry with a path",
    object: override({ image: { registry: "example.com/a" } }),
    field: "spec.rules[0].image.registry",
  },
  { name: "a tag with a colon", object: override({ image: { tag: ":1" } }), field: "spec.rules[0].image.tag" },
  {
    name: "a digest that is none",
    object: override({ image: { digest: "abc" } }),
    field: "spec.rules[0].image.digest",
  },
  { name: "a label key that is none", object: override({ labels: { "a b": "c" } }), field: "spec.rules[0].labels" },
  {
    name: "a label value that is none",
    object: override({ labels: { tier: "a b" } }),
    field: "spec.rules[0].labels.tier",
  },
  {
    name: "a label key with a prefix that is no DNS name",
    object: override({ labels: { "a_b/c": "d" } }),
    field: "spec.rules[0].labels",
  },
  {
    name: "a label of Meridian's own",
    object: clusterOverrideObject({ labels: { "federation.paas.cmft.com/managed-by": "me" } }),
    field: "spec.rules[0].labels",
  },
  {
    name: "an annotation of Meridian's own",
    object: override({ annotations: { "federation.paas.cmft.com/owner": "me" } }),
    field: "spec.rules[0].annotations",
  },
  {
    name: "an annotation key that is none",
    object: override({ annotations: { "a/b/c": "d" } }),
    field: "spec.rules[0].annotations",
  },
  {
    name: "a cluster name in capitals",
    object: override({ targetClusters: { clusterNames: ["Shanghai"] }, replicas: 1 }),
    field: "spec.rules[0].targetClusters.clusterNames[0]",
  },
  ...patches,
];

export const BAD_BUNDLES: readonly BadObject[] = [
  { name: "of nothing", object: bundle({}), field: "spec" },
  {
    name: "a manifest without a kind",
    object: bundle({ manifests: [{ apiVersion: "v1", metadata: { name: "a" } }] }),
    field: "spec.manifests[0].kind",
  },
  {
    name: "a manifest without metadata",
    object: bundle({ manifests: [{ apiVersion: "v1", kind: "ConfigMap" }] }),
    field: "spec.manifests[0].metadata",
  },
  { name: "text with line breaks", object: bundle({ compressed: "H4sI\nAAAA" }), field: "spec.compressed" },
];

import type { BadRow } from "./badObject.ts";
import {
  bundleObject as bundle,
  clusterOverrideObject,
  overrideObject as override,
  patchObject as patch,
} from "./policyObjects.ts";

const patches: BadRow[] = [
  ...[
    "/apiVersion",
    "/kind",
    "/metadata",
    "/metadata/name",
    "/metadata/namespace",
    "/metadata/ownerReferences/-",
    "/status/x",
  ].map((path): BadRow => [
    `a patch of ${path}`,
    patch({ op: "add", path, value: "x" }),
    "spec.rules[0].patches[0].path",
  ]),
  [
    "a move that takes the name away",
    patch({ op: "move", from: "/metadata/name", path: "/spec/x" }),
    "spec.rules[0].patches[0].from",
  ],
  ["a patch of everything", patch({ op: "replace", path: "", value: {} }), "spec.rules[0].patches[0].path"],
  ["a path that is no pointer", patch({ op: "replace", path: "spec.type", value: 1 }), "spec.rules[0].patches[0].path"],
  ["an op that there is not", patch({ op: "merge", path: "/spec", value: {} }), "spec.rules[0].patches[0].op"],
  ...["add", "replace", "test"].map((op): BadRow => [
    `${op} without a value`,
    patch({ op, path: "/spec/type" }),
    "spec.rules[0].patches[0].value",
  ]),
  ["move without from", patch({ op: "move", path: "/spec/type" }), "spec.rules[0].patches[0].from"],
  ["copy without from", patch({ op: "copy", path: "/spec/type" }), "spec.rules[0].patches[0].from"],
  [
    "replace with from",
    patch({ op: "replace", path: "/spec/type", value: 1, from: "/spec/a" }),
    "spec.rules[0].patches[0].from",
  ],
];

export const BAD_OVERRIDES: readonly BadRow[] = [
  ["a rule that changes nothing", override({ targetClusters: {} }), "spec.rules[0]"],
  [
    "no rules",
    { ...override({}), spec: { resourceSelectors: [{ apiVersion: "v1", kind: "Pod" }], rules: [] } },
    "spec.rules",
  ],
  ["replicas above 1000", override({ replicas: 1001 }), "spec.rules[0].replicas"],
  ["an image override of nothing", override({ image: {} }), "spec.rules[0].image"],
  ["a registry with a path", override({ image: { registry: "example.com/a" } }), "spec.rules[0].image.registry"],
  ["a tag with a colon", override({ image: { tag: ":1" } }), "spec.rules[0].image.tag"],
  ["a digest that is none", override({ image: { digest: "abc" } }), "spec.rules[0].image.digest"],
  ["a label key that is none", override({ labels: { "a b": "c" } }), "spec.rules[0].labels"],
  ["a label value that is none", override({ labels: { tier: "a b" } }), "spec.rules[0].labels.tier"],
  ["a label key with a prefix that is no DNS name", override({ labels: { "a_b/c": "d" } }), "spec.rules[0].labels"],
  [
    "a label of Meridian's own",
    clusterOverrideObject({ labels: { "federation.paas.cmft.com/managed-by": "me" } }),
    "spec.rules[0].labels",
  ],
  [
    "an annotation of Meridian's own",
    override({ annotations: { "federation.paas.cmft.com/owner": "me" } }),
    "spec.rules[0].annotations",
  ],
  ["an annotation key that is none", override({ annotations: { "a/b/c": "d" } }), "spec.rules[0].annotations"],
  [
    "a cluster name in capitals",
    override({ targetClusters: { clusterNames: ["Shanghai"] }, replicas: 1 }),
    "spec.rules[0].targetClusters.clusterNames[0]",
  ],
  ...patches,
];

export const BAD_BUNDLES: readonly BadRow[] = [
  ["of nothing", bundle({}), "spec"],
  [
    "a manifest without a kind",
    bundle({ manifests: [{ apiVersion: "v1", metadata: { name: "a" } }] }),
    "spec.manifests[0].kind",
  ],
  [
    "a manifest without metadata",
    bundle({ manifests: [{ apiVersion: "v1", kind: "ConfigMap" }] }),
    "spec.manifests[0].metadata",
  ],
  ["text with line breaks", bundle({ compressed: "H4sI\nAAAA" }), "spec.compressed"],
];

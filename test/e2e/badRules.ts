import type { OverrideRule } from "../../src/apis/index.ts";

interface BadRule {
  what: string;
  rule: Omit<OverrideRule, "targetClusters">;
  /** What the status of a cluster says where the rule applies. */
  reason: string;
}

/** Rules of override policies which the hub's admission takes, and which no cluster can carry out. */
export const BAD_RULES: readonly BadRule[] = [
  {
    what: "a patch path that does not exist",
    rule: { patches: [{ kind: "Deployment", op: "remove", path: "/spec/nothing/here" }] },
    reason: "InvalidPatch",
  },
  {
    what: "a patch of the pod label that the selector asks for",
    rule: {
      patches: [{ kind: "Deployment", op: "replace", path: "/spec/template/metadata/labels/app", value: "other" }],
    },
    reason: "ProtectedField",
  },
  {
    what: "a patch with a value of another type",
    rule: { patches: [{ kind: "Deployment", op: "replace", path: "/spec/replicas", value: "two" }] },
    reason: "InvalidPatch",
  },
  {
    what: "a patch with a value that the member does not know",
    rule: { patches: [{ kind: "Deployment", op: "add", path: "/spec/strategy", value: { type: "Carrier" } }] },
    reason: "InvalidPatch",
  },
  {
    what: "a patch with a number of replicas below 0",
    rule: { image: { tag: "1.99" }, patches: [{ kind: "Deployment", op: "add", path: "/spec/replicas", value: -3 }] },
    reason: "InvalidPatch",
  },
  {
    what: "a patch with half a replica",
    rule: { patches: [{ kind: "Deployment", op: "add", path: "/spec/replicas", value: 2.5 }] },
    reason: "InvalidPatch",
  },
  {
    what: "a patch with a quantity that the member cannot read, and for which it names no field",
    rule: {
      patches: [
        {
          kind: "Deployment",
          op: "add",
          path: "/spec/template/spec/containers/0/resources",
          value: { requests: { cpu: "lots" } },
        },
      ],
    },
    reason: "InvalidPatch",
  },
];

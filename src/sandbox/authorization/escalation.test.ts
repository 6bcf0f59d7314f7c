import { describe, expect, test } from "vitest";
import { test as property, fc } from "@fast-check/vitest";
import { checkEscalation } from "./index.ts";
import { compact, missing, ruleAllows } from "./rules.ts";
import { RBAC, clusterRole, user, clusterBinding, person, source, ask, refusalOf } from "./testing/roles.ts";
import type { PolicyRule } from "./types.ts";

describe("escalation", () => {
  const eve = person("eve");
  const own: PolicyRule = { verbs: ["get"], apiGroups: [""], resources: ["pods"], resourceNames: ["a"] };
  const roles = source(
    clusterRole("own", own, { verbs: ["get", "list"], apiGroups: ["apps"], resources: ["*"] }),
    clusterRole("secrets", { verbs: ["get"], apiGroups: [""], resources: ["secrets"] }),
    clusterRole("binder", {
      verbs: ["bind"],
      apiGroups: [RBAC],
      resources: ["clusterroles"],
      resourceNames: ["secrets"],
    }),
    clusterRole("escalator", { verbs: ["escalate"], apiGroups: [RBAC], resources: ["clusterroles"] }),
    clusterBinding("own", "own", user("eve")),
    clusterBinding("binder", "binder", user("binder")),
    clusterBinding("escalator", "escalator", user("escalator")),
  );
  const CLUSTER_ROLES = { group: RBAC, plural: "clusterroles" };
  const BINDINGS = { group: RBAC, plural: "clusterrolebindings" };

  test("a role that keeps its rules can be changed otherwise", () => {
    const old = clusterRole("x", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });
    const labelled = { ...old, metadata: { ...old.metadata, labels: { a: "b" } } };
    expect(refusalOf(() => checkEscalation(CLUSTER_ROLES, labelled, old, eve, roles))).toBeUndefined();
  });

  test("only who has everything may write an aggregation rule", () => {
    const aggregated = {
      ...clusterRole("x"),
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] },
    };
    expect(refusalOf(() => checkEscalation(CLUSTER_ROLES, aggregated, undefined, eve, roles))?.message).toBe(
      `clusterroles.${RBAC} "x" is forbidden: must have cluster-admin privileges to use the aggregationRule`,
    );
  });

  test("who may bind or escalate does", () => {
    const given = clusterBinding("b", "secrets", user("eve"));
    const wanted = clusterRole("x", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });
    expect(refusalOf(() => checkEscalation(BINDINGS, given, undefined, person("binder"), roles))).toBeUndefined();
    expect(
      refusalOf(() => checkEscalation(CLUSTER_ROLES, wanted, undefined, person("escalator"), roles)),
    ).toBeUndefined();
    const master = person("root", "system:masters");
    expect(refusalOf(() => checkEscalation(CLUSTER_ROLES, wanted, undefined, master, roles))).toBeUndefined();
  });

  test("a binding to a role that does not exist is not found", () => {
    const lost = clusterBinding("b", "nothere", user("eve"));
    expect(refusalOf(() => checkEscalation(BINDINGS, lost, undefined, eve, roles))).toMatchObject({
      code: 404,
      message: `clusterrolebindings.${RBAC} "nothere" not found`,
    });
  });
});

const names = fc.constantFrom("a", "b", "*", "a/x", "*/x");
const rule = fc.record({
  verbs: fc.array(fc.constantFrom("get", "list", "*"), { minLength: 1, maxLength: 2 }),
  apiGroups: fc.array(fc.constantFrom("", "apps", "*"), { minLength: 1, maxLength: 2 }),
  resources: fc.array(names, { minLength: 1, maxLength: 2 }),
});

describe("covering", () => {
  property.prop([fc.array(rule, { maxLength: 3 })])("rules lack nothing of themselves", (rules) => {
    expect(missing(rules, rules)).toEqual([]);
  });

  property.prop([fc.array(rule, { maxLength: 3 }), fc.array(rule, { maxLength: 3 })])(
    "what is covered is allowed wherever it would be",
    (held, wanted) => {
      const lacking = missing(held, wanted);
      for (const asked of ["a", "b"].flatMap((resource) => ["get", "list"].map((verb) => ask(verb, resource)))) {
        const allowed = wanted.some((candidate) => ruleAllows(candidate, asked));
        if (allowed && lacking.length === 0) expect(held.some((candidate) => ruleAllows(candidate, asked))).toBe(true);
      }
    },
  );

  property.prop([fc.array(rule, { maxLength: 3 })])("joining verbs loses none", (rules) => {
    const parts = missing([], rules);
    expect(compact(parts).flatMap(({ verbs = [] }) => verbs)).toHaveLength(parts.length);
  });
});

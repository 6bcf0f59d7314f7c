import { expect, test } from "vitest";
import { type KubeObject, type Message } from "../../apis/index.ts";
import type { MatchedRule } from "../../override/index.ts";
import { judgeRights } from "./tenantRights.ts";

const role: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "Role",
  metadata: { name: "reader", namespace: "shop" },
  rules: [{ verbs: ["get"] }],
};
const more: KubeObject = { ...role, rules: [{ verbs: ["*"] }] };
const labelled: KubeObject = { ...role, metadata: { ...role.metadata, labels: { a: "1" } } };
const by = (namespace: string | undefined, index = 0): MatchedRule =>
  ({
    policy: { kind: "OverridePolicy", ...(namespace === undefined ? {} : { namespace }), name: "p" },
    index,
    rule: {},
  }) as MatchedRule;
const judged = (rules: MatchedRule[], ...states: KubeObject[]): Message | undefined =>
  judgeRights({ base: [states[0] ?? role], rules, after: (count) => [states[count] ?? role] })?.message;

test("a policy of a namespace may not change what a Role allows", () => {
  expect(judged([by("shop", 3)], role, more)).toBe(
    "OverridePolicy p, rule 3: a policy of a namespace may not change rules of Role reader",
  );
  expect(
    judgeRights({ base: [role], rules: [by("shop")], after: (count) => [count === 0 ? role : more] }),
  ).toMatchObject({
    reason: "NotAllowed",
    policy: { name: "p" },
  });
});

test.each([
  ["whom a binding means", "subjects", [{ kind: "User", name: "mallory" }]],
  ["which role a binding gives", "roleRef", { kind: "ClusterRole", name: "cluster-admin" }],
  ["what a role sums up", "aggregationRule", {}],
])("nor %s", (_name, field, value) => expect(judged([by("shop")], role, { ...role, [field]: value })).toContain(field));

test("it may change anything else, and the platform's policies may change rights", () => {
  expect(judged([by("shop")], role, labelled)).toBeUndefined();
  expect(judged([by(undefined)], role, more)).toBeUndefined();
  expect(judged([by(undefined), by("shop")], role, more, more)).toBeUndefined();
  expect(judged([by(undefined), by("shop")], role, more, role)).toContain("rules of Role reader");
});

test("rules of other kinds are no rights", () => {
  const ingress = { ...role, apiVersion: "networking.k8s.io/v1", kind: "Ingress" };
  expect(judged([by("shop")], ingress, { ...ingress, rules: [] })).toBeUndefined();
});

test("in a revision the platform's policies change rights as far as those of now do", () => {
  const judgedNow = (now: KubeObject, ...states: KubeObject[]): Message | undefined => {
    const rules = states.slice(1).map((_, index) => by(undefined, index));
    return judgeRights({ base: [role], rules, after: (count) => [states[count] ?? role], present: () => [now] })
      ?.message;
  };
  const less: KubeObject = { ...role, rules: [{ verbs: ["list"] }] };
  expect(judgedNow(more, role, more)).toBeUndefined();
  expect(judgedNow(more, role, less, more)).toBeUndefined();
  expect(judgedNow(role, role, labelled)).toBeUndefined();
  expect(judgedNow(role, role, more)).toContain("rules of Role reader");
  expect(judgedNow(less, role, more)).toContain("rules of Role reader");
});

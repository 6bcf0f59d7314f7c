import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { HealthRule, KubeObject } from "../../apis/index.ts";
import { memberReport } from "../registry/memberReport.ts";
import type { Health } from "../types.ts";
import { conditionProblem } from "./declared.ts";
import { condition } from "./testing.ts";

const KIND = "mysql.presslabs.org/v1alpha1 MysqlCluster";

function judge(rule: HealthRule, parts: { metadata?: object; spec?: object; status?: object }, name = KIND): Health {
  const [apiVersion = "", kind = ""] = name.split(" ");
  const object = { apiVersion, kind, ...parts, metadata: { name: "my-db", generation: 2, ...parts.metadata } };
  return memberReport(object as KubeObject, rule).health;
}

const mysql: HealthRule = {
  available: "object.status.readyNodes >= object.spec.replicas",
  failed: "has(object.status.error)",
};

describe("health as a placement declares it", () => {
  interface Case {
    name: string;
    rule?: HealthRule;
    kind?: string;
    metadata?: object;
    spec?: object;
    status?: object;
    want: Partial<Health>;
  }
  test.each<Case>([
    { name: "all nodes are ready", spec: { replicas: 2 }, status: { readyNodes: 2 }, want: { state: "Available" } },
    { name: "more nodes than that", spec: { replicas: 2 }, status: { readyNodes: 3 }, want: { state: "Available" } },
    {
      name: "a node is missing",
      spec: { replicas: 2 },
      status: { readyNodes: 1 },
      want: {
        state: "Progressing",
        reason: "DeclaredUnavailable",
        message: "by spec.health of the placement, not yet: object.status.readyNodes >= object.spec.replicas",
      },
    },
    {
      name: "a node is missing, and the operator says why",
      spec: { replicas: 2 },
      status: { readyNodes: 1, conditions: [condition("Ready", "False", "NoVolume", "no volume")] },
      want: { state: "Progressing", reason: "NoVolume", message: "no volume" },
    },
    {
      name: "the operator has given up, all nodes are ready nevertheless",
      spec: { replicas: 2 },
      status: { readyNodes: 2, error: "disk full" },
      want: {
        state: "Failed",
        reason: "DeclaredFailed",
        message: "by spec.health of the placement: has(object.status.error)",
      },
    },
    {
      name: "what it says goes before the standard conditions",
      spec: { replicas: 2 },
      status: { readyNodes: 2, conditions: [condition("Ready", "False")] },
      want: { state: "Available" },
    },
    {
      name: "a field that is not there is unknown, and no failure",
      spec: { replicas: 2 },
      status: {},
      want: {
        state: "Unknown",
        reason: "HealthNotReadable",
        message: "spec.health available: No such key: readyNodes",
      },
    },
    {
      name: "nothing was reported at all",
      spec: { replicas: 2 },
      want: { state: "Unknown", reason: "HealthNotReadable", message: "spec.health failed: No such key: status" },
    },
    {
      name: "an optional field has a value in its stead",
      rule: { available: "object.?status.?readyNodes.orValue(0) >= object.spec.replicas" },
      spec: { replicas: 2 },
      want: { state: "Progressing", reason: "DeclaredUnavailable" },
    },
    {
      name: "an older generation's report does not count, and may tell what served before",
      spec: { replicas: 2 },
      status: { observedGeneration: 1, readyNodes: 2 },
      want: { state: "Progressing", reason: "RolloutPending", serves: "Before" },
    },
    {
      name: "an older generation's report that was none",
      spec: { replicas: 2 },
      status: { observedGeneration: 1, readyNodes: 0 },
      want: { state: "Progressing", reason: "RolloutPending" },
    },
    {
      name: "only what has failed is declared: the conditions say the rest",
      rule: { failed: "has(object.status.error)" },
      status: { conditions: [condition("Ready", "True")] },
      want: { state: "Available" },
    },
    {
      name: "only what has failed is declared, and nothing says the rest",
      rule: { failed: "has(object.status.error)" },
      status: { nodes: 3 },
      want: { state: "Unknown", reason: "NoReport" },
    },
    {
      name: "a kind without a status is available where a person says so",
      rule: { available: "true" },
      want: { state: "Available" },
    },
    {
      name: "a kind with a rule of its own keeps its numbers",
      rule: { available: "object.status.readyReplicas > 0" },
      kind: "apps/v1 Deployment",
      spec: { replicas: 2 },
      status: { observedGeneration: 2, replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1 },
      want: { state: "Available", replicas: { desired: 2, updated: 2, ready: 1, available: 1 } },
    },
    {
      name: "on its way out",
      metadata: { deletionTimestamp: "2026-11-22T10:00:00Z" },
      spec: { replicas: 1 },
      status: { readyNodes: 1 },
      want: { state: "Progressing", reason: "Terminating" },
    },
    {
      name: "neither true nor false",
      rule: { available: "object.spec.replicas" },
      spec: { replicas: 1 },
      want: { state: "Unknown", reason: "HealthNotReadable" },
    },
    {
      name: "an expression that admission did not see",
      rule: { available: "object.status.ready ==" },
      want: { state: "Unknown", reason: "InvalidHealthRule" },
    },
  ])("$name", ({ rule = mysql, kind, want, name: _, ...parts }) => {
    const { message, ...found } = judge(rule, parts, kind);
    expect({ ...found, ...(want.message === undefined ? {} : { message }) }).toEqual(want);
  });

  test.prop([fc.nat(50), fc.option(fc.integer({ min: -5, max: 50 })), fc.boolean()])(
    "is available exactly where it is said to be",
    (replicas, readyNodes, failed) => {
      const status = { ...(readyNodes === null ? {} : { readyNodes }), ...(failed ? { error: "x" } : {}) };
      const { state } = judge(mysql, { spec: { replicas }, status });
      const want = failed
        ? "Failed"
        : readyNodes === null
          ? "Unknown"
          : readyNodes >= replicas
            ? "Available"
            : undefined;
      expect(state).toBe(want ?? "Progressing");
    },
  );
});

describe("expressions", () => {
  const status = {
    phase: "Running",
    ratio: 0.5,
    whole: 1,
    nodes: [
      { name: "a", ready: true, weight: 1 },
      { name: "b", ready: true, weight: 2 },
    ],
    labels: { tier: "gold" },
    since: "2026-11-22T10:00:00Z",
  };
  test.each([
    "object.status.phase in ['Running', 'Ready']",
    "object.status.phase == 'Running' && object.status.phase != 'Failed'",
    "object.status.ratio > 0.25 && object.status.whole == 1",
    "object.status.whole + 1 == 2",
    "object.status.whole >= 0.5",
    "object.status.nodes.all(n, n.ready)",
    "object.status.nodes.exists(n, n.name == 'b' && n.weight == 2)",
    "size(object.status.nodes.filter(n, n.ready == true)) == 2",
    "object.status.nodes.map(n, n.weight) == [1, 2]",
    "2 in object.status.nodes.map(n, n.weight)",
    "object.status.nodes == [{'name': 'a', 'ready': true, 'weight': 1}, {'name': 'b', 'ready': true, 'weight': 2}]",
    "'tier' in object.status.labels",
    "object.status.labels['tier'] == 'gold'",
    "object.status.labels == {'tier': 'gold'}",
    "object.metadata.name.startsWith('my-')",
    "(object.status.phase + '!') == 'Running!'",
    "timestamp(object.status.since) == timestamp('2026-11-22T10:00:00Z')",
    "object.?status.?missing.orValue('x') == 'x'",
    "has(object.status.phase) ? true : false",
  ])("%s", (available) => {
    expect(conditionProblem(available)).toBeUndefined();
    expect(judge({ available }, { status })).toEqual({ state: "Available" });
  });

  test.each([
    ["object.status.", /^column 15: /],
    ["object.status.ready ==\n  )", /^line 2, column 3: /],
    ["self.ready", /^column 1: Unknown variable: self$/],
    ["object.spec.replicas + 'x' - 1 == 'a", /^column 35: Unterminated string$/],
    ["'yes'", /^the value is of type string, and must be true or false$/],
    [
      "object.status.phase.matches('^(a+)+$')",
      /^column \d+: matches\(\) is not there for health; use contains, startsWith or endsWith$/,
    ],
    ["b'x'.json().y", /^column \d+: json\(\) is not there for health$/],
    ["1 + true == 2", /no such overload/],
  ])("%j cannot be used, and the message says where and why", (expression, message) => {
    expect(conditionProblem(expression)).toMatch(message);
  });

  test.each([
    ["lists of lists", "object.list.all(a, object.list.all(b, object.list.all(c, c == 1)))"],
    [
      "lists that are made",
      "[1,2,3,4,5,6,7,8].map(a, [1,2,3,4,5,6,7,8].map(b, [1,2,3,4,5,6,7,8].map(c, [1,2,3,4,5,6,7,8].map(d, [1,2,3,4,5,6,7,8].map(e, 1))))) == []",
    ],
    ["long texts", "object.list.all(a, object.text.contains('y') || true)"],
    ["texts that grow", `[object.text]${".map(a, a + a)".repeat(12)} == []`],
    ["comparisons of large values", "object.list.all(a, object.list == object.copy)"],
    ["large maps", "object.list.all(a, size(object.map) > 0)"],
    ["errors without end", "object.list.all(a, object.list.all(b, b.missing))"],
    ["one list that is too long", "object.long.all(a, a == 1)"],
  ])("%s end in a moment, and say that it is too much", (_name, expression) => {
    const object = {
      list: Array.from({ length: 500 }, () => 1),
      copy: Array.from({ length: 500 }, () => 1),
      long: Array.from({ length: 300_000 }, () => 1),
      text: "x".repeat(100_000),
      map: Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])),
    };
    expect(conditionProblem(expression)).toBeUndefined();
    const before = process.threadCpuUsage();
    const found = judge({ available: expression }, object as never);
    // Some 30 ms; what nobody ends takes minutes. The limit is for a machine a hundred times as slow.
    expect(process.threadCpuUsage(before).user).toBeLessThan(3_000_000);
    expect(found).toMatchObject({ state: "Unknown", reason: "HealthNotReadable" });
  });

  test("leave the object as it was, and do not see each other's work", () => {
    const list = Array.from({ length: 900 }, (_, index) => index);
    const available = "object.status.list.all(n, n >= 0) && object.status.list.exists(n, n == 899)";
    for (let turn = 0; turn < 3; turn++) expect(judge({ available }, { status: { list } }).state).toBe("Available");
    expect(list[1]).toBe(1);
  });
});

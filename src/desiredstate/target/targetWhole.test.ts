import { describe, expect, test } from "vitest";
import type { KubeObject, PlacementSpec } from "../../apis/index.ts";
import {
  app,
  frankfurt,
  hub,
  overrides,
  placedBy,
  placement,
  running,
  shanghai,
  singapore,
  targetOf,
} from "../testing/builders.ts";
import { namespaceTerms } from "../podSecurity/index.ts";
import type { Target } from "../types.ts";

/** What a target says beside its clusters. */

const clusters = [shanghai];
const of = (spec: object, more: Parameters<typeof targetOf>[0] = {}): Target =>
  targetOf({ placements: [placement("p", spec)], clusters, ...more });
const widget: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: {
    name: "w",
    namespace: "default",
    uid: "w",
    managedFields: [{ manager: "kubectl", fieldsV1: { "f:spec": {} } }],
  },
  spec: { size: 1 },
};
const ofWidget = (spec: Partial<PlacementSpec>): Target =>
  of({ resourceSelectors: [{ apiVersion: "example.com/v1", kind: "Widget" }], ...spec }, { object: widget });

test("a target says nothing that is not asked for", () => {
  const { decision: _, clusters: __, ...rest } = of({});
  expect(rest).toStrictEqual({
    owner: {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      namespace: "default",
      name: "nginx-demo",
      uid: "11111111-1111-1111-1111-111111111111",
    },
    placement: { kind: "Placement", namespace: "default", name: "p" },
    overrides: [],
    scheduled: { status: "True", reason: "ClustersSelected", message: "1 of 1 cluster selected" },
    missing: new Set(),
    suspended: false,
    conflictResolution: "Abort",
    deletionPolicy: "Delete",
  });
});

test("and nothing of a policy where none places the object", () => {
  const { decision: _, scheduled: __, owner: ___, ...rest } = targetOf({ clusters });
  expect(rest).toStrictEqual({
    overrides: [],
    clusters: [],
    missing: new Set(),
    suspended: false,
    conflictResolution: "Abort",
    deletionPolicy: "Delete",
  });
});

describe("what the placement asks for stands in the target", () => {
  const divided = (more: object) => ({ replicaScheduling: { mode: "Divided", strategy: "Available", ...more } });

  test("the sum of the statuses, of an object that is sent as it is", () => {
    expect(ofWidget({ aggregateStatus: true }).aggregatesStatus).toBe(true);
    expect(ofWidget({ aggregateStatus: false })).not.toHaveProperty("aggregatesStatus");
    expect(of({ aggregateStatus: true })).not.toHaveProperty("aggregatesStatus");
  });

  test("a disruption budget, and what is left behind going first", () => {
    expect(of({ disruptionBudget: { minAvailable: 1 } }).disruptionBudget).toEqual({ minAvailable: 1 });
    expect(of({ failover: { makeBeforeBreak: false } }).breakBeforeMake).toBe(true);
    expect(of({ failover: { makeBeforeBreak: true } })).not.toHaveProperty("breakBeforeMake");
    expect(of({ failover: {} })).not.toHaveProperty("breakBeforeMake");
  });

  test("that replicas move for pods that find no node", () => {
    expect(of(divided({ rescheduling: {} })).reschedules).toBe(true);
    expect(of(divided({}))).not.toHaveProperty("reschedules");
    expect(of({ replicaScheduling: { mode: "Divided", rescheduling: {} } })).not.toHaveProperty("reschedules");
  });

  test("what its pods ask of a node, where replicas are divided by room", () => {
    const { podNeeds } = of(divided({}), { object: app({ resources: { requests: { cpu: "1" } } }) });
    expect(podNeeds).toMatchObject({ nodeSelector: {}, tolerations: [] });
    expect(of({ replicaScheduling: { mode: "Divided" } })).not.toHaveProperty("podNeeds");
  });

  test("how conflicts are resolved", () => {
    expect(of({ conflictResolution: "Adopt" }).conflictResolution).toBe("Adopt");
  });

  test("what has come of failover", () => {
    expect(of({ failover: {} }, { previous: running(["shanghai-1"], placedBy("p")) })).toHaveProperty("failover");
    expect(of({}, { previous: running(["shanghai-1"], placedBy("p")) })).not.toHaveProperty("failover");
  });
});

describe("an object of which the same goes everywhere", () => {
  test("has replicas where its kind has, and none where not", () => {
    expect(of({}).clusters[0]?.replicas).toBe(2);
    expect(ofWidget({}).clusters[0]).not.toHaveProperty("replicas");
  });

  test("has no namespace where it has none", () => {
    const { namespace: _, ...metadata } = widget.metadata;
    const { owner, decision } = targetOf({ object: { ...widget, metadata }, clusters });
    expect(owner).toStrictEqual({ apiVersion: "example.com/v1", kind: "Widget", name: "w", uid: "w" });
    expect(decision.clusters).toEqual([]);
  });
});

describe("where replicas are divided by room", () => {
  const spec = { replicaScheduling: { mode: "Divided", strategy: "Available" } };
  const object = app({ replica: 4 });
  const byHeadroom = (more: Parameters<typeof targetOf>[0] = {}): Target =>
    of(spec, { clusters: [shanghai, singapore], object, ...more });
  const shares = ({ clusters: there }: Target): unknown => there.map(({ name, replicas }) => [name, replicas]);
  const headroomText = ({ decision }: Target): unknown =>
    decision.verdicts[0]?.steps.find(({ name }) => name === "Room")?.message;
  const half = [
    ["shanghai-1", 2],
    ["singapore-1", 2],
  ];

  test("and nobody measures, they are divided all the same", () => {
    expect(shares(byHeadroom())).toEqual(half);
    expect(headroomText(byHeadroom())).toBe("nobody measures its room here");
  });

  test("they wait for what is being measured", () => {
    const target = byHeadroom({ capacities: { get: () => undefined } });
    expect(shares(target)).toEqual([]);
    expect(headroomText(target)).toBe("its room is being measured");
  });

  test("they do not wait for what cannot be measured", () => {
    const target = byHeadroom({ capacities: { get: () => ({ reason: "NoRight", message: "it may not be read" }) } });
    expect([shares(target), headroomText(target)]).toEqual([half, "it may not be read"]);
  });

  test("nobody knows the room for what has no pods", () => {
    const replicaScheduling = { mode: "Divided" as const, strategy: "Available" as const };
    const managedFields = [{ manager: "kubectl", fieldsV1: { "f:spec": {} } }];
    const target = of(
      { replicaScheduling, resourceSelectors: [{ apiVersion: "example.com/v1", kind: "Widget" }] },
      {
        object: { ...widget, metadata: { ...widget.metadata, managedFields }, spec: { replicas: 4 } },
        scale: { spec: ["spec", "replicas"] },
        clusters: [shanghai, singapore],
        capacities: { get: () => undefined },
      },
    );
    expect(shares(target)).toEqual(half);
    expect(headroomText(target)).toBe("the object has no pod template, so nobody knows what a replica takes up");
    expect(target).not.toHaveProperty("podNeeds");
  });

  test("they stay where they were given last, and nobody else is asked where that is", () => {
    let asked = 0;
    const held = () => {
      asked += 1;
      return new Map([["singapore-1", 4]]);
    };
    expect(shares(byHeadroom({ held, capacities: { get: () => undefined } }))).toEqual([["singapore-1", 4]]);
    expect(asked).toBe(1);
    of({}, { held });
    expect(asked).toBe(1);
  });
});

describe("an object that may not go anywhere", () => {
  test("because of its namespace says so, and needs no API of a cluster", () => {
    const terms = namespaceTerms({ name: "default" }, true);
    const target = of({}, { terms });
    expect(target.clusters).toEqual([
      {
        name: "shanghai-1",
        region: "cn-shanghai",
        problem: {
          reason: "ProtectedNamespace",
          message: "nothing is written into the namespace default of members; use another one",
        },
        frozen: false,
        objects: [],
      },
    ]);
  });

  test("because it is nested too deep says how deep it may be", () => {
    let deep: unknown = 1;
    for (let i = 0; i < 9_000; i++) deep = { a: deep };
    const nested = of({}, { object: app({ deep }) });
    expect(nested.clusters[0]?.problem?.message).toMatch(/^the object .*levels/);
    const object = { ...app(), status: { deep } };
    expect(of({}, { object }).clusters[0]).not.toHaveProperty("problem");
  });
});

describe("a dependency that is missing or may not be read", () => {
  const object = app({ envFrom: [{ secretRef: { name: "database" } }] });
  const unreadable = new Set(["/Secret/default/database"]);

  test("is a warning on the hub, whatever of it may be read", () => {
    const { clusters: there } = of({}, { object, unreadable, clusters: [frankfurt, hub] });
    expect(
      there.map(({ name, frozen, frozenFor, warning }) => [name, frozen, frozenFor?.reason, warning?.reason]),
    ).toEqual([
      ["frankfurt-1", true, "SecretAccessDenied", undefined],
      ["hub", false, undefined, "SecretAccessDenied"],
    ]);
  });

  test("leaves a cluster what it was asked for, where it runs there", () => {
    const previous = running(["shanghai-1"], placedBy("p"));
    const bad = overrides("bad", { patches: [{ op: "remove", path: "/none" }] });
    expect(of({}, { previous, overrides: [bad] }).clusters[0]).toMatchObject({ replicas: 7, frozen: true });
    expect(of({}, { overrides: [bad] }).clusters[0]).toMatchObject({ replicas: 2, frozen: false });
    expect(of({}, { previous }).clusters[0]).toMatchObject({ replicas: 2, frozen: false });
  });
});

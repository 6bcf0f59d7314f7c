import { describe, expect, test } from "vitest";
import type { KubeObject, PlacementSpec } from "../../apis/index.ts";
import { app, placement, shanghai, singapore, targetOf } from "../testing/builders.ts";
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

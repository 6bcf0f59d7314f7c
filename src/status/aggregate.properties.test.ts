import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import type { Contact } from "../apis/index.ts";
import type { ClusterTarget, DesiredObject, Target } from "../desiredstate/types.ts";
import { aggregate } from "./aggregate.ts";
import { after, condition, inputOf, target, refused, SECOND, T0 } from "./testing.ts";
import type { ClusterView, RowView, StatusInput } from "./types.ts";

describe("any observations", () => {
  const hash = fc.constantFrom("h1", "h2");
  const arbitraryRow: fc.Arbitrary<RowView> = fc
    .record(
      {
        kind: fc.constantFrom("Deployment", "Service", "Secret"),
        desiredHash: hash,
        observedHash: hash,
        inSync: fc.boolean(),
        images: fc.subarray(["nginx:1", "nginx:2"]),
        health: fc.record(
          {
            state: fc.constantFrom(
              "Progressing" as const,
              "Available" as const,
              "Degraded" as const,
              "Failed" as const,
            ),
            reason: fc.constantFrom("R1", "R2"),
            replicas: fc.record({ desired: fc.nat(5), updated: fc.nat(5), ready: fc.nat(5), available: fc.nat(5) }),
            serves: fc.constantFrom("Now" as const, "Before" as const),
          },
          { requiredKeys: ["state"] },
        ),
        failure: fc.record({ reason: fc.constantFrom("F1", "F2"), message: fc.string(), final: fc.boolean() }),
      },
      { requiredKeys: ["kind", "inSync"] },
    )
    .map(({ kind, ...more }) => ({
      ref: { apiVersion: "v1", kind, namespace: "default", name: "shop" },
      role: kind === "Secret" ? "dependency" : "rendered",
      ...more,
      // What nobody has seen is not known to be in sync.
      inSync: more.inSync && more.observedHash !== undefined,
    }));
  const contact: fc.Arbitrary<Contact> = fc.oneof(
    fc.constant<Contact>({ ok: true, lastContact: T0 }),
    fc.record(
      {
        ok: fc.constant(false),
        lastContact: fc.integer({ min: T0 - 1e6, max: T0 }),
        reason: fc.constantFrom("ClusterUnreachable", "CredentialsExpired"),
        message: fc.string(),
      },
      { requiredKeys: ["ok"] },
    ),
  );
  const arbitraryView: fc.Arbitrary<ClusterView> = fc.record({
    name: fc.constantFrom("a", "b", "c", "d", "e"),
    contact,
    rows: fc.array(arbitraryRow, { maxLength: 3 }),
  });
  const arbitraryObjects = fc.subarray(["Deployment", "StatefulSet"]).chain((kinds) =>
    fc.tuple(
      ...kinds.map((kind) =>
        fc
          .record({ hash, image: fc.constantFrom("nginx:1", "nginx:2") })
          .map(({ hash: own, image }): DesiredObject => ({
            ref: { apiVersion: "apps/v1", kind, namespace: "default", name: "shop" },
            role: "rendered",
            hash: own,
            object: {
              apiVersion: "apps/v1",
              kind,
              metadata: { name: "shop" },
              spec: { template: { spec: { containers: [{ image }] } } },
            },
          })),
      ),
    ),
  );
  const arbitraryCluster: fc.Arbitrary<ClusterTarget> = fc.record(
    {
      name: fc.constantFrom("a", "b", "c", "d", "e"),
      replicas: fc.nat(9),
      frozen: fc.boolean(),
      objects: arbitraryObjects,
      wanted: arbitraryObjects,
      problem: fc.constant({ reason: "InvalidPatch", message: "m" }),
      warning: fc.constant({ reason: "DependencyMissing", message: "m" }),
      frozenFor: fc.constant({ reason: "SecretAccessDenied", message: "m" }),
    },
    { requiredKeys: ["name", "frozen", "objects"] },
  );
  const arbitraryInput: fc.Arbitrary<StatusInput> = fc
    .record({
      clusters: fc.uniqueArray(arbitraryView, { selector: (v) => v.name }),
      planned: fc.uniqueArray(arbitraryCluster, { selector: (c) => c.name }),
      deleting: fc.boolean(),
      suspended: fc.boolean(),
      placed: fc.boolean(),
      generation: fc.constantFrom(3, 4),
      rollout: fc.option(
        fc.record({
          state: fc.constantFrom("Progressing" as const, "RolledBack" as const, "Succeeded" as const),
          revision: fc.constantFrom(1, 2),
          lastGoodRevision: fc.constant(1),
        }),
        { nil: undefined },
      ),
    })
    .map(({ clusters, planned, deleting, suspended, placed, generation, rollout }) => {
      const { placement, ...rest } = target(
        planned.map((c) => c.name),
        { clusters: planned, suspended },
      );
      return inputOf(clusters, {
        deleting,
        generation,
        rollout,
        target: { ...rest, ...(placed && placement !== undefined ? { placement } : {}) },
      });
    });

  test.prop([arbitraryInput, fc.integer({ min: 0, max: 1e7 })])(
    "come to the same status a second time: nothing is written",
    (input, later) => {
      const again = after(input, aggregate(input, T0));
      expect(aggregate(again, T0 + later)).toBe(again.previous);
    },
  );

  test.prop([arbitraryInput, arbitraryInput])("settle at once after any other observations", (first, second) => {
    const status = aggregate(after(second, aggregate(first, T0)), T0 + SECOND);
    const again = after(second, status);
    expect(aggregate(again, T0 + 2 * SECOND)).toBe(again.previous);
  });

  test.prop([arbitraryInput])("give the same status in whatever order they come", (input) => {
    const rows = (v: ClusterView): ClusterView => ({ ...v, rows: v.rows.toReversed() });
    const planned = input.target as Target;
    const other = {
      ...input,
      target: { ...planned, clusters: planned.clusters.toReversed() },
      clusters: input.clusters.toReversed(),
    };
    expect(aggregate(other, T0)).toEqual(aggregate(input, T0));
    const shuffled = aggregate({ ...input, clusters: input.clusters.map(rows) }, T0);
    const ordered = aggregate(input, T0);
    expect(shuffled.clusters?.map((c) => [c.name, c.desiredHash, c.replicas, c.runs])).toEqual(
      ordered.clusters?.map((c) => [c.name, c.desiredHash, c.replicas, c.runs]),
    );
    expect(shuffled.runs).toEqual(ordered.runs);
  });

  test.prop([arbitraryInput])("sum up, and call available only what every planned cluster is", (input) => {
    const status = aggregate(input, T0);
    const entries = status.clusters ?? [];
    for (const field of ["desired", "updated", "ready", "available"] as const) {
      expect(status.replicas?.[field]).toBe(entries.reduce((sum, e) => sum + e.replicas[field], 0));
    }
    const planned = input.deleting ? [] : (input.target?.clusters ?? []);
    const good = planned.filter((c) =>
      ["Available", "Held", "Progressing", "Degraded"].includes(entries.find((e) => e.name === c.name)?.state ?? ""),
    );
    if (condition(status, "Ready")[0] === "True") {
      for (const type of ["Scheduled", "Applied", "Available"]) expect(condition(status, type)[0]).toBe("True");
      expect(condition(status, "Progressing")[0]).toBe("False");
    }
    if (condition(status, "Available")[0] === "True") {
      expect(planned.length).toBeGreaterThan(0);
      expect(good).toHaveLength(planned.length);
    }
  });

  test.prop([arbitraryInput, fc.constantFrom("a", "b", "c", "d", "e")])(
    "totals do not drop when a cluster goes out of reach",
    (input, name) => {
      fc.pre(!input.deleting);
      const before = aggregate(
        { ...input, clusters: input.clusters.map((v) => ({ ...v, contact: { ok: true, lastContact: T0 } })) },
        T0,
      );
      const lost = input.clusters.map((v): ClusterView =>
        v.name === name ? { ...v, contact: refused, rows: [] } : { ...v, contact: { ok: true, lastContact: T0 } },
      );
      expect(aggregate(after({ ...input, clusters: lost }, before), T0 + SECOND).replicas?.ready).toBe(
        before.replicas?.ready,
      );
    },
  );
});

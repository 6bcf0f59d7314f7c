import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { type Contact, defined } from "../apis/index.ts";
import type { ClusterTarget, DesiredObject, Target } from "../desiredstate/types.ts";
import { aggregate } from "./aggregate.ts";
import { after, condition, entry, inputOf, target, refused, SECOND, T0 } from "./testing/builders.ts";
import { conditionsOf, type Told, toldOf } from "./testing/oracle.ts";
import type { ClusterView, RowView, StatusInput } from "./types.ts";

describe("any observations", () => {
  const hash = fc.constantFrom("h1", "h2");
  const why = (...reasons: string[]) => fc.constantFrom(...reasons.map((reason) => ({ reason, message: "m" })));
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
              "Unknown" as const,
            ),
            reason: fc.constantFrom("R1", "R2"),
            replicas: fc.record({ desired: fc.nat(5), updated: fc.nat(5), ready: fc.nat(5), available: fc.nat(5) }),
            serves: fc.constantFrom("Now" as const, "Before" as const),
          },
          { requiredKeys: ["state"] },
        ),
        failure: fc.record({ reason: fc.constantFrom("F1", "F2"), message: fc.string(), final: fc.boolean() }),
        stays: why("AwaitingReplacement", "CustomObjectsExist", "HoldsData", "ClusterNotSynced"),
        kept: why("Suspended"),
        finalizers: fc.constantFrom(["example.com/hold"], ["foregroundDeletion"], []),
        outOfSight: why("KindNotServed"),
      },
      { requiredKeys: ["kind", "inSync"] },
    )
    .map(({ kind, stays, kept, finalizers, outOfSight, ...more }) => {
      // What nobody has seen is not known to be in sync.
      const inSync = more.inSync && more.observedHash !== undefined && more.desiredHash !== undefined;
      return {
        ref: { apiVersion: "v1", kind, namespace: "default", name: "shop" },
        role: kind === "Secret" ? "dependency" : "rendered",
        ...more,
        inSync,
        ...(more.desiredHash === undefined ? defined({ stays }) : {}),
        ...(inSync ? {} : defined({ finalizers })),
        ...(inSync || more.desiredHash === undefined || kind !== "Secret" ? {} : defined({ kept })),
        ...(more.observedHash === undefined ? {} : defined({ outOfSight })),
      };
    });
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
  const arbitraryView: fc.Arbitrary<ClusterView> = fc.record(
    {
      name: fc.constantFrom("a", "b", "c", "d", "e"),
      contact,
      rows: fc.array(arbitraryRow, { maxLength: 3 }),
      mayRemain: fc.constant(true as const),
      stays: why("ClusterNotSynced"),
    },
    { requiredKeys: ["name", "contact", "rows"] },
  );
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
      warning: why("DependencyMissing", "VersionLacksFields"),
      found: fc.constant(true as const),
      frozenFor: fc.constant({ reason: "SecretAccessDenied", message: "m" }),
    },
    { requiredKeys: ["name", "frozen", "objects"] },
  );
  const arbitraryInput: fc.Arbitrary<StatusInput> = fc
    .record({
      clusters: fc.uniqueArray(arbitraryView, { selector: (v) => v.name }),
      planned: fc.uniqueArray(arbitraryCluster, { selector: (c) => c.name }),
      deleting: fc.boolean(),
      overdue: fc.boolean(),
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
    .map(({ clusters, planned, deleting, overdue, suspended, placed, generation, rollout }) => {
      const { placement, ...rest } = target(
        planned.map((c) => c.name),
        { clusters: planned, suspended },
      );
      return inputOf(clusters, {
        deleting,
        isOverdue: () => overdue,
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

  /** Of every cluster there is news, if only that it does not answer. */
  const tried = (input: StatusInput): StatusInput => {
    const views = input.clusters.map((view) =>
      view.contact.ok || view.contact.reason !== undefined ? view : { ...view, contact: refused },
    );
    const others = (input.target?.clusters ?? []).filter(({ name }) => views.every((view) => view.name !== name));
    const clusters = [...views, ...others.map(({ name }) => ({ name, contact: refused, rows: [] }))];
    return { ...input, rollout: undefined, clusters };
  };

  test.prop([arbitraryInput, fc.option(arbitraryInput, { nil: undefined })], { numRuns: 400 })(
    "come to the entries, the sums and the conditions that the rules say",
    (given, earlier) => {
      const input =
        earlier === undefined
          ? { ...given, rollout: undefined }
          : after(tried(given), aggregate(tried(earlier), T0 - SECOND));
      const status = aggregate(input, T0);
      const planned = input.deleting ? [] : (input.target?.clusters ?? []);
      const names = new Set([...input.clusters, ...planned].map(({ name }) => name));
      const told = [...names].toSorted().flatMap((name): (Told & { name: string })[] => {
        const one = toldOf(input, name);
        return one === undefined ? [] : [{ name, ...one }];
      });
      expect(
        (status.clusters ?? []).map(({ name, state, reason, replicas }) => ({ name, state, reason, replicas })),
      ).toEqual(told.map(({ name, state, reason, replicas }) => ({ name, state, reason, replicas })));
      for (const field of ["desired", "updated", "ready", "available"] as const) {
        const sum = (some: Told[]): number => some.reduce((total, one) => total + one.replicas[field], 0);
        const lost = told.filter(({ name }) => input.clusters.find((view) => view.name === name)?.contact.ok !== true);
        expect(status.replicas?.[field]).toBe(sum(told));
        expect(status.staleReplicas?.[field] ?? 0).toBe(
          sum(told.filter((one) => !one.fresh || lost.some(({ name }) => name === one.name))),
        );
      }
      for (const [type, { status: want, causes }] of Object.entries(conditionsOf(input, told))) {
        const [is, reason] = condition(status, type);
        expect([type, is]).toEqual([type, want]);
        expect([type, causes.includes(reason)], `${reason} of ${causes.join()}`).toEqual([type, true]);
      }
      for (const { name, planned: isPlanned } of told)
        expect(entry(status, name)?.desiredHash === undefined || isPlanned).toBe(true);
    },
  );

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

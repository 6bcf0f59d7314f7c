import { describe, expect } from "vitest";
import { test } from "@fast-check/vitest";
import type { ClusterStatusEntry, Contact, FederatedStatus } from "../../apis/index.ts";
import type { ClusterTarget, Target } from "../../desiredstate/types.ts";
import { aggregate } from "../aggregate.ts";
import {
  after,
  at,
  condition,
  entry,
  healthy,
  inputOf,
  neverMet,
  target,
  refused,
  row,
  rowWithout,
  SECOND,
  T0,
  unhealthy,
  untried,
  view,
} from "../testing.ts";
import type { RowView, StatusInput } from "../types.ts";

const LACKING = { reason: "VersionLacksFields", message: "autoscaling/v1 lacks spec.behavior" };
const UNSERVED = { reason: "KindNotServed", message: "widgets cannot be watched" };

describe("the entry of a cluster in contact", () => {
  const failure = { reason: "QuotaExceeded", message: "exceeded quota", final: false };
  const service = { ref: { apiVersion: "v1", kind: "Service", namespace: "default", name: "shop" } };
  const secret = {
    ref: { apiVersion: "v1", kind: "Secret", namespace: "default", name: "s" },
    role: "dependency" as const,
  };
  interface Case {
    name: string;
    rows: RowView[];
    cluster?: Partial<ClusterTarget>;
    target?: Partial<Target>;
    want: Partial<ClusterStatusEntry>;
    ready?: number;
    absent?: (keyof ClusterStatusEntry)[];
  }
  const noText: (keyof ClusterStatusEntry)[] = ["reason", "message"];
  test.each<Case>([
    {
      name: "all in sync and healthy is Available",
      rows: [row()],
      want: { state: "Available" },
      ready: 2,
      absent: noText,
    },
    {
      name: "a claim that stays with its data is told, and is nothing to wait for",
      rows: [
        row(),
        rowWithout(["desiredHash", "health"], {
          ref: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: "default", name: "data" },
          inSync: false,
          stays: { reason: "HoldsData", message: "it stays" },
        }),
      ],
      want: { state: "Available", reason: "HoldsData", message: "it stays" },
      ready: 2,
    },
    {
      name: "nothing there yet is Pending",
      rows: [rowWithout(["observedHash", "health"], { inSync: false })],
      want: { state: "Pending", reason: "Applying" },
      absent: ["observedHash"],
    },
    {
      name: "no rows yet is Pending",
      rows: [],
      want: { state: "Pending", reason: "Applying" },
      absent: ["desiredHash", "observedHash"],
    },
    {
      name: "one of two there is Progressing",
      rows: [row(), rowWithout(["observedHash", "health"], { ...service, inSync: false })],
      want: { state: "Progressing", reason: "Applying" },
      ready: 2,
    },
    {
      name: "drift is Progressing though the hashes are equal",
      rows: [row({ inSync: false })],
      want: { state: "Progressing", reason: "Applying" },
      ready: 2,
    },
    {
      name: "an object that is to go is Progressing",
      rows: [row(), rowWithout(["desiredHash"], { ...service, inSync: false })],
      want: { state: "Progressing", reason: "Removing" },
    },
    {
      name: "a dependency that is not there is Progressing",
      rows: [row(), rowWithout(["observedHash"], { ...secret, inSync: false })],
      want: { state: "Progressing", reason: "Applying" },
    },
    {
      name: "a rollout is Progressing",
      rows: [row({ health: unhealthy("Progressing", 1) })],
      want: { state: "Progressing", reason: "RollingOut", message: "waiting for pods" },
      ready: 1,
    },
    {
      name: "the worst health counts",
      rows: [
        row({ health: unhealthy("Degraded", 1) }),
        row({ ...service, health: { state: "Failed", reason: "NoEndpoints" } }),
      ],
      want: { state: "Failed", reason: "NoEndpoints" },
      absent: ["message"],
    },
    {
      name: "health that nobody reported is Unknown",
      rows: [rowWithout(["health"])],
      want: { state: "Unknown", reason: "NotReported" },
    },
    {
      name: "a failure that is retried gives the reason",
      rows: [rowWithout(["observedHash", "health"], { inSync: false, failure })],
      want: { state: "Pending", reason: "QuotaExceeded", message: "exceeded quota" },
    },
    {
      name: "a failure of an update is Progressing with its reason",
      rows: [row({ inSync: false, observedHash: "h0", failure })],
      want: { state: "Progressing", reason: "QuotaExceeded" },
    },
    {
      name: "a final failure is Failed, and its reason stands rather than that of one that is retried",
      rows: [
        row({ inSync: false, failure }),
        row({ ...service, inSync: false, failure: { reason: "AlreadyExists", message: "not ours", final: true } }),
      ],
      want: { state: "Failed", reason: "AlreadyExists", message: "not ours" },
      ready: 4,
    },
    {
      name: "a failure of what is in sync by now is forgotten",
      rows: [row({ failure: { ...failure, final: true } })],
      want: { state: "Available" },
      absent: noText,
    },
    {
      name: "an override that cannot be applied is Failed, and what runs is counted",
      rows: [row()],
      cluster: { problem: { reason: "InvalidPatch", message: "p: /x does not exist" } },
      want: { state: "Failed", reason: "InvalidPatch", message: "p: /x does not exist" },
      ready: 2,
    },
    {
      name: "suspended is Held",
      rows: [row({ inSync: false, observedHash: "h0" })],
      cluster: { frozen: true, objects: [] },
      target: { suspended: true },
      want: { state: "Held", reason: "Suspended" },
      ready: 2,
      absent: ["message"],
    },
    {
      name: "frozen without suspension says why",
      rows: [row()],
      cluster: { frozen: true, objects: [] },
      target: { scheduled: { status: "False", reason: "NoPlacement", message: "no placement selects it" } },
      want: { state: "Held", reason: "NoPlacement", message: "no placement selects it" },
    },
    {
      name: "one cluster that is frozen for a reason of its own has that reason, and stays available",
      rows: [row()],
      cluster: {
        frozen: true,
        objects: [],
        frozenFor: { reason: "SecretAccessDenied", message: "add shop to the list" },
      },
      want: { state: "Held", reason: "SecretAccessDenied", message: "add shop to the list" },
      ready: 2,
    },
    {
      name: "a warning explains what is not Available",
      rows: [row({ health: unhealthy("Progressing", 0) })],
      cluster: { warning: { reason: "DependencyMissing", message: "Secret s is missing" } },
      want: { state: "Progressing", reason: "DependencyMissing", message: "Secret s is missing" },
    },
    {
      name: "a warning stands beside Available too, and does not change that",
      rows: [row()],
      cluster: { warning: { reason: "DependencyMissing", message: "Secret s is missing" } },
      want: { state: "Available", reason: "DependencyMissing", message: "Secret s is missing" },
    },
    ...(["Available", "Unknown"] as const).map((state) => ({
      name: `fields that are not sent are said beside ${state}`,
      rows: [row({ health: { ...unhealthy("Progressing", 2), state } })],
      cluster: { warning: LACKING },
      want: { state, ...LACKING },
    })),
    {
      name: "fields that are not sent explain nothing that the copy reports itself",
      rows: [row({ health: unhealthy("Degraded", 0, "CrashLoopBackOff") })],
      cluster: { warning: LACKING },
      want: { state: "Degraded", reason: "CrashLoopBackOff" },
    },
    {
      name: "what is out of sight is Unknown, whatever was reported before",
      rows: [row({ outOfSight: UNSERVED })],
      want: { state: "Unknown", ...UNSERVED },
    },
    {
      name: "a failure says more than a warning",
      rows: [row({ inSync: false, failure })],
      cluster: { warning: { reason: "DependencyMissing", message: "" } },
      want: { state: "Progressing", reason: "QuotaExceeded" },
    },
  ])("$name", ({ rows, cluster = {}, target: more = {}, want, ready, absent = [] }) => {
    const planned = target(["a"], {
      clusters: [{ name: "a", replicas: 2, frozen: false, objects: [], ...cluster }],
      ...more,
    });
    const found = entry(aggregate(inputOf([view("a", { rows })], { target: planned }), T0));
    expect(found).toMatchObject({ name: "a", region: "region-of-a", observedAt: at(T0), ...want });
    expect(found?.replicas.desired).toBe(2);
    if (ready !== undefined) expect(found?.replicas.ready).toBe(ready);
    for (const field of absent) expect(found).not.toHaveProperty(field);
  });

  test("what was written and finds no room for its pods is applied; what is refused itself is not", () => {
    const noPods = { ...unhealthy("Failed", 0, "QuotaExceeded") };
    const written = aggregate(inputOf([view("a"), view("b", { rows: [row({ health: noPods })] })]), T0);
    expect(entry(written, "b")).toMatchObject({ state: "Failed", reason: "QuotaExceeded" });
    expect(condition(written, "Applied")).toEqual(["True", "AllClustersApplied", "2 of 2 clusters applied"]);
    expect([condition(written, "Available")[0], condition(written, "Ready")[0]]).toEqual(["False", "False"]);
    const rows = [row({ inSync: false, failure: { ...failure, final: true } })];
    const refusedThere = aggregate(inputOf([view("a"), view("b", { rows })]), T0);
    expect(condition(refusedThere, "Applied").slice(0, 2)).toEqual(["False", "QuotaExceeded"]);
  });

  test("the hashes are equal exactly when every rendered object is as wanted, in whatever order", () => {
    const both = [
      row({ desiredHash: "x", observedHash: "x" }),
      row({ ...service, desiredHash: "y", observedHash: "y" }),
    ];
    const found = (rows: RowView[]): ClusterStatusEntry | undefined =>
      entry(aggregate(inputOf([view("a", { rows })]), T0));
    expect(found(both)?.desiredHash).toBe(found(both)?.observedHash);
    expect(found(both.toReversed())).toEqual(found(both));
    const [first] = both;
    const stale = found([first as RowView, row({ ...service, desiredHash: "y", observedHash: "old", inSync: false })]);
    expect(stale?.desiredHash).toBe(found(both)?.desiredHash);
    expect(stale?.observedHash).not.toBe(stale?.desiredHash);
  });

  test("what is out of sight is not fresh, and why says the entry of what is to go, too", () => {
    const rows = [row({ outOfSight: UNSERVED })];
    const planned = aggregate(inputOf([view("a", { rows }), view("b")]), T0);
    expect(condition(planned, "Fresh").slice(0, 2)).toEqual(["False", "KindNotServed"]);
    const going = aggregate(inputOf([view("a"), view("b", { rows })], { target: target(["a"]) }), T0);
    expect(entry(going, "b")).toMatchObject({ state: "Removing", ...UNSERVED });
  });

  test("what is to go from a cluster is Removing until nothing is left", () => {
    const gone = inputOf([view("a"), view("b", { rows: [rowWithout(["desiredHash"], { inSync: false })] })], {
      target: target(["a"]),
    });
    const status = aggregate(gone, T0);
    expect(entry(status, "b")).toMatchObject({ state: "Removing", replicas: { desired: 0, ready: 2 } });
    expect(status.replicas).toMatchObject({ desired: 2, ready: 4 });
    expect(condition(status, "Progressing")).toEqual(["True", "Removing", "removing from b"]);
    expect(condition(status, "Available")[0]).toBe("True");
    const done = {
      ...after(gone, status),
      clusters: [view("a"), view("b", { rows: [rowWithout(["desiredHash", "observedHash"], { inSync: false })] })],
    };
    expect(aggregate(done, T0).clusters?.map((c) => c.name)).toEqual(["a"]);
  });

  test("a removal that fails says why", () => {
    const failure = { reason: "Forbidden", message: "may not delete", final: true };
    const status = aggregate(
      inputOf([view("b", { rows: [rowWithout(["desiredHash"], { inSync: false, failure })] })], { target: target([]) }),
      T0,
    );
    expect(entry(status, "b")).toMatchObject({ state: "Removing", reason: "Forbidden", message: "may not delete" });
  });

  test("a kind whose number each cluster decides counts what the cluster says", () => {
    const planned = target(["a"], { clusters: [{ name: "a", frozen: false, objects: [] }] });
    expect(
      aggregate(inputOf([view("a", { rows: [row({ health: healthy(7) })] })], { target: planned }), T0).replicas
        ?.desired,
    ).toBe(7);
  });

  test("a kind without replicas is Available with none", () => {
    const planned = target(["a"], { clusters: [{ name: "a", frozen: false, objects: [] }] });
    const status = aggregate(
      inputOf([view("a", { rows: [row({ health: { state: "Available" } })] })], { target: planned }),
      T0,
    );
    expect(entry(status)).toMatchObject({
      state: "Available",
      replicas: { desired: 0, updated: 0, ready: 0, available: 0 },
    });
    expect(condition(status, "Available")[0]).toBe("True");
  });
});

describe("the entry of a lost cluster", () => {
  const running = inputOf([view("a"), view("b")]);
  const settled = aggregate(running, T0 - 60 * SECOND);
  const lose = (
    contact: Contact,
    rows: RowView[] = [],
    previous: FederatedStatus | "none" = settled,
  ): FederatedStatus => {
    const input = inputOf([view("a", { contact, rows }), view("b")]);
    return aggregate(previous === "none" ? input : after(input, previous), T0);
  };

  test("keeps the last numbers and hashes, with the last moment of contact", () => {
    const status = lose(refused, [rowWithout(["observedHash", "health"], { inSync: false })]);
    expect(entry(status)).toEqual({
      ...entry(settled),
      state: "Unknown",
      reason: "ClusterUnreachable",
      message: "connection refused",
      since: at(T0 - 20 * SECOND),
      observedAt: at(T0 - 20 * SECOND),
    });
    expect(status.replicas).toEqual(settled.replicas);
    expect(condition(status, "Applied")[0]).toBe("True");
    expect(condition(status, "Progressing")).toEqual(["False", "Settled", ""]);
  });

  test("what the cluster said last counts more than what was written of it", () => {
    expect(entry(lose(refused, [row({ health: unhealthy("Degraded", 1) })]))?.replicas.ready).toBe(1);
  });

  test("a new target shows in desired replicas and hash, and as not applied", () => {
    const input = inputOf(
      [
        view("a", {
          contact: refused,
          rows: [rowWithout(["observedHash", "health"], { desiredHash: "h2", inSync: false })],
        }),
      ],
      {
        target: target(["a"], { clusters: [{ name: "a", replicas: 9, frozen: false, objects: [] }] }),
      },
    );
    const status = aggregate(after(input, settled), T0);
    expect(entry(status)).toMatchObject({
      state: "Unknown",
      replicas: { desired: 9, ready: 2 },
      observedHash: entry(settled)?.observedHash,
    });
    expect(condition(status, "Applied")).toEqual([
      "False",
      "ClusterUnreachable",
      "0 of 1 cluster applied; a: connection refused",
    ]);
    expect(condition(status, "Progressing")[0]).toBe("False");
  });

  test("never goes back behind a moment at which it was observed", () => {
    expect(entry(lose({ ...refused, lastContact: T0 - 120 * SECOND }))?.observedAt).toBe(at(T0 - 60 * SECOND));
  });

  test("a cluster that nobody has ever reached is Pending without a time", () => {
    const status = lose(neverMet, [], "none");
    expect(entry(status)).toMatchObject({
      state: "Pending",
      reason: "SecretNotFound",
      message: "Secret shanghai-1 does not exist",
    });
    expect(entry(status)).not.toHaveProperty("observedAt");
    expect(condition(status, "Fresh")).toEqual(["False", "SecretNotFound", "not observed: a (never)"]);
    expect(condition(status, "Progressing")[0]).toBe("False");
  });

  test("a cluster that was reached before a restart is Unknown, though this process has never reached it", () => {
    expect(entry(lose(neverMet))).toMatchObject({ state: "Unknown", observedAt: at(T0 - 60 * SECOND) });
  });

  test("a restart that has not tried a cluster yet changes nothing, whatever its state was", () => {
    const rows = [rowWithout(["observedHash", "health"], { inSync: false })];
    const states: StatusInput[] = [
      inputOf([view("a")]),
      inputOf([view("a", { rows: [row({ inSync: false, observedHash: "h0" })] })]),
      inputOf([view("a", { rows: [row({ health: unhealthy("Progressing", 1) })] })]),
      inputOf([view("a", { rows: [row({ health: unhealthy("Degraded", 1) })] })]),
      inputOf([view("a", { contact: refused })]),
      inputOf([view("a", { contact: neverMet, rows })]),
      inputOf([view("a")], {
        target: target(["a"], { suspended: true, clusters: [{ name: "a", replicas: 2, frozen: true, objects: [] }] }),
      }),
    ];
    for (const input of states) {
      const restarted = after({ ...input, clusters: [view("a", { contact: untried, rows })] }, aggregate(input, T0));
      expect(aggregate(restarted, T0 + SECOND)).toBe(restarted.previous);
    }
  });

  test("a cluster that is new and not tried yet is Pending", () => {
    expect(entry(lose(untried, [], "none"))).toMatchObject({ state: "Pending", reason: "Connecting" });
  });

  test("a lost cluster from which the object is to go stays in the list", () => {
    const input = inputOf([view("a", { contact: refused, rows: [] }), view("b")], { target: target(["b"]) });
    const status = aggregate(after(input, settled), T0);
    expect(entry(status)).toMatchObject({ state: "Unknown", replicas: { desired: 0, ready: 2 } });
    expect(condition(status, "Available")[0]).toBe("True");
    expect(condition(status, "Fresh")[0]).toBe("False");
  });

  test("a planned cluster of which the caller says nothing is Pending", () => {
    expect(entry(aggregate(inputOf([], { target: target(["a"]) }), T0))).toMatchObject({
      state: "Pending",
      reason: "Connecting",
    });
  });
});

import { describe, expect } from "vitest";
import { test } from "@fast-check/vitest";
import { hashOf, type FederatedStatus } from "../apis/index.ts";
import { aggregate } from "./aggregate.ts";
import {
  after,
  at,
  entry,
  healthy,
  inputOf,
  target,
  refused,
  row,
  SECOND,
  T0,
  unhealthy,
  view,
} from "./testing/builders.ts";
import type { ClusterView } from "./types.ts";

describe("the status of the contract's example", () => {
  const replicas = { "shanghai-1": 5, "singapore-1": 3, "frankfurt-1": 2 };
  const regions = { "shanghai-1": "cn-shanghai", "singapore-1": "ap-southeast-1", "frankfurt-1": "eu-central-1" };
  const names = ["shanghai-1", "singapore-1", "frankfurt-1"] as const;
  const [t822, t824, t825] = [
    Date.parse("2026-11-21T08:22:30Z"),
    Date.parse("2026-11-21T08:24:41.730Z"),
    Date.parse("2026-11-21T08:25:02.250Z"),
  ];

  const planned = target(names, {
    scheduled: { status: "True", reason: "ClustersSelected", message: "3 of 4 clusters selected" },
    clusters: names.map((name) => ({ name, replicas: replicas[name], frozen: false, objects: [] })),
  });
  const views = (frankfurt: Partial<ClusterView>): ClusterView[] =>
    names.map((name) => {
      const rows = [row({ health: healthy(replicas[name]), desiredHash: name, observedHash: name })];
      return view(name, { region: regions[name], rows, ...(name === "frankfurt-1" ? frankfurt : {}) });
    });
  const dead = { ...unhealthy("Degraded", 0), replicas: { desired: 2, updated: 2, ready: 0, available: 0 } };

  test("has its numbers, reasons and messages", () => {
    const settled = aggregate(inputOf(views({}), { target: planned }), t822);
    const lost = views({
      contact: { ...refused, lastContact: t824 },
      rows: [row({ health: dead, desiredHash: "frankfurt-1", observedHash: "frankfurt-1" })],
    });
    const status = aggregate(after(inputOf(lost, { target: planned }), settled), t825);

    const hash = (name: string): string => hashOf([name]);
    const condition = { observedGeneration: 3, lastTransitionTime: "2026-11-21T08:22:30Z" };
    const moved = { observedGeneration: 3, lastTransitionTime: "2026-11-21T08:25:02Z" };
    const full = (n: number): object => ({ desired: n, updated: n, ready: n, available: n });
    const seen = { observedAt: "2026-11-21T08:22:30Z" };
    expect(status).toEqual({
      observedGeneration: 3,
      placement: { kind: "Placement", namespace: "default", name: "everywhere" },
      replicas: { desired: 10, updated: 10, ready: 8, available: 8 },
      staleReplicas: { desired: 2, updated: 2, ready: 0, available: 0 },
      selector: "app=shop",
      availableClusters: "2/3",
      conditions: [
        {
          type: "Scheduled",
          status: "True",
          reason: "ClustersSelected",
          message: "3 of 4 clusters selected",
          ...condition,
        },
        {
          type: "Applied",
          status: "True",
          reason: "AllClustersApplied",
          message: "3 of 3 clusters applied",
          ...condition,
        },
        {
          type: "Available",
          status: "False",
          reason: "ClusterUnreachable",
          message: "2 of 3 clusters available; frankfurt-1: connection refused",
          ...moved,
        },
        { type: "Progressing", status: "False", reason: "Settled", message: "", ...condition },
        {
          type: "Fresh",
          status: "False",
          reason: "ClusterUnreachable",
          message: "not observed: frankfurt-1 (since 2026-11-21T08:24:41Z)",
          ...moved,
        },
        {
          type: "Ready",
          status: "False",
          reason: "ClusterUnreachable",
          message: "2 of 3 clusters available; frankfurt-1: connection refused",
          ...moved,
        },
      ],
      clusters: [
        {
          name: "frankfurt-1",
          region: "eu-central-1",
          state: "Unknown",
          reason: "ClusterUnreachable",
          message: "connection refused",
          replicas: { desired: 2, updated: 2, ready: 0, available: 0 },
          desiredHash: hash("frankfurt-1"),
          observedHash: hash("frankfurt-1"),
          since: "2026-11-21T08:24:41Z",
          observedAt: "2026-11-21T08:24:41Z",
        },
        {
          name: "shanghai-1",
          region: "cn-shanghai",
          state: "Available",
          replicas: full(5),
          desiredHash: hash("shanghai-1"),
          observedHash: hash("shanghai-1"),
          ...seen,
        },
        {
          name: "singapore-1",
          region: "ap-southeast-1",
          state: "Available",
          replicas: full(3),
          desiredHash: hash("singapore-1"),
          observedHash: hash("singapore-1"),
          ...seen,
        },
      ],
    });
  });
});

describe("nothing new", () => {
  test("is the status of before itself, however much later, and whatever others have added to it", () => {
    const input = inputOf([view("a"), view("b", { contact: refused })]);
    const stored = after(input, aggregate(input, T0)).previous as FederatedStatus;
    const others = { type: "Other", status: "True" as const, reason: "R", message: "", lastTransitionTime: at(T0) };
    const previous = {
      ...stored,
      conditions: [others, ...(stored.conditions ?? [])],
      summary: [],
      later: 1,
    } as FederatedStatus;
    expect(aggregate({ ...input, previous }, T0 + 3600 * SECOND)).toBe(previous);
  });

  test("an entry that did not change keeps its time beside one that did", () => {
    const settled = aggregate(inputOf([view("a"), view("b")]), T0);
    const input = after(
      inputOf([view("a"), view("b", { rows: [row({ health: unhealthy("Degraded", 1) })] })]),
      settled,
    );
    const status = aggregate(input, T0 + 5 * SECOND);
    expect([entry(status, "a")?.observedAt, entry(status, "b")?.observedAt]).toEqual([at(T0), at(T0 + 5 * SECOND)]);
  });
});

describe("how the object parts from its clusters", () => {
  const orphaning = aggregate(inputOf([view("a", {})], { target: target(["a"], { deletionPolicy: "Orphan" }) }), T0);

  test("stays there while the object is being deleted and nobody plans it any more", () => {
    const { target: _, ...rest } = inputOf([view("a", {})]);
    const status = aggregate({ ...rest, target: undefined, deleting: true, previous: orphaning }, T0 + SECOND);
    expect(status.deletionPolicy).toBe("Orphan");
  });
});

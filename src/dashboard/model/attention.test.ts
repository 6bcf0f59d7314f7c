import { describe, expect, test } from "vitest";
import type { FederatedObjectRow, FleetClusterRow, PlacedObjectRow } from "../../query/types.ts";
import { REASONS } from "../../apis/index.ts";
import { HELD_REASONS, oldestObservation, sortedCauses, waitingForPerson } from "./attention.ts";
import { explainCommand, quoted, rolloutCommand } from "./commands.ts";
import { byRegion } from "./regions.ts";
import { becauseText, timelineOf } from "./timeline.ts";

const web = { kind: "DemoApplication", group: "paas.cmft.com", namespace: "shop", name: "web" };

function cluster(name: string, rest: Partial<FleetClusterRow> = {}): FleetClusterRow {
  return { name, state: "Ready", objects: 2, unready: 0, stale: false, labels: {}, ...rest };
}

function waiting(name: string, what: string, since: string): FederatedObjectRow {
  const waits = [{ for: what, since, message: what }];
  const numbers = { ready: 0, desired: 1, clusters: { ready: 0, total: 1 } };
  return { ...web, name, state: "Progressing", ...numbers, waits, observedAt: since, stale: false, labels: {} };
}

function copy(rest: Partial<PlacedObjectRow>): PlacedObjectRow {
  return {
    ...web,
    cluster: "eu-1",
    state: "Unknown",
    ready: 0,
    desired: 1,
    observedAt: "",
    stale: true,
    labels: {},
    ...rest,
  };
}

test.each([...HELD_REASONS])("%s is a reason that statuses have", (reason) => {
  expect(Object.keys(REASONS)).toContain(reason);
});

test("causes with most objects come first, then those that last longest", () => {
  const cause = (reason: string, objects: number, since: string) => ({
    ...{ reason, shape: "", objects, clusters: [], since },
    sample: { object: web, cluster: "eu-1", message: "" },
  });
  const rows = [cause("A", 1, "2026-01-02"), cause("B", 1, "2026-01-01"), cause("C", 5, "2026-01-03")];
  expect(sortedCauses(rows).map(({ reason }) => reason)).toEqual(["C", "B", "A"]);
});

test("only rollouts that a person lets go on are shown, the longest wait first", () => {
  const rows = [
    waiting("new", "approval", "2026-01-02"),
    waiting("gate", "gate", "2026-01-01"),
    waiting("old", "approval", "2026-01-01"),
  ];
  expect(waitingForPerson(rows).map(({ name }) => name)).toEqual(["old", "new"]);
});

test("regions in trouble come first, and in them the clusters in trouble", () => {
  const groups = byRegion([
    cluster("a-1", { region: "a" }),
    cluster("b-1", { region: "b" }),
    cluster("b-2", { region: "b", state: "Unreachable", unready: 1 }),
  ]);
  expect(
    groups.map(({ region, clusters, troubled, copies, unready }) => [
      region,
      clusters.map(({ name }) => name),
      troubled,
      copies,
      unready,
    ]),
  ).toEqual([
    ["b", ["b-2", "b-1"], 1, 4, 1],
    ["a", ["a-1"], 0, 2, 0],
  ]);
});

describe("the oldest observation", () => {
  const lost = cluster("eu-1", { lastContact: "2026-05-01T11:00:00Z", state: "Unreachable" });
  test.each([
    {
      name: "is that of a cluster out of contact",
      clusters: [cluster("eu-2"), lost],
      rows: [],
      want: { at: "2026-05-01T11:00:00Z", cluster: "eu-1" },
    },
    {
      name: "is that of a copy, if that is older",
      clusters: [lost],
      rows: [copy({ cluster: "us-1", observedAt: "2026-05-01T10:00:00Z" })],
      want: { at: "2026-05-01T10:00:00Z", cluster: "us-1" },
    },
    {
      name: "is none while all clusters answer",
      clusters: [cluster("eu-2")],
      rows: [copy({ stale: false })],
      want: undefined,
    },
  ])("$name", ({ clusters, rows, want }) => expect(oldestObservation(clusters, rows)).toEqual(want));
});

describe("commands", () => {
  test.each([
    ["stage eu waits for approval", "meridian rollout approve web -n shop"],
    ["paused by a person: `meridian rollout resume NAME` goes on", "meridian rollout resume web -n shop"],
    [undefined, "meridian rollout status web -n shop"],
  ])("a rollout with the message %s", (message, want) =>
    expect(rolloutCommand({ ...web, ...(message === undefined ? {} : { message }) })).toBe(want),
  );

  test("names of another kind, and objects of no namespace", () => {
    expect(explainCommand({ kind: "ClusterRole", group: "rbac.authorization.k8s.io", name: "view" }, "eu-1")).toBe(
      "meridian explain clusterrole/view --cluster eu-1",
    );
  });

  test.each([
    ["a-b.c", "a-b.c"],
    ["a b", "'a b'"],
    ["$(x)", "'$(x)'"],
    ["it's", String.raw`'it'\''s'`],
    ["", "''"],
  ])("%s for a shell", (text, want) => expect(quoted(text)).toBe(want));
});

describe("the timeline of a pair", () => {
  const step = (at: string, rest: object) => ({ at, from: "", to: "Available", reason: "", ...rest });
  test("has its copy, its object as a whole, and its cluster, newest first", () => {
    const rows = [
      step("2026-01-01T00:00:00Z", { object: web, cluster: "eu-1" }),
      step("2026-01-01T00:00:01Z", { object: web, cluster: "us-1" }),
      step("2026-01-01T00:00:02Z", { object: web }),
      step("2026-01-01T00:00:03Z", { object: { ...web, name: "web-2" }, cluster: "eu-1" }),
      step("2026-01-01T00:00:04Z", { cluster: "eu-1" }),
    ];
    const seconds = timelineOf(rows, { object: web, cluster: "eu-1" }).map(({ at }) => at.slice(18, 19));
    expect(seconds).toEqual(["4", "2", "0"]);
  });

  test.each([
    [undefined, undefined],
    [{ generation: 7 }, "because of generation 7"],
    [{ policy: "Placement/a", cluster: "eu-1" }, "because of Placement/a, cluster eu-1"],
  ])("a cause %o", (because, want) =>
    expect(becauseText({ ...step("", {}), ...(because === undefined ? {} : { because }) })).toBe(want),
  );
});

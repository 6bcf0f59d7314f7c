import { describe, expect, test } from "vitest";
import type { ClusterReport, ObjectReport, StatusReport } from "../view/statusView.ts";
import { clusterReport, objectReport } from "../testing/statusObjects.ts";
import { changes, fit, formatRows, type Row, rowsOf } from "./rows.ts";

const NOW = Date.UTC(2026, 0, 1, 12);
const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1_000).toISOString();
const counts = (desired: number, ready: number) => ({ desired, ready, updated: desired, available: ready });

type Entry = ObjectReport["clusters"][number];

function entry(name: string, fields: Partial<Entry> = {}): Entry {
  return { name, region: name, state: "Available", replicas: counts(2, 2), observedAt: at(10), ...fields };
}

const application = (name: string, clusters: Entry[]): ObjectReport => objectReport(name, { clusters });
const cluster = (name: string, fields: Partial<ClusterReport> = {}): ClusterReport =>
  clusterReport(name, { since: at(30), ...fields });

function report(objects: ObjectReport[], clusters: ClusterReport[] = []): StatusReport {
  return { objects, clusters };
}

const SPACE = { color: false, now: NOW, columns: 200, lines: 50 };

describe("rows", () => {
  test("stand in the order of the clusters, not of the alphabet", () => {
    const rows = rowsOf(report([application("web", [entry("a"), entry("b"), entry("new")])]), ["b", "a"]);
    expect(rows.map((row) => row.cluster)).toEqual(["b", "a", "new"]);
  });

  test("stand with the worst for users first, in each application and across them", () => {
    const ill = (name: string, state: Entry["state"], reason: string) => entry(name, { state, reason });
    const rows = rowsOf(
      report(
        [
          application("blog", [entry("a"), ill("b", "Unknown", "ClusterUnreachable")]),
          application("web", [
            entry("a"),
            ill("b", "Progressing", "RollingOut"),
            ill("c", "Degraded", "ImagePullBackOff"),
          ]),
        ],
        [cluster("d"), cluster("e", { ready: "False", reason: "ClusterUnreachable" })],
      ),
      ["a", "b", "c", "d", "e"],
    );
    expect(rows.map((row) => `${row.application} ${row.cluster}`)).toEqual([
      "default/web c",
      "default/blog b",
      " e",
      "default/web b",
      "default/blog a",
      "default/web a",
      " d",
    ]);
  });

  test("show clusters that run nothing by their own condition", () => {
    const rows = rowsOf(
      report(
        [application("web", [entry("a")])],
        [
          cluster("a"),
          cluster("b"),
          cluster("c", { ready: "False", reason: "ClusterUnreachable", message: "connection refused" }),
          cluster("d", {
            ready: "Unknown",
            reason: "NotReported",
            message: "no manager has reported on it yet",
            since: "",
          }),
        ],
      ),
      ["a", "b", "c", "d"],
    );
    expect(rows.map(({ cluster: name, state, reason }) => [name, state, reason])).toEqual([
      ["c", "NotReady", "ClusterUnreachable"],
      ["d", "Joining", ""],
      ["a", "Available", ""],
      ["b", "Ready", ""],
    ]);
  });
});

describe("an application that runs nowhere", () => {
  const lonely = (conditions: ObjectReport["conditions"]): ObjectReport => ({
    ...application("web", []),
    healthy: false,
    reason: "NoPlacement",
    message: "no Placement selects it",
    replicas: counts(2, 0),
    conditions,
  });
  const scheduled: ObjectReport["conditions"] = [
    { type: "Scheduled", status: "False", reason: "NoPlacement", message: "", lastTransitionTime: at(1) },
  ];

  test("has a row of its own, with the reason", () => {
    const rows = rowsOf(report([lonely(scheduled)]), []);
    expect(formatRows(rows, SPACE)).toEqual([
      "REGION   APPLICATION   DESIRED   READY   STATE       AGE   REASON",
      "-        default/web   2         0       NotPlaced   -     NoPlacement: no Placement selects it",
    ]);
    expect(changes([], rows)).toEqual(["default/web: NotPlaced, 0 of 2 ready (NoPlacement: no Placement selects it)"]);
  });
});

describe("changes", () => {
  const before = rowsOf(report([application("web", [entry("a"), entry("b")])]), ["a", "b"]);

  test("are given for the rows that changed only", () => {
    const after = rowsOf(
      report([
        application("web", [
          entry("a", { state: "Unknown", reason: "ClusterUnreachable", message: "no answer in time" }),
          entry("b"),
        ]),
      ]),
      ["a", "b"],
    );
    expect(changes(before, after)).toEqual(["a: Unknown, 2 of 2 ready (ClusterUnreachable: no answer in time)"]);
  });

  test("of a time alone are none", () => {
    const after = rowsOf(report([application("web", [entry("a", { observedAt: at(0) }), entry("b")])]), ["a", "b"]);
    expect(changes(before, after)).toEqual([]);
  });

  test("name the application where there are several", () => {
    const after = rowsOf(
      report([
        application("web", [entry("a"), entry("b")]),
        application("shop", [entry("a", { replicas: counts(1, 0) })]),
      ]),
      ["a", "b"],
    );
    expect(changes(before, after)).toEqual(["default/shop in a: Available, 0 of 1 ready"]);
  });
});

describe("the table", () => {
  test("shows replicas, state, age and reason for each region", () => {
    const rows = rowsOf(
      report(
        [
          application("web", [
            entry("cn-shanghai", { replicas: counts(5, 5) }),
            entry("us-east-1", { state: "Degraded", reason: "ProgressDeadlineExceeded", replicas: counts(2, 1) }),
          ]),
        ],
        [cluster("eu-west-1")],
      ),
      ["cn-shanghai", "us-east-1", "eu-west-1"],
    );
    expect(formatRows(rows, SPACE)).toEqual([
      "REGION        DESIRED   READY   STATE       AGE   REASON",
      "us-east-1     2         1       Degraded    10s   ProgressDeadlineExceeded",
      "cn-shanghai   5         5       Available   10s   -",
      "eu-west-1     -         -       Ready       30s   -",
    ]);
  });

  test.each([
    { columns: 66, first: "REGION        DESIRED   READY   STATE      AGE   REASON" },
    { columns: 62, first: "REGION        DESIRED   READY   STATE      REASON" },
    { columns: 50, first: "REGION        READY   STATE      REASON" },
    { columns: 44, first: "REGION        STATE      REASON" },
  ])("shows why something is not well, also in $columns columns, where others give way", ({ columns, first }) => {
    const failing = { state: "Degraded", reason: "ImagePullBackOff" } as const;
    const rows = rowsOf(report([application("web", [entry("cn-shanghai", failing)])], []), []);
    const [header, row] = formatRows(rows, { ...SPACE, columns });
    expect([header, row?.endsWith("ImagePullBackOff")]).toEqual([first, true]);
  });

  test("names clusters and applications where regions do not distinguish them", () => {
    const rows = rowsOf(
      report([application("web", [entry("m1", { region: "eu" })]), application("shop", [entry("m1")])]),
      [],
    );
    expect(formatRows(rows, SPACE)[0]).toBe(
      "REGION   CLUSTER   APPLICATION    DESIRED   READY   STATE       AGE   REASON",
    );
  });

  test("leaves out what is well when the terminal is low, and says how much", () => {
    const entries = ["a", "b", "c", "d", "e"].map((name) => entry(name, name === "d" ? { state: "Failed" } : {}));
    const lines = formatRows(rowsOf(report([application("web", entries)]), ["a", "b", "c", "d", "e"]), {
      ...SPACE,
      lines: 4,
    });
    expect(lines.slice(1).map((line) => line.split(" ")[0])).toEqual(["d", "a", "and"]);
    expect(lines.at(-1)).toBe("and 3 more");
  });

  test("colours the state", () => {
    const row: Row = {
      application: "x",
      cluster: "a",
      region: "a",
      state: "Available",
      tone: "good",
      reason: "",
      message: "",
      since: NOW,
    };
    expect(formatRows([row], { ...SPACE, color: true })[1]).toContain("\u001b[32mAvailable\u001b[0m");
  });
});

test.each([
  { name: "what fits stays", line: "abc", columns: 3, want: "abc" },
  { name: "what is too long ends with an ellipsis", line: "abcd", columns: 3, want: "ab…" },
  {
    name: "colours take no room and are closed",
    line: "\u001b[31mabcd\u001b[0m",
    columns: 3,
    want: "\u001b[31mab…\u001b[0m",
  },
])("a line is cut to the terminal: $name", ({ line, columns, want }) => {
  expect(fit(line, columns)).toBe(want);
});

describe("what a cluster runs that is not wanted there", () => {
  const runs = { image: "nginx:1", wanted: { image: "nginx:2" } };
  const rowsWith = (...entries: Entry[]) =>
    rowsOf({ objects: [application("shop", entries)], clusters: [] }, ["a", "b"]);
  const rows = rowsWith(entry("a", { runs }), entry("b"));
  const space = { color: false, now: NOW, columns: 200, lines: 20 };

  test("has a column, as long as some cluster does", () => {
    const [header = "", a = "", b = ""] = formatRows(rows, space);
    const from = header.indexOf("RUNS");
    expect(from).toBeGreaterThan(0);
    expect([a, b].map((line) => line.slice(from).split("   ")[0]?.trim())).toEqual(["nginx:1, wanted: nginx:2", "-"]);
    expect(formatRows(rowsWith(entry("b")), space).join("")).not.toContain("RUNS");
  });

  test("is told in the lines of what has changed", () => {
    const before = rowsWith(entry("a"), entry("b"));
    expect(changes(before, rows)).toEqual(["a: Available, 2 of 2 ready, runs nginx:1, wanted: nginx:2"]);
  });
});

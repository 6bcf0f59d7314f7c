import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, hashOf } from "../../apis/index.ts";
import type { ClusterTarget } from "../../desiredstate/types.ts";
import { type ReportInput, reportOf } from "./report.ts";
import { at, row, rowWithout, SECOND, T0, unhealthy, view } from "../testing.ts";
import type { ClusterView, RowView } from "../types.ts";

const chosen: ClusterTarget = { name: "a", replicas: 2, frozen: false, objects: [] };
const toGo = (more: Partial<RowView> = {}) => rowWithout(["desiredHash"], { inSync: false, ...more });
const gone = (more: Partial<RowView> = {}) => rowWithout(["desiredHash", "observedHash"], { inSync: false, ...more });
const moving = { reason: "AwaitingReplacement", message: "it serves until the object is available on b" };
const failure = { reason: "Forbidden", message: "no right", final: false };

function report(rows: RowView[], more: Partial<ReportInput> = {}, seen: Partial<ClusterView> = {}) {
  return reportOf({
    view: view("a", { rows, ...seen }),
    target: chosen,
    previous: undefined,
    isBrief: false,
    frozenFor: { reason: "NoPlacement", message: "" },
    isUnchanged: true,
    isPlaced: true,
    watchesHealth: false,
    watchesNodes: false,
    now: T0,
    ...more,
  });
}

describe("a cluster that has what is asked for", () => {
  test("is available though what stays there with its data cannot be written", () => {
    const data = toGo({ role: "dependency", stays: { reason: "HoldsData", message: "it stays" }, failure });
    expect(report([row(), data])).toMatchObject({
      available: "Yes",
      entry: { state: "Available", reason: "HoldsData", message: "it stays" },
    });
  });

  test("waits for nobody to agree to what has gone", () => {
    const agreed = gone({ role: "dependency", stays: { reason: "CustomObjectsExist", message: "2" } });
    expect(report([row(), agreed])?.entry.state).toBe("Available");
  });

  test("is not unhealthy where it counts no replicas", () =>
    expect(report([row({ health: { state: "Available" } })], { watchesHealth: true })?.entry).not.toHaveProperty(
      "unhealthySince",
    ));

  test("is in the entry of before for as long as that says the same, in whatever order", () => {
    const first = report([row()])?.entry;
    if (first === undefined) throw new Error("there is an entry");
    const { observedAt, ...rest } = first;
    const previous: ClusterStatusEntry = { ...(observedAt === undefined ? {} : { observedAt }), ...rest };
    expect(report([row()], { previous, now: T0 + SECOND })?.entry.observedAt).toBe(at(T0));
  });
});

describe("what was seen there once", () => {
  const observedHash = hashOf(["h0"]);
  const replicas = { desired: 0, updated: 0, ready: 0, available: 0 };
  const previous: ClusterStatusEntry = { name: "a", state: "Available", replicas, observedHash };
  const unseen = rowWithout(["observedHash"], { inSync: false, failure });

  test("stays said where nobody may look any more", () =>
    expect(report([{ ...unseen, isUnobserved: true }], { previous })?.entry.observedHash).toBe(observedHash));

  test("is not said any more where it is seen to be gone", () =>
    expect(report([unseen], { previous })?.entry).not.toHaveProperty("observedHash"));
});

describe("a patch that the member refuses", () => {
  const policy = { kind: "OverridePolicy", namespace: "default", name: "regional" };
  const patches = [{ policy, rule: 2, patch: 1, kind: "Deployment", path: "/spec/replicas" }];
  const target = { ...chosen, overrides: { policies: [policy], superseded: [], patches } };
  const refused = { reason: "Invalid", message: "must be a number", final: false };
  const said = "OverridePolicy regional, rule 2: patch 1 on Deployment: must be a number";

  test("has failed for good, whatever the member says of trying again", () => {
    const rows = [row({ inSync: false, failure: { ...refused, fields: [".spec.replicas"] } })];
    expect(report(rows, { target })).toMatchObject({
      applied: false,
      available: "No",
      entry: { state: "Failed", reason: "InvalidPatch", message: said },
    });
  });

  test("is not blamed for another field", () => {
    const rows = [row({ inSync: false, failure: { ...refused, fields: [".spec.paused"] } })];
    expect(report(rows, { target })?.entry).toMatchObject({ state: "Progressing", reason: "Invalid" });
  });
});

describe("a copy that stays until the object is available elsewhere", () => {
  const leaving = (rows: RowView[], seen: Partial<ClusterView> = {}) => report(rows, { target: undefined }, seen);

  test("is being removed, and says what it waits for", () =>
    expect(leaving([toGo({ stays: moving })])).toStrictEqual({
      entry: {
        name: "a",
        region: "region-of-a",
        state: "Removing",
        ...moving,
        replicas: { desired: 0, updated: 2, ready: 2, available: 2 },
        observedHash: hashOf(["h1"]),
        since: at(T0),
        observedAt: at(T0),
      },
      planned: false,
      applied: false,
      available: "No",
      fresh: true,
      activity: "Removing",
    }));

  test("says first why it cannot be removed", () =>
    expect(leaving([toGo({ stays: moving }), toGo({ role: "dependency", failure })])).toMatchObject({
      entry: { state: "Removing", reason: "Forbidden", message: "no right" },
      activity: "Removing",
    }));

  test.each([
    { name: "while it serves until then", deployment: toGo({ stays: moving }), want: moving },
    { name: "while it is being taken away", deployment: toGo(), want: {} },
  ])("is on its way, whatever stays there with its data: $name", ({ deployment, want }) => {
    const claim = toGo({ role: "dependency", stays: { reason: "HoldsData", message: "it stays" } });
    for (const rows of [
      [claim, deployment],
      [deployment, claim],
    ])
      expect(leaving(rows)).toMatchObject({ entry: { state: "Removing", ...want }, activity: "Removing" });
    expect(leaving([claim])?.entry).toMatchObject({ state: "Held", reason: "HoldsData" });
  });

  test("is held for another reason all the same", () => {
    const held = leaving([], { mayRemain: true, stays: { reason: "ClusterNotSynced", message: "m" } });
    expect(held?.entry).toMatchObject({ state: "Held", reason: "ClusterNotSynced", message: "m" });
    expect(held).not.toHaveProperty("activity");
  });
});

test("what rolls out with too few replicas is unhealthy where none is available, and only there", () => {
  const since = (available: number) =>
    report([row({ health: unhealthy("Progressing", available) })], { watchesHealth: true })?.entry.unhealthySince;
  expect([since(0), since(1)]).toEqual([at(T0), undefined]);
});

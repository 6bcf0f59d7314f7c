import { describe, expect, test } from "vitest";
import { NOTHING_FINISHED, withEnds } from "../../apis/index.ts";
import { aggregate } from "../aggregate.ts";
import { finishedBy } from "./finished.ts";
import { inputOf, row, T0, view } from "../testing/builders.ts";

/** What the status says of work that has come to its end. */

const ref = { apiVersion: "batch/v1", kind: "Job", namespace: "default", name: "work" };
const complete = { run: "r1", end: "Complete" } as const;
const done = row({ ref, health: { state: "Available" }, ended: complete });
const object = { group: "batch", kind: "Job", namespace: "default", name: "work", hash: "r1" };

describe("the record", () => {
  test("has what was seen beside what is known by the plan", () => {
    const planned = withEnds(NOTHING_FINISHED, [{ cluster: "b", ref, hash: "r1", end: "Failed" }]);
    expect(finishedBy(planned, [view("a", { rows: [done] }), view("b", { rows: [row({ ref })] })])).toEqual({
      objects: [object],
      clusters: [
        { name: "a", complete: "0", everything: true },
        { name: "b", failed: "0" },
      ],
    });
  });

  test("says where all of the object has, and nothing of what goes along", () => {
    const along = row({ ref: { ...ref, kind: "ConfigMap" }, role: "dependency" });
    const beside = row({ ref: { ...ref, kind: "Service" } });
    const everything = (...rows: (typeof done)[]) =>
      finishedBy(undefined, [view("a", { rows })])?.clusters[0]?.everything;
    expect([everything(done, along), everything(done, beside)]).toEqual([true, undefined]);
  });

  test("stands as it was while nobody plans the object", () => {
    const record = finishedBy(undefined, [view("a", { rows: [done] })]);
    const previous = { observedGeneration: 1, ...(record === undefined ? {} : { finished: record }) };
    expect(aggregate(inputOf([], { deleting: true, target: undefined, previous }), T0).finished).toEqual(record);
  });
});

describe("an entry", () => {
  const lost = { ok: false, reason: "ClusterUnreachable", lastContact: T0 } as const;

  test("says that it has finished, also while its cluster does not answer", () => {
    for (const contact of [{ ok: true, lastContact: T0 }, lost]) {
      const status = aggregate(inputOf([view("a", { contact, rows: [done] })]), T0);
      expect(status.clusters).toMatchObject([{ name: "a", state: "Available", reason: "Finished" }]);
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: "Available", status: "True" }));
      expect(status.conditions).toContainEqual(expect.objectContaining({ type: "Fresh", status: "True" }));
    }
  });

  test("says how it has failed", () => {
    const failed = {
      ...done,
      health: { state: "Failed", reason: "BackoffLimitExceeded" },
      ended: { ...complete, end: "Failed" },
    } as const;
    const status = aggregate(inputOf([view("a", { rows: [failed] })]), T0);
    expect(status.clusters).toMatchObject([{ state: "Failed", reason: "BackoffLimitExceeded" }]);
    expect(status.finished?.clusters).toEqual([{ name: "a", failed: "0", everything: true }]);
  });

  test("is the same the next time, so that nothing is written", () => {
    const given = inputOf([view("a", { rows: [done] })]);
    const first = aggregate(given, T0);
    expect(aggregate({ ...given, previous: first }, T0 + 60_000)).toBe(first);
  });
});

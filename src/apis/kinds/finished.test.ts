import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import {
  type End,
  type FinishedRecord,
  finishedRecord,
  NOTHING_FINISHED,
  readFinished,
  withEnds,
  writeFinished,
} from "./finished.ts";

const ref = (name: string, kind = "Job") => ({ apiVersion: "batch/v1", kind, namespace: "default", name });
const ended = (cluster: string, name: string, end: End = "Complete", hash = "h1") => ({
  cluster,
  ref: ref(name),
  hash,
  end,
});

describe("the record of finished work", () => {
  test("names each object and each cluster once", () => {
    const work = withEnds(NOTHING_FINISHED, [
      ...["a", "b", "c"].map((name) => ended("shanghai-1", name)),
      ended("frankfurt-1", "a"),
      ended("frankfurt-1", "b", "Failed"),
      ended("frankfurt-1", "c"),
    ]);
    const written = writeFinished({ ...work, everything: new Set(["frankfurt-1"]) });
    expect(written).toEqual({
      objects: ["a", "b", "c"].map((name) => ({ group: "batch", kind: "Job", namespace: "default", name, hash: "h1" })),
      clusters: [
        { name: "frankfurt-1", complete: "0,2", failed: "1", everything: true },
        { name: "shanghai-1", complete: "0-2" },
      ],
    });
    expect(finishedRecord.parse(written)).toEqual(written);
  });

  test("is none where nothing has finished", () => {
    expect(writeFinished(NOTHING_FINISHED)).toBeUndefined();
    expect(readFinished(undefined)).toBe(NOTHING_FINISHED);
  });

  test("keeps the first end of a run, and is the same value where nothing is new", () => {
    const work = withEnds(NOTHING_FINISHED, [ended("a", "x", "Failed")]);
    expect(withEnds(work, [ended("a", "x", "Complete")])).toBe(work);
  });

  test("that somebody broke names nothing that is not there", () => {
    const objects: FinishedRecord["objects"] = [{ kind: "Pod", name: "x", hash: "h" }];
    const work = readFinished({ objects, clusters: [{ name: "a", complete: "0-9999999,5", failed: "x" }] });
    expect([...(work.runs.get("/Pod//x h")?.ends ?? [])]).toEqual([["a", "Complete"]]);
  });

  test("of a thousand clusters and a hundred objects is far below what etcd takes", () => {
    const all = Array.from({ length: 1_000 }, (_, cluster) => cluster).flatMap((cluster) =>
      // The worst case: no two neighbours ended alike.
      Array.from({ length: 100 }, (_, job) =>
        ended(`cluster-${cluster}`, `job-${job}`, job % 2 === 0 ? "Complete" : "Failed"),
      ),
    );
    const text = JSON.stringify(writeFinished(withEnds(NOTHING_FINISHED, all)));
    expect(text.length).toBeLessThan(400_000);
    expect(writeFinished(readFinished(JSON.parse(text) as FinishedRecord))).toEqual(JSON.parse(text));
  });

  test.prop([
    fc.array(
      fc.record({
        cluster: fc.constantFrom("a", "b", "c"),
        ref: fc.constantFrom("x", "y", "z").map((name) => ref(name)),
        hash: fc.constantFrom("h1", "h2"),
        end: fc.constantFrom<End>("Complete", "Failed"),
      }),
    ),
  ])("comes back as it was written", (all) => {
    const written = writeFinished(withEnds(NOTHING_FINISHED, all));
    expect(writeFinished(readFinished(written))).toEqual(written);
  });
});

import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { isSummedUp, statusSum } from "./statusSum.ts";
import type { MemberStatus } from "../types.ts";

const NOW = Date.parse("2026-11-26T10:00:00Z");
const at = (minute: number): string => `2026-11-26T09:0${minute}:00Z`;
const job = (status?: object, spec: object = {}): KubeObject => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "import", generation: 1 },
  spec,
  ...(status === undefined ? {} : { status }),
});
const members = (...statuses: (object | undefined)[]): MemberStatus[] =>
  statuses.map((status, index) => ({
    cluster: `c${index}`,
    status: status as MemberStatus["status"],
    isCurrent: true,
  }));
const ended = (type: "Complete" | "Failed", start: number, end: number): object => ({
  startTime: at(start),
  ...(type === "Complete" ? { completionTime: at(end), succeeded: 1 } : { failed: 1 }),
  conditions: [{ type, status: "True", reason: "Done" }],
});
const running = (start: number): object => ({ startTime: at(start), active: 1 });
const typesIn = (status: object | undefined): string[] =>
  ((status as { conditions?: { type: string }[] } | undefined)?.conditions ?? []).map(({ type }) => type);
const sum = (...statuses: (object | undefined)[]) => statusSum(job(), members(...statuses), NOW);

describe("the sum of a Job's statuses", () => {
  test("starts with the first copy and ends with the last", () => {
    expect(sum(ended("Complete", 2, 5), ended("Complete", 1, 4))).toMatchObject({
      startTime: at(1),
      completionTime: at(5),
      succeeded: 2,
    });
  });

  test.each([
    ["another copy runs", [ended("Complete", 1, 2), running(1)]],
    ["another copy runs, and one has failed", [ended("Failed", 1, 2), running(1)]],
    ["nothing is known of another copy", [ended("Complete", 1, 2), undefined]],
  ])("has no end while %s", (_name, statuses) => {
    expect(typesIn(sum(...statuses))).toEqual([]);
    expect(sum(...statuses)).not.toHaveProperty("completionTime");
  });

  test("is Failed, and never Complete, once all are finished and one has failed", () => {
    const found = sum(ended("Complete", 1, 2), ended("Failed", 1, 3));
    expect(typesIn(found)).toEqual(["FailureTarget", "Failed"]);
    expect(found).not.toHaveProperty("completionTime");
  });

  test("stays as it is once the Job is finished on the hub", () => {
    const finished = sum(ended("Complete", 1, 2)) as object;
    const after = statusSum(job(finished), members(running(5), running(6)), NOW);
    expect(after).toEqual(finished);
    const managedFields = [
      { manager: "meridian", operation: "Apply" as const, subresource: "status", fieldsV1: { "f:status": {} } },
    ];
    const live = { ...job(finished), metadata: { name: "import", managedFields } };
    expect(isSummedUp(live, after ?? {}, "meridian")).toBe(true);
  });

  test("keeps its start and its counts when a copy is made anew, but for a suspended Job", () => {
    const before = { startTime: at(1), succeeded: 3, failed: 2 };
    const now = members({ startTime: at(5), succeeded: 1 });
    expect(statusSum(job(before), now, NOW)).toMatchObject(before);
    expect(statusSum(job(before, { suspend: true }), now, NOW)).toMatchObject({ startTime: at(5) });
  });

  test("has no running pods beside its end", () => {
    expect(sum({ ...ended("Complete", 1, 2), active: 1, terminating: 1 })).not.toHaveProperty("active");
  });

  test("has an end also where a member sends more conditions than are summed up", () => {
    const others = Array.from({ length: 20 }, (_, index) => ({ type: `A${index}`, status: "True" }));
    const one = ended("Complete", 1, 2) as { conditions: object[] };
    expect(typesIn(sum({ ...one, conditions: [...others, ...one.conditions] })).slice(-2)).toEqual([
      "SuccessCriteriaMet",
      "Complete",
    ]);
  });
});

test("a sum stands on the hub though the server has added empty fields to its conditions", () => {
  const condition = { type: "Complete", status: "True", reason: "Done", message: "", lastTransitionTime: at(1) };
  const live = job({ conditions: [{ ...condition, lastProbeTime: null }] });
  expect(isSummedUp(live, { conditions: [condition] }, "meridian")).toBe(true);
  expect(isSummedUp(live, { conditions: [{ ...condition, reason: "Other" }] }, "meridian")).toBe(false);
  expect(isSummedUp(job({ conditions: [{ ...condition, extra: 1 }] }), { conditions: [condition] }, "meridian")).toBe(
    false,
  );
});

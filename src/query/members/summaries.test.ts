import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { eventSummary, podSummary, uidOfEvent } from "./summaries.ts";

const pod = (rest: object): KubeObject => ({
  ...{ apiVersion: "v1", kind: "Pod", metadata: { name: "shop-1", namespace: "a" } },
  ...rest,
});

describe("a pod", () => {
  test("is summed up with its containers, and why they wait or ended", () => {
    const summary = podSummary(
      pod({
        spec: { nodeName: "n1", initContainers: [{ name: "init" }], containers: [{ name: "web", image: "web:1" }] },
        status: {
          phase: "Running",
          conditions: [{ type: "Ready", status: "False" }],
          initContainerStatuses: [
            { name: "init", ready: true, restartCount: 0, state: { terminated: { exitCode: 0, reason: "Completed" } } },
          ],
          containerStatuses: [
            {
              ...{ name: "web", ready: false, restartCount: 3, state: { waiting: { reason: "CrashLoopBackOff" } } },
              lastState: { terminated: { exitCode: 137, reason: "OOMKilled", finishedAt: "2026-05-01T12:00:00Z" } },
            },
          ],
        },
      }),
    );
    expect(summary).toEqual({
      ...{ name: "shop-1", namespace: "a", phase: "Running", node: "n1", deleting: false, ready: false, restarts: 3 },
      containers: [
        {
          ...{ name: "init", isInit: true, ready: true, restarts: 0 },
          ...{ state: "Terminated", reason: "Completed", exitCode: 0 },
        },
        {
          ...{ name: "web", image: "web:1", ready: false, restarts: 3, state: "Waiting", reason: "CrashLoopBackOff" },
          last: { reason: "OOMKilled", exitCode: 137, at: "2026-05-01T12:00:00Z" },
        },
      ],
    });
  });

  test.each<[what: string, rest: object]>([
    ["texts in place of objects", { spec: "x", status: ["y"] }],
    [
      "objects in place of texts and numbers",
      { spec: { containers: [{ name: {} }], nodeName: {} }, status: { phase: [] } },
    ],
    [
      "strange numbers",
      {
        spec: { containers: [{ name: "web" }] },
        status: { containerStatuses: [{ name: "web", restartCount: -1.5, state: { terminated: { exitCode: "1" } } }] },
      },
    ],
    ["nothing", {}],
  ])("of a hostile member with %s is taken apart all the same", (_what, rest) => {
    expect(podSummary(pod(rest))).toMatchObject({ name: "shop-1", restarts: 0, ready: false });
  });

  test("has no text and no list without bounds", () => {
    const containers = Array.from({ length: 5_000 }, (_, i) => ({ name: `c${i}`, image: "x".repeat(100_000) }));
    const summary = podSummary(pod({ spec: { containers }, status: { message: "y".repeat(1_000_000) } }));
    expect(JSON.stringify(summary).length).toBeLessThan(200_000);
  });
});

describe("an Event", () => {
  test.each([
    {
      what: "with a series",
      given: {
        ...{ eventTime: "2026-05-01T12:00:00Z", reason: "BackOff", note: "restarting", type: "Warning" },
        series: { count: 7, lastObservedTime: "2026-05-01T12:30:00Z" },
      },
      want: { count: 7, firstSeen: "2026-05-01T12:00:00Z", lastSeen: "2026-05-01T12:30:00Z", reason: "BackOff" },
    },
    {
      what: "of the core group",
      given: {
        ...{ deprecatedFirstTimestamp: "2026-05-01T12:00:00Z", deprecatedLastTimestamp: "2026-05-01T12:10:00Z" },
        deprecatedCount: 3,
      },
      want: { count: 3, firstSeen: "2026-05-01T12:00:00Z", lastSeen: "2026-05-01T12:10:00Z", type: "Normal" },
    },
    {
      what: "of a hostile member",
      given: { note: { a: 1 }, regarding: [], series: 5 },
      want: { count: 1, message: "" },
    },
  ])("$what is summed up", ({ given, want }) => {
    const event = { regarding: { kind: "Pod", name: "p", uid: "u" }, ...given };
    const whole = { apiVersion: "events.k8s.io/v1", kind: "Event", metadata: { name: "e" }, ...event };
    expect(eventSummary(whole)).toMatchObject(want);
    expect(uidOfEvent(whole)).toBe(Array.isArray(event.regarding) ? "" : "u");
  });
});

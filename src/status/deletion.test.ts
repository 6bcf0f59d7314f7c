import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry } from "../apis/index.ts";
import { deletionMessage, deletionWait } from "./deletion.ts";
import type { ClusterReport } from "./report.ts";

const SINCE = "2026-11-22T10:00:00Z";
const NONE = { desired: 0, updated: 0, ready: 0, available: 0 };

function remains(name: string, entry: Partial<ClusterStatusEntry> = {}, fresh = true): ClusterReport {
  const whole = { name, state: "Removing" as const, replicas: NONE, ...entry };
  return { entry: whole, planned: false, applied: false, available: "No", fresh };
}
const lost = (name: string, observedAt?: string): ClusterReport =>
  remains(
    name,
    { state: "Unknown", reason: "ClusterUnreachable", ...(observedAt === undefined ? {} : { observedAt }) },
    false,
  );

describe("what a deletion waits for", () => {
  test.each<{ name: string; reports: ClusterReport[]; overdue?: boolean; want: string }>([
    { name: "nothing is left", reports: [], want: "" },
    { name: "it goes its way", reports: [remains("a"), remains("b")], want: "objects remain on a, b" },
    {
      name: "a cluster does not answer",
      reports: [remains("a"), lost("b", "2026-11-22T09:00:00Z")],
      want: "waits for b (ClusterUnreachable since 2026-11-22T09:00:00Z): goes on when it answers or is unjoined",
    },
    {
      name: "several clusters do not answer, one of them for long",
      reports: [lost("a", "2026-11-22T09:00:00Z"), lost("b", "2026-11-22T08:00:00Z")],
      want: "waits for a, b (ClusterUnreachable since 2026-11-22T08:00:00Z): goes on when they answer or are unjoined",
    },
    {
      name: "many clusters have never answered",
      reports: ["a", "b", "c", "d", "e"].map((name) => lost(name)),
      want: "waits for a, b, c and 2 more (ClusterUnreachable): goes on when they answer or are unjoined",
    },
    {
      name: "a person has to agree",
      reports: [lost("a"), remains("b", { state: "Held", reason: "HubWentBack", message: "annotate it" })],
      want: `waits for b since ${SINCE}: annotate it`,
    },
    {
      name: "a cluster refuses",
      reports: [remains("a", { reason: "Forbidden", message: "may not delete" })],
      want: `waits for a since ${SINCE}: Forbidden: may not delete`,
    },
    {
      name: "a finalizer on a member takes its time",
      reports: [remains("a")],
      overdue: true,
      want: `waits for a since ${SINCE}: its objects are being deleted there, and a finalizer of theirs holds them`,
    },
    {
      name: "what frees it is long, so that the rest gives way",
      reports: [remains("a", { state: "Held", message: `agree: ${"x".repeat(100)}` })],
      want: `a: agree: ${"x".repeat(100)}`,
    },
    {
      name: "what frees it fills all there is",
      reports: [remains("a", { state: "Held", message: `agree: ${"x".repeat(113)}` })],
      want: `agree: ${"x".repeat(113)}`,
    },
  ])("$name", ({ reports, overdue = false, want }) => expect(deletionMessage(reports, SINCE, overdue)).toBe(want));

  test("is said by the status while it waits, and not while it goes its way or of what stays", () => {
    const status = (reason: string, message: string) => ({
      conditions: [{ type: "Progressing", status: "True" as const, reason, message, lastTransitionTime: SINCE }],
    });
    expect(deletionWait(status("Deleting", "waits for a"))).toBe("waits for a");
    expect(deletionWait(status("Deleting", "objects remain on a"))).toBeUndefined();
    expect(deletionWait(status("Deleting", ""))).toBeUndefined();
    expect(deletionWait(status("Applying", "waits for a"))).toBeUndefined();
    expect(deletionWait(undefined)).toBeUndefined();
  });
});

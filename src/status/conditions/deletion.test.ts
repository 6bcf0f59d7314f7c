import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, conditionMessage } from "../../apis/index.ts";
import { finalizerHolds } from "../entries/heldRemoval.ts";
import type { ClusterReport } from "../entries/report.ts";
import { deletionMessage, deletionText, deletionWait } from "./deletion.ts";

const SINCE = "2026-11-22T10:00:00Z";
const NONE = { desired: 0, updated: 0, ready: 0, available: 0 };

function remains(name: string, entry: Partial<ClusterStatusEntry> = {}): ClusterReport {
  const whole = { name, state: "Removing" as const, replicas: NONE, ...entry };
  return { entry: whole, planned: false, applied: false, available: "No", fresh: true };
}

function lost(name: string, reason = "ClusterUnreachable", entry: Partial<ClusterStatusEntry> = {}): ClusterReport {
  return { ...remains(name, { state: "Unknown", reason, ...entry }), fresh: false };
}

function heldBy(name: string, finalizer: string, object = "rl"): ClusterReport {
  const ref = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: object };
  const { reason, message } = finalizerHolds(ref, [finalizer]);
  return { ...remains(name, { reason }), ...(typeof message === "object" ? { message } : {}) };
}

const FREEZE = {
  reason: "AdmissionDenied",
  message: "admission policy nodel: change freeze until Monday, call +49 30 1234567 or write to the platform team",
};

describe("a deletion", () => {
  test.each<{ name: string; reports: ClusterReport[]; want: string }>([
    { name: "of which nothing is left", reports: [], want: "" },
    { name: "that makes progress", reports: [remains("a"), remains("b")], want: "objects remain on a, b" },
    {
      name: "does not wait for chosen clusters",
      reports: [{ ...remains("a", { state: "Held", message: "m" }), planned: true }, remains("b")],
      want: "objects remain on b",
    },
    {
      name: "does not wait for a replacement",
      reports: [remains("a", { reason: "AwaitingReplacement", message: "m" })],
      want: "objects remain on a",
    },
    {
      name: "waits for a cluster without contact",
      reports: [remains("a"), lost("b", undefined, { observedAt: "2026-11-22T09:00:00Z" })],
      want: "waits for b: ClusterUnreachable since 2026-11-22T09:00:00Z; goes on when it answers or is unjoined",
    },
    {
      name: "names the earliest time of several clusters",
      reports: [
        lost("a", undefined, { observedAt: SINCE }),
        lost("b", undefined, { observedAt: "2026-11-22T08:00:00Z" }),
      ],
      want: "waits for a, b: ClusterUnreachable since 2026-11-22T08:00:00Z; goes on when they answer or are unjoined",
    },
    {
      name: "tells how to renew the credentials of several clusters",
      reports: [lost("a", "SecretNotFound"), lost("b", "SecretNotFound")],
      want: "waits for a, b: SecretNotFound; run `meridian join NAME --renew --member-kubeconfig FILE`, or unjoin them",
    },
    {
      name: "tells that several MemberClusters must be mended",
      reports: [lost("a", "InvalidConnection"), lost("b", "InvalidConnection")],
      want: `since ${SINCE}: waits for a, b: InvalidConnection; goes on when they are mended or unjoined`,
    },
    {
      name: "waits for a person before other clusters",
      reports: [lost("a"), remains("b", { state: "Held", reason: "HubWentBack", message: "annotate it" })],
      want: `since ${SINCE}: waits for b, a (ClusterUnreachable): annotate it`,
    },
    {
      name: "that the cluster refuses",
      reports: [remains("a", { reason: "Forbidden", message: "may not delete" })],
      want: `since ${SINCE}: waits for a: Forbidden: may not delete`,
    },
    {
      name: "that fails",
      reports: [remains("a", { reason: "ServerError", message: "etcd is away" })],
      want: `since ${SINCE}: waits for a: ServerError: etcd is away`,
    },
    {
      name: "that the cluster refuses in many words",
      reports: [lost("eu-central-1"), remains("cn-shanghai", FREEZE)],
      want: "waits for cn-shanghai, eu-central-1 (ClusterUnreachable): AdmissionDenied: admission policy nodel: change freeze until…",
    },
    {
      name: "that finalizers hold",
      reports: [heldBy("a", "example.com/hold"), heldBy("b", "example.com/hold"), remains("c")],
      want: "waits for a, b: Deployment rl has finalizer example.com/hold; mend its controller or remove it",
    },
  ])("$name", ({ reports, want }) => expect(conditionMessage(deletionMessage(reports, SINCE))).toBe(want));

  test.each<{ name: string; reports?: ClusterReport[]; since?: string; finalizers: string[]; want: string }>([
    {
      name: "a finalizer holds the object",
      since: SINCE,
      finalizers: ["a.io/b"],
      want: `since ${SINCE}: waits on the hub: it has finalizer a.io/b; mend its controller or remove it`,
    },
    {
      name: "copies are left, which go first",
      reports: [remains("a")],
      finalizers: ["a/b"],
      want: "objects remain on a",
    },
  ])("waits on the hub: $name", ({ reports = [], since, finalizers, want }) =>
    expect(conditionMessage(deletionMessage(reports, since, finalizers))).toBe(want),
  );
});

const deleting = (message: string, reason = "Deleting") => ({
  conditions: [
    { type: "Other", status: "True" as const, reason: "Deleting", message: "m", lastTransitionTime: SINCE },
    { type: "Progressing", status: "True" as const, reason, message, lastTransitionTime: SINCE },
  ],
});
const CONFIRMING = remains("a", { reason: "Confirming", message: "nothing is seen there" }).entry;
const AGREE = remains("b", { state: "Held", message: "agree to it" }).entry;

describe("the full text on a deletion", () => {
  test.each([
    { status: undefined, wait: undefined, text: undefined },
    { status: deleting("waits for a", "Applying"), wait: undefined, text: undefined },
    { status: deleting("waits for a"), wait: "waits for a", text: "waits for a" },
    { status: deleting("objects remain on a"), wait: undefined, text: "objects remain on a" },
    { status: deleting(""), wait: undefined, text: "waits for its clusters to let it go" },
    // Nobody has to act until the absence is confirmed.
    { status: { ...deleting("waits for a"), clusters: [CONFIRMING] }, wait: undefined, text: "waits for a" },
    {
      status: { ...deleting("waits for a"), clusters: [CONFIRMING, AGREE] },
      wait: "waits for b: agree to it",
      text: "waits for b: agree to it",
    },
    {
      status: {
        ...deleting("cut…"),
        clusters: [
          remains("cn-shanghai", FREEZE).entry,
          lost("eu", undefined, { observedAt: SINCE }).entry,
          remains("c").entry,
        ],
      },
      wait:
        `waits for cn-shanghai: AdmissionDenied: ${FREEZE.message}; goes on when the cluster allows it; ` +
        `and waits for eu: ClusterUnreachable since ${SINCE}; goes on when it answers or is unjoined`,
      text: undefined,
    },
  ])("of $status.clusters.length entries: $wait", ({ status, wait, text = wait }) => {
    expect(deletionWait(status)).toBe(wait);
    expect(deletionText(status)).toBe(text);
  });

  test("names the time of the deletion", () => {
    expect(deletionWait({ ...deleting("w"), clusters: [AGREE] }, SINCE)).toBe(
      `since ${SINCE}: waits for b: agree to it`,
    );
    expect(deletionText({}, SINCE)).toBe("waits for its clusters to let it go");
  });
});

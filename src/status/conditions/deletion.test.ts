import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry } from "../../apis/index.ts";
import { finalizerHolds } from "../entries/heldRemoval.ts";
import { deletionMessage, deletionText, deletionWait } from "./deletion.ts";
import type { ClusterReport } from "../entries/report.ts";

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

const DEPLOYMENT = { apiVersion: "apps/v1", kind: "Deployment", namespace: "default", name: "rl" };
const HELD = finalizerHolds(DEPLOYMENT, ["example.com/hold"]);
function heldBy(name: string, finalizer: string): ClusterReport {
  const { reason, message, shorter = [] } = finalizerHolds(DEPLOYMENT, [finalizer]);
  return { ...remains(name, { reason, message }), shorter };
}
const FREEZE = {
  reason: "AdmissionDenied",
  message: "admission policy nodel: change freeze until Monday, call +49 30 1234567 or write to the platform team",
};

describe("what a deletion waits for", () => {
  test.each<{ name: string; reports: ClusterReport[]; want: string }>([
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
      want: `waits for b since ${SINCE}: annotate it; also a (ClusterUnreachable)`,
    },
    {
      name: "a cluster refuses",
      reports: [remains("a", { reason: "Forbidden", message: "may not delete" })],
      want: `waits for a since ${SINCE}: Forbidden: may not delete (goes on when the cluster allows it)`,
    },
    {
      name: "a cluster cannot",
      reports: [remains("a", { reason: "ServerError", message: "etcd is away" })],
      want: `waits for a since ${SINCE}: ServerError: etcd is away (is tried again)`,
    },
    {
      name: "a cluster refuses in many words, and another one does not answer",
      reports: [lost("eu-central-1", "2026-11-22T09:00:00Z"), remains("cn-shanghai", FREEZE)],
      want: "cn-shanghai: AdmissionDenied: admission policy nodel: change freeze until…; also eu-central-1 (ClusterUnreachable)",
    },
    {
      name: "a cluster of a long name refuses in many words, and another one does not answer",
      reports: [lost("e".repeat(40)), remains("c".repeat(40), FREEZE)],
      want: `${"c".repeat(40)}: AdmissionDenied: admission policy nodel: change freeze until Monday, call +49…`,
    },
    {
      name: "several clusters of long names refuse",
      reports: ["a", "b", "c", "d"].map((name) => remains(name.repeat(40), FREEZE)),
      want: `${"a".repeat(23)}… and 3 more: AdmissionDenied: admission policy nodel: change freeze until Monday, call +49 30…`,
    },
    {
      name: "clusters of long names do not answer",
      reports: ["a", "b", "c", "d"].map((name) => lost(name.repeat(40), SINCE)),
      want: `${"a".repeat(23)}… and 3 more (ClusterUnreachable): goes on when they answer or are unjoined`,
    },
    {
      name: "a cluster of a long name waits for somebody to agree",
      reports: [remains("c".repeat(40), { state: "Held", message: "m".repeat(90) })],
      want: `${"c".repeat(23)}…: ${"m".repeat(90)}`,
    },
    {
      name: "a finalizer on a member takes its time",
      reports: [remains("cn-shanghai", HELD)],
      want: `cn-shanghai since ${SINCE}: ${HELD.message}`,
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
    {
      name: "a cluster that is held says only why it is",
      reports: [remains("a", { state: "Held", reason: "HubWentBack" })],
      want: `waits for a since ${SINCE}: HubWentBack`,
    },
    {
      name: "a cluster is held, and nobody says why",
      reports: [remains("a", { state: "Held" })],
      want: `waits for a since ${SINCE}: held`,
    },
    {
      name: "a cluster refuses, and says no more",
      reports: [remains("a"), remains("b", { reason: "Forbidden" })],
      want: `waits for b since ${SINCE}: Forbidden (goes on when the cluster allows it)`,
    },
    {
      name: "a cluster refused, and is lost by now",
      reports: [remains("a", { state: "Unknown", reason: "CredentialsRejected" }, false)],
      want: "waits for a (CredentialsRejected): run `meridian join a --renew --member-kubeconfig FILE`, or unjoin it",
    },
    {
      name: "the Secret of a cluster is missing since a time that people know",
      reports: [remains("cn-shanghai", { state: "Unknown", reason: "SecretNotFound", observedAt: SINCE }, false)],
      want: `cn-shanghai (SecretNotFound): run \`meridian join cn-shanghai --renew --member-kubeconfig FILE\`, or unjoin it`,
    },
    {
      name: "the Secrets of several clusters are missing",
      reports: ["a", "b"].map((name) => remains(name, { state: "Unknown", reason: "SecretNotFound" }, false)),
      want: "waits for a, b (SecretNotFound): run `meridian join NAME --renew --member-kubeconfig FILE`, or unjoin them",
    },
    {
      name: "another cluster answers under that name",
      reports: [remains("a", { state: "Unknown", reason: "ClusterIdentityChanged" }, false)],
      want: "waits for a (ClusterIdentityChanged): goes on when its MemberCluster is mended or unjoined",
    },
    {
      name: "two MemberClusters name no way to their clusters",
      reports: ["a", "b"].map((name) => remains(name, { state: "Unknown", reason: "InvalidConnection" }, false)),
      want: "waits for a, b (InvalidConnection): goes on when they are mended or unjoined",
    },
    {
      name: "a cluster is lost, and nobody says why",
      reports: [remains("a", { state: "Unknown" }, false)],
      want: "waits for a (ClusterUnreachable): goes on when it answers or is unjoined",
    },
    {
      name: "a copy stayed until the object serves elsewhere, which is no reason any more",
      reports: [remains("a", { reason: "AwaitingReplacement", message: "m" })],
      want: "objects remain on a",
    },
    {
      name: "three clusters are lost",
      reports: [lost("a"), lost("b"), lost("c")],
      want: "waits for a, b, c (ClusterUnreachable): goes on when they answer or are unjoined",
    },
    {
      name: "finalizers on several members take their time",
      reports: [remains("a", HELD), remains("b", HELD), remains("c")],
      want: `a, b since ${SINCE}: ${HELD.message}`,
    },
    {
      name: "a finalizer holds it on one cluster, and another one does not answer",
      reports: [lost("eu-central-1", "2026-11-22T09:00:00Z"), remains("cn-shanghai", HELD)],
      want: `cn-shanghai: ${HELD.message}; also eu-central-1`,
    },
    {
      name: "two clusters do not answer for different reasons",
      reports: [lost("a"), remains("b", { state: "Unknown", reason: "CredentialsRejected" }, false)],
      want: "waits for a (ClusterUnreachable): goes on when it answers or is unjoined; also b (CredentialsRejected)",
    },
    {
      name: "a finalizer of a long name, so that other words give way to the name of the cluster",
      reports: [heldBy("cn-shanghai", `${"f".repeat(58)}/hold`)],
      want: `cn-shanghai: finalizer ${"f".repeat(58)}/hold; mend its controller or remove it`,
    },
    {
      name: "what is chosen counts for nothing",
      reports: [{ ...remains("a", { state: "Held", message: "m" }), planned: true }, remains("b")],
      want: "objects remain on b",
    },
    {
      name: "what frees it is so long that all there is fits just so",
      reports: [remains("a", { state: "Held", message: "x".repeat(76) })],
      want: `waits for a since ${SINCE}: ${"x".repeat(76)}`,
    },
    {
      name: "and one letter more",
      reports: [remains("a", { state: "Held", message: "x".repeat(87) })],
      want: `a since ${SINCE}: ${"x".repeat(87)}`,
    },
    {
      name: "and so many letters more that the time gives way, too",
      reports: [remains("a", { state: "Held", message: "x".repeat(91) })],
      want: `a: ${"x".repeat(91)}`,
    },
  ])("$name", ({ reports, want }) => expect(deletionMessage(reports, SINCE)).toBe(want));

  test.each<{ name: string; reports: ClusterReport[]; since: string | undefined; heldBy: string[]; want: string }>([
    {
      name: "nothing is left, and a finalizer holds the object on the hub",
      reports: [],
      since: SINCE,
      heldBy: ["example.com/hub-hold"],
      want: `waits on the hub since ${SINCE}: it has finalizer example.com/hub-hold; mend its controller or remove it`,
    },
    {
      name: "the same, and nobody knows since when",
      reports: [],
      since: undefined,
      heldBy: ["a/b", "c/d"],
      want: "waits on the hub: it has finalizers a/b, c/d; mend its controller or remove them",
    },
    {
      name: "such a finalizer has a long name",
      reports: [],
      since: SINCE,
      heldBy: [`${"f".repeat(58)}/hold`],
      want: `on the hub: finalizer ${"f".repeat(58)}/hold; mend its controller or remove it`,
    },
    {
      name: "copies are left, which go first",
      reports: [remains("a")],
      since: SINCE,
      heldBy: ["a/b"],
      want: "objects remain on a",
    },
  ])("is said of the hub last: $name", ({ reports, since, heldBy, want }) =>
    expect(deletionMessage(reports, since, heldBy)).toBe(want),
  );

  test("is said without a time where nobody knows it", () =>
    expect(deletionMessage([remains("a", { state: "Held", message: "m" })], undefined)).toBe("waits for a: m"));

  test("is said by the status while it waits, and not while it goes its way or of what stays", () => {
    const status = (reason: string, message: string) => ({
      conditions: [{ type: "Progressing", status: "True" as const, reason, message, lastTransitionTime: SINCE }],
    });
    expect(deletionWait(status("Deleting", "waits for a"))).toBe("waits for a");
    expect(deletionWait(status("Deleting", "objects remain on a"))).toBeUndefined();
    expect(deletionWait(status("Deleting", ""))).toBeUndefined();
    expect(deletionWait(status("Applying", "waits for a"))).toBeUndefined();
    expect(deletionWait(undefined)).toBeUndefined();
    expect(deletionWait({})).toBeUndefined();
    const [progressing] = status("Deleting", "waits for a").conditions;
    const other = {
      type: "Other",
      status: "True" as const,
      reason: "Deleting",
      message: "m",
      lastTransitionTime: SINCE,
    };
    expect(deletionWait({ conditions: [other] })).toBeUndefined();
    expect(progressing && deletionWait({ conditions: [other, progressing] })).toBe("waits for a");
  });

  test("is said in full, for each cluster that waits, where there is room for it", () => {
    const conditions = [
      {
        type: "Progressing",
        status: "True" as const,
        reason: "Deleting",
        message: "waits for cn-shanghai",
        lastTransitionTime: SINCE,
      },
    ];
    const clusters = [remains("cn-shanghai", HELD), lost("eu-central-1", SINCE), remains("goes-its-way")];
    expect(deletionWait({ conditions, clusters: clusters.map(({ entry }) => entry) }, SINCE)).toBe(
      `waits for cn-shanghai since ${SINCE}: Deployment rl has finalizer example.com/hold; mend its controller or remove it; ` +
        `and for eu-central-1 (ClusterUnreachable since ${SINCE}): goes on when it answers or is unjoined`,
    );
  });

  test("is no news where only certainty is waited for, which comes by itself", () => {
    const progressing = { type: "Progressing", status: "True" as const, reason: "Deleting", lastTransitionTime: SINCE };
    const conditions = [{ ...progressing, message: "waits for a since then: nothing is seen there" }];
    const confirming = remains("a", { reason: "Confirming", message: "nothing is seen there" }).entry;
    const saying = (...clusters: ClusterStatusEntry[]) => ({ conditions, clusters });
    expect(deletionWait(saying(confirming), SINCE)).toBeUndefined();
    expect(deletionText(saying(confirming), SINCE)).toBe("waits for a since then: nothing is seen there");
    expect(deletionWait(saying(confirming, remains("b", HELD).entry), SINCE)).toBe(
      `waits for b since ${SINCE}: ${HELD.message}`,
    );
  });

  test("is told to people in full while it waits and while it goes its way, and not of an object that stays", () => {
    const condition = { type: "Progressing", status: "True" as const, lastTransitionTime: SINCE };
    const deleting = (message: string) => ({ conditions: [{ ...condition, reason: "Deleting", message }] });
    const clusters = [remains("cn-shanghai", FREEZE).entry];
    expect(deletionText({ ...deleting("cn-shanghai: AdmissionDenied: admission…"), clusters }, SINCE)).toBe(
      `waits for cn-shanghai since ${SINCE}: AdmissionDenied: ${FREEZE.message} (goes on when the cluster allows it)`,
    );
    expect(deletionText(deleting("objects remain on a"))).toBe("objects remain on a");
    expect(deletionText(deleting(""), SINCE)).toBe("waits for its clusters to let it go");
    expect(deletionText({}, SINCE)).toBe("waits for its clusters to let it go");
    expect(deletionText({})).toBeUndefined();
  });
});

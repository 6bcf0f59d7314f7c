import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus } from "../../apis/index.ts";
import { condition, DELETED_AT, done, entry, NONE, told, underWay } from "../testing/statusChanges.ts";

describe("trouble", () => {
  const settled = done(1, [entry("a")]);
  const pods = entry("a", { state: "Progressing", reason: "ImagePullBackOff", message: "no such image" });
  const waits = entry("a", { state: "Progressing", reason: "PodsNotReady" });
  const failed = entry("a", { state: "Failed", reason: "QuotaExceeded" });
  const degraded = entry("a", { state: "Degraded" });
  const at = (one: ClusterStatusEntry): FederatedStatus => underWay(1, [one]);

  /** On more clusters than a status lists. */
  const unlisted = (name: string, states?: Record<string, number>): FederatedStatus => ({
    ...underWay(1, [entry("z")]),
    unlistedClusters: [name],
    summary: [{ region: "eu", clusters: 1, replicas: NONE, ...(states === undefined ? {} : { states }) }],
  });
  const scheduled = (status: "True" | "False", reason: string, lastTransitionTime: string): FederatedStatus => ({
    ...underWay(1, []),
    conditions: [{ ...condition("Scheduled", status, reason, `why ${reason}`), lastTransitionTime }],
  });

  test.each<{ name: string; statuses: FederatedStatus[]; want: string[]; deleted?: boolean }>([
    {
      name: "of pods is warned of once, and its end is told",
      statuses: [settled, at(pods), at({ ...pods, message: "in other words" }), at(waits), at(entry("a"))],
      want: [
        "Warning ImagePullBackOff: a: no such image",
        "Normal Recovered: healthy again on a (ImagePullBackOff, in other words)",
      ],
    },
    {
      name: "of a kubelet that has its own word for it",
      statuses: [settled, at({ ...pods, reason: "CreateContainerConfigError" })],
      want: ["Warning CreateContainerConfigError: a: no such image"],
    },
    {
      name: "of another kind is warned of again",
      statuses: [settled, at(pods), at({ ...pods, reason: "CrashLoopBackOff" }), at(entry("a"))],
      want: [
        "Warning ImagePullBackOff: a: no such image",
        "Warning CrashLoopBackOff: a: no such image",
        "Normal Recovered: healthy again on a (CrashLoopBackOff, no such image)",
      ],
    },
    {
      name: "that is a failure is told elsewhere, and its end here",
      statuses: [settled, at(failed), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (QuotaExceeded)"],
    },
    {
      name: "that began before this manager is not warned of again, and its end is told",
      statuses: [at(pods), at({ ...pods, message: "other" }), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (ImagePullBackOff, other)"],
    },
    {
      name: "ends where the object leaves its cluster",
      statuses: [settled, at(pods), at(entry("b")), at(entry("a"))],
      want: [
        "Warning ImagePullBackOff: a: no such image",
        "Normal Recovered: no longer on a (ImagePullBackOff, no such image)",
      ],
    },
    {
      name: "whose end was told is over",
      statuses: [settled, at(pods), at(entry("a")), at(entry("a"))],
      want: [
        "Warning ImagePullBackOff: a: no such image",
        "Normal Recovered: healthy again on a (ImagePullBackOff, no such image)",
      ],
    },
    {
      name: "of an object that serves less than it is to has an end that is told",
      statuses: [settled, at(degraded), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (Degraded)"],
    },
    {
      name: "of that kind has one too where it began before this manager",
      statuses: [at(degraded), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (Degraded)"],
    },
    {
      name: "of pods that lets the object serve less is warned of, and is so for its reason alone",
      statuses: [settled, at(entry("a", { state: "Degraded", reason: "CrashLoopBackOff" }))],
      want: ["Warning CrashLoopBackOff: a: CrashLoopBackOff"],
    },
    {
      name: "of pods that is a failure is told elsewhere",
      statuses: [settled, at(entry("a", { state: "Failed", reason: "CrashLoopBackOff" }))],
      want: [],
    },
    {
      name: "has an end for each cause, with all the clusters that are healthy again",
      statuses: [
        underWay(1, [pods, { ...failed, name: "b" }, { ...pods, name: "c" }]),
        underWay(1, [entry("a"), entry("b"), entry("c")]),
      ],
      want: [
        "Normal Recovered: healthy again on a, c (ImagePullBackOff, no such image)",
        "Normal Recovered: healthy again on b (QuotaExceeded)",
      ],
    },
    {
      name: "has an end that says how long it lasted, whichever reason it had last",
      statuses: [
        settled,
        at({ ...pods, since: "2026-11-21T08:00:00Z" }),
        at({ ...pods, reason: "CrashLoopBackOff", since: "2026-11-21T08:03:00Z" }),
        at(entry("a", { observedAt: "2026-11-21T08:05:00Z" })),
      ],
      want: [
        "Warning ImagePullBackOff: a: no such image",
        "Warning CrashLoopBackOff: a: no such image",
        "Normal Recovered: healthy again on a (CrashLoopBackOff for 5m, no such image)",
      ],
    },
    {
      name: "that somebody on a member makes has an end too",
      statuses: [settled, at({ ...pods, reason: "Contested" }), at(entry("a"))],
      want: ["Normal Recovered: healthy again on a (Contested, no such image)"],
    },
    {
      name: "is none of an object that is being deleted",
      deleted: true,
      statuses: [at(pods), underWay(1, [])],
      want: [],
    },
    {
      name: "ends where healthy clusters are too many to be listed",
      statuses: [settled, at(failed), unlisted("a")],
      want: ["Normal Recovered: healthy again on a (QuotaExceeded)"],
    },
    {
      name: "goes on where nobody can tell which of the unlisted clusters are healthy",
      statuses: [settled, at(failed), unlisted("a", { Failed: 1, Available: 3 }), unlisted("a")],
      want: ["Normal Recovered: healthy again on a (QuotaExceeded)"],
    },
    {
      name: "before anything runs ends, too, where it took longer than things take to come about",
      statuses: [
        at(entry("a", { state: "Pending", reason: "KindNotServed", since: "2026-11-22T10:00:00Z" })),
        at(entry("a", { observedAt: "2026-11-22T10:00:10Z" })),
      ],
      want: ["Normal Recovered: healthy again on a (KindNotServed for 10s)"],
    },
    {
      name: "that is how things come about has none",
      statuses: [
        at(entry("a", { state: "Pending", reason: "KindNotServed", since: "2026-11-22T10:00:00Z" })),
        at(entry("a", { observedAt: "2026-11-22T10:00:09Z" })),
      ],
      want: [],
    },
    {
      name: "of the object as a whole ends, by whichever reason it had last",
      statuses: [
        scheduled("False", "NoPlacement", DELETED_AT),
        scheduled("False", "NoClusterFits", DELETED_AT),
        scheduled("True", "Scheduled", "2026-11-22T10:02:00Z"),
        scheduled("True", "Scheduled", "2026-11-22T10:02:00Z"),
      ],
      want: ["Normal Recovered: over: NoClusterFits for 2m, why NoClusterFits"],
    },
    {
      name: "of the object as a whole that lasts a moment is none",
      statuses: [scheduled("False", "NoPlacement", DELETED_AT), scheduled("True", "Scheduled", "2026-11-22T10:00:03Z")],
      want: [],
    },
    {
      name: "has no end while the object only waits",
      statuses: [at(failed), at(waits), at({ ...waits, state: "Unknown" })],
      want: [],
    },
    {
      name: "of pods is none before anything runs",
      statuses: [settled, at(entry("a", { state: "Pending", reason: "CrashLoopBackOff" })), at(entry("a"))],
      want: [],
    },
    { name: "is none where no cluster is named", statuses: [{}, {}], want: [] },
    { name: "is none while pods start", statuses: [settled, at(waits), at(entry("a"))], want: [] },
  ])("$name", ({ statuses, want, deleted }) =>
    expect(told(statuses, deleted).filter((line) => !line.includes("Rollout"))).toEqual(want),
  );
});

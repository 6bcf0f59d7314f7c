import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus } from "../../apis/index.ts";
import { condition, DELETED_AT, done, entry, NONE, eventsOf, underWay } from "../testing/statusChanges.ts";

describe("trouble", () => {
  const settled = done(1, [entry("a")]);
  const pods = entry("a", { state: "Progressing", reason: "ImagePullBackOff", message: "no such image" });
  const waits = entry("a", { state: "Progressing", reason: "PodsNotReady" });
  const failed = entry("a", { state: "Failed", reason: "QuotaExceeded" });
  const degraded = entry("a", { state: "Degraded" });
  const at = (one: ClusterStatusEntry): FederatedStatus => underWay(1, [one]);

  /** A status that does not list all clusters. */
  const unlisted = (name: string, states?: Record<string, number>): FederatedStatus => ({
    ...underWay(1, [entry("z")]),
    unlistedClusters: [name],
    summary: [{ region: "eu", clusters: 1, replicas: NONE, ...(states === undefined ? {} : { states }) }],
  });
  const scheduled = (status: "True" | "False", reason: string, lastTransitionTime: string): FederatedStatus => ({
    ...underWay(1, []),
    conditions: [{ ...condition("Scheduled", status, reason, `why ${reason}`), lastTransitionTime }],
  });

  const warning = (reason: string) => `Warning ${reason}: a: no such image`;
  const recovered = (why: string) => `Normal Recovered: healthy again on a (${why})`;
  const IMAGE = "ImagePullBackOff";
  const well = at(entry("a"));
  const crashing = { ...pods, reason: "CrashLoopBackOff" };
  const notServed = (since: string): ClusterStatusEntry =>
    entry("a", { state: "Pending", reason: "KindNotServed", since });
  test.each<[string, FederatedStatus[], string[], boolean?]>([
    [
      "of pods has a warning and an end",
      [settled, at(pods), at({ ...pods, message: "in other words" }), at(waits), well, well],
      [warning(IMAGE), recovered(`${IMAGE}, in other words`)],
    ],
    [
      "of pods has another warning for another reason",
      [settled, at(pods), at(crashing), well],
      [warning(IMAGE), warning("CrashLoopBackOff"), recovered("CrashLoopBackOff, no such image")],
    ],
    [
      "that an earlier manager reported has only its end",
      [at(pods), at({ ...pods, message: "other" }), well],
      [recovered(`${IMAGE}, other`)],
    ],
    [
      "ends when the object leaves the cluster",
      [settled, at(pods), at(entry("b")), well],
      [warning(IMAGE), "Normal Recovered: no longer on a (ImagePullBackOff, no such image)"],
    ],
    ["of a degraded object has an end", [settled, at(degraded), well], [recovered("Degraded")]],
    [
      "has an end for each cause, with all clusters",
      [
        underWay(1, [pods, { ...failed, name: "b" }, { ...pods, name: "c" }]),
        underWay(1, [entry("a"), entry("b"), entry("c")]),
      ],
      [
        "Normal Recovered: healthy again on a, c (ImagePullBackOff, no such image)",
        "Normal Recovered: healthy again on b (QuotaExceeded)",
      ],
    ],
    [
      "has an end with its duration and its last reason",
      [
        settled,
        at({ ...pods, since: "2026-11-21T08:00:00Z" }),
        at({ ...crashing, since: "2026-11-21T08:03:00Z" }),
        at(entry("a", { observedAt: "2026-11-21T08:05:00Z" })),
      ],
      [warning(IMAGE), warning("CrashLoopBackOff"), recovered("CrashLoopBackOff for 5m, no such image")],
    ],
    ["is not reported during the deletion", [at(pods), underWay(1, [])], [], true],
    ["ends when all unlisted clusters are healthy", [settled, at(failed), unlisted("a")], [recovered("QuotaExceeded")]],
    [
      "does not end while an unlisted cluster is unhealthy",
      [settled, at(failed), unlisted("a", { Failed: 1, Available: 3 }), unlisted("a")],
      [recovered("QuotaExceeded")],
    ],
    [
      "before the first run has an end if it lasted",
      [at(notServed("2026-11-22T10:00:00Z")), at(entry("a", { observedAt: "2026-11-22T10:00:10Z" }))],
      [recovered("KindNotServed for 10s")],
    ],
    [
      "before the first run is not reported if it was short",
      [at(notServed("2026-11-22T10:00:00Z")), at(entry("a", { observedAt: "2026-11-22T10:00:09Z" }))],
      [],
    ],
    [
      "of the whole object ends with its last reason, once",
      [
        scheduled("False", "NoPlacement", DELETED_AT),
        scheduled("False", "NoClusterFits", DELETED_AT),
        scheduled("True", "Scheduled", "2026-11-22T10:02:00Z"),
        scheduled("True", "Scheduled", "2026-11-22T10:02:00Z"),
      ],
      ["Normal Recovered: over: NoClusterFits for 2m, why NoClusterFits"],
    ],
  ])("%s", (_, statuses, want, deleted) =>
    expect(eventsOf(statuses, deleted).filter((line) => !line.includes("Rollout"))).toEqual(want),
  );
});

import { expect, test } from "vitest";
import { byImpact, countedReasonsText, countReasons, IMPACTS, impactOf, isUnderWay } from "./causes.ts";
import { REASON_GROUPS } from "./reasons.ts";

test("the worst for users goes first, then what holds on most clusters, then by name", () => {
  const found = ["ClusterUnreachable", "Applying", "QuotaExceeded", "AlreadyExists", "ImagePullBackOff"];
  const more = Array.from({ length: 9 }, () => "ImagePullBackOff");
  expect(countedReasonsText(countReasons([...found, ...more]))).toBe(
    "ImagePullBackOff 10, QuotaExceeded 1, AlreadyExists 1, ClusterUnreachable 1, Applying 1",
  );
});

test("a code of a member's kubelet counts as pods that do not run", () => {
  expect(impactOf("CreateContainerConfigError")).toBe(0);
  expect(isUnderWay("CreateContainerConfigError")).toBe(false);
});

test("a reason without a number of clusters stands among the others", () => {
  const reasons = [{ reason: "RolloutPaused" }, { reason: "ImagePullBackOff", clusters: 2 }].toSorted(byImpact);
  expect(countedReasonsText(reasons)).toBe("ImagePullBackOff 2, RolloutPaused");
});

test("every reason has one place at most, and every reason for trouble has one", () => {
  const placed = IMPACTS.flatMap(({ reasons }) => reasons);
  expect(placed).toHaveLength(new Set(placed).size);
  const troubles = [
    "Not healthy",
    "Pods that do not run",
    "Refused by a member",
    "On the way",
    "Contact with a cluster",
  ];
  const needed = [...troubles, "What an object needs beside it", "Why something stays for now"].flatMap((title) =>
    Object.keys(REASON_GROUPS.find((group) => group.title === title)?.reasons ?? {}),
  );
  const none = new Set(["Connected", "DeletionsAccepted", "Finished"]);
  const known = new Set<string>(placed);
  expect(needed.filter((reason) => !known.has(reason) && !none.has(reason))).toEqual([]);
  expect(needed.length).toBeGreaterThan(60);
});

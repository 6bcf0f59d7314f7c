import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { ReconcileContext } from "../../runtime/index.ts";
import { type Before, logChange, logPlan } from "./planLog.ts";
import type { Plan } from "../tables/plans.ts";

const OWNER = "paas.cmft.com/DemoApplication/default/shop";

const object = (metadata: Partial<KubeObject["metadata"]> = {}, observedGeneration?: number): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", uid: "u", generation: 2, ...metadata },
  ...(observedGeneration === undefined ? {} : { status: { observedGeneration } }),
});
const target = (clusters: string[], reason = "ClustersSelected"): Target =>
  ({
    clusters: clusters.map((name) => ({ name })),
    scheduled: { status: "True", reason, message: "2 of 3 clusters fit" },
  }) as unknown as Target;
const plan = (more: Partial<Plan> = {}): Plan => ({
  uid: "u",
  generation: 2,
  target: target(["a", "b"]),
  remaining: new Set(),
  ours: true,
  ...more,
});

const beforeOf = ({ status }: KubeObject, plan: Plan | undefined): Before => ({
  plan,
  status: status as FederatedStatus | undefined,
});

function logging(level: "debug" | "info" | "warn" = "debug") {
  const { logger, lines } = logLines(level);
  return { context: { logger } as unknown as ReconcileContext, lines };
}

describe("a change of an object", () => {
  const deleted = object({ generation: 3, deletionTimestamp: "2026-01-01T00:00:00Z" }, 2);
  const generation = "changed: generation 2";
  test.each<[string, KubeObject, Plan | undefined, string | undefined]>([
    ["if the object is new", object(), undefined, generation],
    ["not if its status was written before this manager", object({}, 2), undefined, undefined],
    ["if its status is of an earlier generation", object({}, 1), undefined, generation],
    ["if its generation has changed", object({}, 2), plan({ generation: 1 }), generation],
    ["if its UID has changed", object({}, 2), plan({ uid: "v" }), generation],
    ["not if it is planned again", object(), plan(), undefined],
    ["if it is being deleted", deleted, plan(), "changed: the object is being deleted"],
    [
      "if it has no generation",
      object({ generation: undefined as never }),
      plan({ generation: 0 }),
      "changed: generation 1",
    ],
  ])("is logged %s", (_, now, before, want) => {
    const { context, lines } = logging();
    logChange(context, OWNER, now, beforeOf(now, before));
    const { generation: number } = now.metadata;
    const line = {
      level: "info",
      object: OWNER,
      resource_uid: "u",
      kind: "DemoApplication",
      generation: number,
      msg: want,
    };
    expect(lines).toMatchObject(want === undefined ? [] : [JSON.parse(JSON.stringify(line)) as object]);
  });
});

describe("a plan", () => {
  const changed = new Set(["a"]);
  const none = new Set<string>();
  const same = target(["a", "b"]);
  test.each<[string, Target, Plan | undefined, ReadonlySet<string>, boolean, string[]]>([
    ["if rows have changed", same, plan(), changed, false, ["info"]],
    ["not if nothing has changed", same, plan(), none, false, []],
    ["if it has other clusters", target(["a"]), plan(), none, false, ["info"]],
    ["if it has another reason", target(["a", "b"], "Suspended"), plan(), none, false, ["info"]],
    ["if the object is new", same, undefined, none, false, ["info"]],
    ["as debug if a new manager finds the object unchanged", same, undefined, none, true, ["debug"]],
  ])("is logged %s", (_, now, before, where, answered, want) => {
    const { context, lines } = logging();
    const found = object({}, answered ? 2 : undefined);
    logPlan(context, OWNER, found, now, beforeOf(found, before), where);
    expect(lines.map(({ level }) => level)).toEqual(want);
  });
});

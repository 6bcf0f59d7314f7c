import { describe, expect, test } from "vitest";
import type { FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { ReconcileContext } from "../../runtime/index.ts";
import { type Before, logChange, logEnd, logPlan, logRemoval } from "./planLog.ts";
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

function telling(level: "debug" | "info" | "warn" = "debug") {
  const { logger, lines } = logLines(level);
  return { context: { logger } as unknown as ReconcileContext, lines };
}

describe("a change of an object is told", () => {
  test.each<{ name: string; now: KubeObject; before: Plan | undefined; want: string | undefined }>([
    { name: "when the object is new", now: object(), before: undefined, want: "changed: generation 2" },
    { name: "not when it was answered before this manager", now: object({}, 2), before: undefined, want: undefined },
    {
      name: "when what was answered is an earlier generation",
      now: object({}, 1),
      before: undefined,
      want: "changed: generation 2",
    },
    {
      name: "when it is another generation",
      now: object({}, 2),
      before: plan({ generation: 1 }),
      want: "changed: generation 2",
    },
    { name: "when it is another life", now: object({}, 2), before: plan({ uid: "v" }), want: "changed: generation 2" },
    { name: "not when it is planned again", now: object(), before: plan(), want: undefined },
    {
      name: "when it is being deleted",
      now: object({ generation: 3, deletionTimestamp: "2026-01-01T00:00:00Z" }, 2),
      before: plan(),
      want: "changed: the object is being deleted",
    },
  ])("$name", ({ now, before, want }) => {
    const { context, lines } = telling();
    logChange(context, OWNER, now, beforeOf(now, before));
    expect(lines.map(({ msg }) => msg)).toEqual(want === undefined ? [] : [want]);
    if (want !== undefined)
      expect(lines[0]).toMatchObject({
        level: "info",
        object: OWNER,
        resource_uid: "u",
        kind: "DemoApplication",
        generation: now.metadata.generation,
      });
  });

  test("of an object whose server counts no generations", () => {
    const { generation: _, ...metadata } = object().metadata;
    const { context, lines } = telling();
    logChange(context, OWNER, { ...object(), metadata }, beforeOf(object(), plan({ generation: 1 })));
    logChange(context, OWNER, { ...object(), metadata }, beforeOf(object(), plan({ generation: 0 })));
    expect(lines.map(({ msg }) => msg)).toEqual(["changed: generation 1"]);
  });
});

describe("a plan is told", () => {
  const changed = new Set(["a"]);
  const none = new Set<string>();

  test.each<{
    name: string;
    now?: Target;
    before?: Plan;
    changed?: ReadonlySet<string>;
    answered?: boolean;
    want: string[];
  }>([
    { name: "when it asks for something else", before: plan(), changed, want: ["info"] },
    { name: "not when it is the same again", before: plan(), want: [] },
    { name: "when it chooses other clusters", now: target(["a"]), before: plan(), want: ["info"] },
    { name: "not when it chooses the same in another order", now: target(["b", "a"]), before: plan(), want: [] },
    {
      name: "when it decides for another reason",
      now: target(["a", "b"], "Suspended"),
      before: plan(),
      want: ["info"],
    },
    { name: "when there was no target", before: plan({ target: undefined }), want: ["info"] },
    { name: "when the object is new", want: ["info"] },
    { name: "more quietly when a manager starts and finds the object answered", answered: true, want: ["debug"] },
  ])("$name", ({ now = target(["a", "b"]), before, changed: where = none, answered = false, want }) => {
    const { context, lines } = telling();
    const found = object({}, answered ? 2 : undefined);
    logPlan(context, OWNER, found, now, beforeOf(found, before), where);
    expect(lines.map(({ level }) => level)).toEqual(want);
  });

  test("with where the object goes, why, and on how many clusters something changes", () => {
    const { context, lines } = telling();
    const cause = "/Secret/default/login";
    logPlan(context, OWNER, object(), target(["a", "b"]), { ...beforeOf(object(), undefined), cause }, changed);
    expect(lines).toMatchObject([
      {
        object: OWNER,
        resource_uid: "u",
        clusters: 2,
        reason: "ClustersSelected",
        changed: 1,
        cause: "/Secret/default/login",
        msg: "planned: 2 of 3 clusters fit",
      },
    ]);
  });

  test("to nobody who does not listen", () => {
    const { context, lines } = telling("info");
    logPlan(context, OWNER, object({}, 2), target(["a"]), beforeOf(object({}, 2), undefined), changed);
    expect(lines).toEqual([]);
  });
});

test("a removal is told where anything is asked for, and the end of it always", () => {
  const { context, lines } = telling();
  logRemoval(context, OWNER, object(), new Set());
  expect(lines).toEqual([]);
  logRemoval(context, OWNER, object(), new Set(["a", "b"]));
  logEnd(context, OWNER, object());
  expect(lines).toMatchObject([
    { level: "info", object: OWNER, resource_uid: "u", changed: 2, msg: "planned: its copies go" },
    {
      level: "info",
      object: OWNER,
      resource_uid: "u",
      msg: "ended: nothing of the object is left on any cluster",
    },
  ]);
});

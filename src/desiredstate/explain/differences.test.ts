import { describe, expect, test } from "vitest";
import { refKey } from "../../apis/index.ts";
import { app, copy, placement, shanghai, targetOf } from "../testing/builders.ts";
import type { ClusterTarget, DesiredObject, Observation, Row, Target } from "../types.ts";
import { copyDifferences, type CopyDifference, type ObservedCopy } from "./differences.ts";

/** The Deployment of one application on shanghai-1, at two revisions. */
const ON = shanghai.name;
const everywhere = placement("everywhere");

function revision(image: string): { target: Target; on: ClusterTarget; deployment: DesiredObject } {
  const target = targetOf({ object: app({ image }), placements: [everywhere], clusters: [shanghai] });
  const [on] = target.clusters;
  const deployment = on?.objects.find(({ ref }) => ref.kind === "Deployment");
  if (on === undefined || deployment === undefined) throw new Error("nothing is desired");
  return { target, on, deployment };
}

const [older, newer] = [revision("nginx:1"), revision("nginx:2")];
const { owner } = newer.target;

function apply({ deployment }: typeof older): Row {
  return { ...deployment, verb: "Apply", cluster: ON, owner, conflictResolution: "Abort" };
}
const hold = (wanted: boolean, hash?: string): Row => ({
  ...{ verb: "Hold", cluster: ON, ref: newer.deployment.ref, role: "rendered", owner, wanted },
  ...(hash === undefined ? {} : { hash }),
  why: { reason: "Suspended", message: "the policy is suspended" },
});
const remove: Row = {
  ...{ verb: "Delete", cluster: ON, ref: newer.deployment.ref, role: "rendered", owner, uid: "u" },
  why: { reason: "NotSelected", message: "no policy selects the cluster" },
};

function seen(hash: string, more: Partial<Observation> = {}): Observation {
  return copy(ON, "Deployment", { hash }, { inSyncWith: hash, ...more });
}

interface Given {
  on?: Partial<ClusterTarget> | undefined;
  row?: Row | undefined;
  observation?: Observation | undefined;
  isKnown?: boolean;
}

/** The difference of the Deployment; by default, the newer revision is desired and asked for. */
function differ(given: Given): CopyDifference | undefined {
  const { row, observation, isKnown = true } = { row: apply(newer), ...given };
  const clusters = "on" in given && given.on === undefined ? [] : [{ ...newer.on, ...given.on }];
  const copies: ObservedCopy[] = [{ cluster: ON, ref: newer.deployment.ref, row, observation, isKnown }];
  const [found] = copyDifferences({ ...newer.target, clusters }, copies);
  return found?.objects.find(({ ref }) => refKey(ref) === refKey(newer.deployment.ref));
}

const IMAGE = "spec.template.spec.containers[name=nginx-demo].image";
const imageChange = [{ path: IMAGE, before: "nginx:1", after: "nginx:2" }];

describe("a copy", () => {
  test.each<[what: string, given: Given, want: object]>([
    ["as desired has no difference", { observation: seen(newer.deployment.hash) }, { change: "None" }],
    ["that was not seen is created", {}, { change: "Create" }],
    ["of a cluster that was not read is unknown", { isKnown: false }, { change: "Unknown" }],
    [
      "of a revision that the hub has shows the fields",
      { observation: seen(older.deployment.hash), on: { objects: [older.deployment], wanted: [newer.deployment] } },
      { change: "Change", fields: imageChange },
    ],
    [
      "whose turn in the rollout is to come waits",
      {
        row: apply(older),
        observation: seen(older.deployment.hash),
        on: { objects: [older.deployment], wanted: [newer.deployment] },
      },
      { change: "Wait", fields: imageChange },
    ],
    [
      "of a forgotten revision says so",
      { observation: seen("forgotten") },
      { change: "Change", fieldsUnknown: expect.stringContaining("revision") },
    ],
    [
      "that was changed on the member says so, with the conflict",
      {
        observation: seen(newer.deployment.hash, {
          inSyncWith: "",
          failure: { reason: "FieldConflict", message: "owned by hpa", fields: ["spec.replicas"], final: true },
        }),
      },
      {
        change: "Change",
        fieldsUnknown: expect.stringContaining("somebody changed it"),
        failure: { reason: "FieldConflict", message: "owned by hpa", fields: ["spec.replicas"] },
      },
    ],
    [
      "that is frozen at another revision is kept, with the reason",
      { row: hold(true, older.deployment.hash), observation: seen(older.deployment.hash) },
      { change: "Keep", why: { reason: "Suspended", message: "the policy is suspended" } },
    ],
    [
      "that is to go is removed",
      { on: undefined, row: remove, observation: seen("old") },
      { change: "Remove", why: { reason: "NotSelected", message: "no policy selects the cluster" } },
    ],
    ["that may not go is kept", { on: undefined, row: hold(false), observation: seen("old") }, { change: "Keep" }],
    ["of another hub object is left out", { on: undefined, row: undefined, observation: seen("old") }, {}],
  ])("%s", (_what, given, want) => {
    const found = differ(given) ?? {};
    expect(found).toMatchObject(want);
    if (!("fields" in want)) expect(found).not.toHaveProperty("fields");
  });

  test("that was corrected names the fields and the time", () => {
    const healed = { at: Date.UTC(2026, 4, 1), lost: [{ path: "spec.replicas" }], gone: false, contested: true };
    expect(differ({ observation: seen(newer.deployment.hash, { healed }) })?.healed).toEqual({
      ...{ at: "2026-05-01T00:00:00Z", fields: ["spec.replicas"], contested: true },
    });
  });
});

describe("values are not shown", () => {
  const SECRET = "c3VwZXItc2VjcmV0";
  const secretRef = { apiVersion: "v1", kind: "Secret", namespace: "default", name: "key" };
  const mapRef = { ...secretRef, kind: "ConfigMap" };

  test.each([
    { what: "of a Secret that a bundle renders", ref: secretRef, role: "rendered" as const, field: "data.key" },
    { what: "of a Secret on which the object depends", ref: secretRef, role: "dependency" as const, field: "data.key" },
    { what: "of a ConfigMap on which the object depends", ref: mapRef, role: "dependency" as const, field: "data.key" },
  ])("$what", ({ ref, role, field }) => {
    const { name, namespace, ...type } = ref;
    const at = (hash: string, key: string): DesiredObject => ({
      ...{ ref, role, hash },
      object: { ...type, metadata: { name, namespace }, data: { key } },
    });
    const on = { ...newer.on, objects: [at("old", "b2xk")], wanted: [at("new", SECRET)] };
    const row: Row = { ...at("new", SECRET), verb: "Apply", cluster: ON, owner, conflictResolution: "Abort" };
    const copies = [{ cluster: ON, ref, row, isKnown: true, observation: { ...seen("old"), ref } }];
    const found = copyDifferences({ ...newer.target, clusters: [on] }, copies);
    expect(found[0]?.objects[0]?.fields).toEqual([{ path: field, masked: true }]);
    expect(JSON.stringify(found)).not.toContain(SECRET);
  });
});

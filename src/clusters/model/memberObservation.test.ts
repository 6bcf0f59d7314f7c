import { describe, expect, test } from "vitest";
import {
  DELETION_POLICY_ANNOTATION,
  HASH_ANNOTATION,
  type KubeObject,
  OBJECT_ANNOTATION,
  OWNER_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import type { Observation, ReportTerms } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";
import { copyIn, lastReportOf, observationOf } from "./memberObservation.ts";
import type { ObservedObject } from "./observed.ts";
import { CLUSTER, CONFIG_REF, holdRow, memberObject, OWNER, row, seen } from "../testing/builders.ts";
import { live, marks } from "../testing/memberWriting.ts";

const observation = (overrides: Partial<MemberObject> = {}, hash?: string): Observation =>
  observationOf(CLUSTER, memberObject(overrides), hash);
const presence = (observed: Partial<ObservedObject>, overrides: Partial<MemberObject> = {}) =>
  observation({ observed: seen({ hash: undefined, owner: undefined, ...observed }), ...overrides }).present;

const LEAST = { uid: "member-1", proven: true, deleting: false, health: { state: "Available" } };

describe("the observation", () => {
  test("of a missing object holds nothing else", () => {
    const nothing = { cluster: CLUSTER, ref: CONFIG_REF, writing: false, revision: 0 };
    expect(observation()).toStrictEqual(nothing);
    // Absence counts only for a row.
    expect(observation({ isAbsent: true })).toStrictEqual(nothing);
  });

  test("holds what is known", () => {
    const failure = { reason: "QuotaExceeded", message: "exceeded quota", final: true };
    const healed = { at: 5, lost: [], gone: true, contested: false };
    const given = { row: row(), revision: 7, writing: true, isAbsent: true, failure, healed };
    expect(observation({ ...given, observed: seen({ hash: undefined, owner: undefined }) }, "h1")).toStrictEqual({
      ...{ cluster: CLUSTER, ref: CONFIG_REF, present: LEAST, inSyncWith: "h1", absent: true },
      ...{ failure, healed, writing: true, revision: 7 },
    });
  });

  test.each<Partial<ObservedObject> & object>([
    {},
    { hash: "h9" },
    { owner: OWNER },
    { createdAt: "2026-01-01T00:00:00Z" },
    { policy: "Orphan" },
    { hubVersion: "12" },
    { conditions: [{ type: "Ready", status: "True" }] },
    { addresses: [{ type: "LoadBalancer", host: "192.0.2.1" }] },
    { images: ["shop:1"] },
    { immutable: true },
    { secretType: "Opaque" },
    { deleting: true, finalizers: ["example.com/hold"] },
    { proven: false },
    { ended: "Complete" },
  ])("of an observed object holds %j and nothing that is unknown", (observed) => {
    expect(presence(observed)).toStrictEqual({ ...LEAST, ...observed });
  });

  test("prefers the trouble of the pods to the workload's own health, unless that is Available", () => {
    const trouble = { reason: "ImagePullBackOff", message: "no such image" };
    const replicas = { desired: 2, ready: 1, updated: 2, available: 1 };
    const degraded = { state: "Degraded", reason: "ReplicasUnavailable", message: "1 of 2", replicas } as const;
    expect(presence({ health: degraded }, { trouble })?.health).toStrictEqual({
      state: "Degraded",
      ...trouble,
      replicas,
    });
    expect(presence({ health: degraded })?.health).toStrictEqual(degraded);
    expect(presence({}, { trouble })?.health).toStrictEqual({ state: "Available" });
  });

  test("holds the refused hashes and the run of this UID, not those of an earlier one", () => {
    const of = (uid: string) => presence({}, { refused: { uid, hashes: ["h2"] }, run: { uid, hash: "r1" } });
    expect(of("member-1")).toStrictEqual({ ...LEAST, refused: ["h2"], run: "r1" });
    expect(of("member-0")).toStrictEqual(LEAST);
  });

  test("prefers the extended report", () => {
    const health = { state: "Progressing" as const, reason: "DeclaredUnavailable", message: "not yet" };
    const report = { health, status: { phase: "Starting" }, isStatusOld: true as const };
    const conditions = [{ type: "Ready", status: "True" as const }];
    expect(presence({ conditions }, { lastReport: { uid: "member-1", report } })).toStrictEqual({
      ...LEAST,
      ...report,
    });
  });
});

const CONTENT: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "shop", namespace: "default", generation: 3 },
  status: { phase: "Ready", observedGeneration: 3 },
};

describe("the extended report", () => {
  const AVAILABLE = { available: 'object.status.phase == "Ready"' };
  const NOT_READ = { health: { state: "Unknown", reason: "NotReported", message: "its health is not known yet" } };
  const earlier = { uid: "member-1", report: { health: { state: "Available" as const } } };

  const reportOf = (reporting: ReportTerms, content?: KubeObject, observed: Partial<ObservedObject> = {}) =>
    lastReportOf(
      memberObject({
        row: row({ reporting }),
        observed: seen({ ...observed, evidence: { live: undefined, content } }),
      }),
    )?.report;

  test.each<[string, Partial<MemberObject>]>([
    ["without a row", { observed: seen() }],
    ["for a row without reporting", { row: row(), observed: seen() }],
    ["for a missing object", { row: row({ reporting: {} }) }],
    ["for an object that is being deleted", { row: row({ reporting: {} }), observed: seen({ deleting: true }) }],
  ])("does not exist %s", (_, object) =>
    expect(lastReportOf(memberObject({ ...object, lastReport: earlier }))).toBeUndefined(),
  );

  test("is the last report of the same UID until the content is read, also for a Hold row", () => {
    const object = memberObject({ row: holdRow({ reporting: {} }), observed: seen(), lastReport: earlier });
    expect(lastReportOf(object)).toBe(earlier);
    const another = { ...object, lastReport: { ...earlier, uid: "member-0" } };
    expect(lastReportOf(another)).toStrictEqual({ uid: "member-1", report: NOT_READ });
  });

  test("has the declared health, and the status only if the row asks for it", () => {
    const { status } = CONTENT;
    expect(reportOf({ health: AVAILABLE }, CONTENT)).toStrictEqual({ health: { state: "Available" } });
    expect(reportOf({ health: AVAILABLE }, { ...CONTENT, status: { phase: "Starting" } })?.health.reason).toBe(
      "DeclaredUnavailable",
    );
    expect(reportOf({ withStatus: true }, CONTENT)).toStrictEqual({ health: expect.anything(), status });
    expect(reportOf({}, CONTENT)).not.toHaveProperty("status");
  });

  const text = (bytes: number) => ({ text: "x".repeat(bytes) });
  test.each<[string, unknown, boolean]>([
    ["no status", undefined, false],
    ["a status that is no object", "Ready", false],
    ["more than 64 KiB", text((64 << 10) + 1), false],
    ["nearly 64 KiB", text(60 << 10), true],
    ["more than 32 levels", nested(33), false],
  ])("of an object with %s has a status of bounded size and depth", (_, status, isKept) => {
    expect(reportOf({ withStatus: true }, { ...CONTENT, status })?.status).toEqual(isKept ? status : undefined);
  });

  test.each<[observed: unknown, generation: number | undefined, isOld: true | undefined]>([
    [2, 3, true],
    [3, 3, undefined],
  ])("with observedGeneration %j of generation %j is old: %j", (observedGeneration, generation, isOld) => {
    const { generation: _, ...metadata } = CONTENT.metadata;
    const versioned = generation === undefined ? metadata : { ...metadata, generation };
    const content = { ...CONTENT, metadata: versioned, status: { observedGeneration } };
    expect(reportOf({ withStatus: true }, content)).toStrictEqual({
      health: expect.anything(),
      status: { observedGeneration },
      ...(isOld === undefined ? {} : { isStatusOld: isOld }),
    });
  });

  test("has the observed replica counts when its own health has none", () => {
    const replicas = { desired: 3, ready: 2, updated: 3, available: 2 };
    const health = { state: "Available" as const, replicas };
    expect(reportOf({ health: AVAILABLE }, CONTENT, { health })?.health).toStrictEqual(health);
    const status = { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 };
    const deployment = { ...CONTENT, apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 1 }, status };
    expect(reportOf({}, deployment, { health })?.health.replicas).toMatchObject({ desired: 1 });
  });
});

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}

describe("the observation of a live object for a plan", () => {
  const common = { cluster: CLUSTER, writing: false, revision: 0 };

  test("does not exist for a foreign object, and holds only what is known", () => {
    expect(copyIn(CLUSTER, live())).toBeUndefined();
    const annotations = { ...marks.annotations, [OWNER_ANNOTATION]: "?" };
    expect(copyIn(CLUSTER, live({ annotations }))).toStrictEqual({
      ...common,
      ref: CONFIG_REF,
      present: { uid: "there", proven: false, deleting: false, health: { state: "Available" } },
    });
  });

  test("holds the marks and the facts of the object", () => {
    const secretRef = { ...CONFIG_REF, kind: "Secret" };
    const annotations = {
      ...marks.annotations,
      [OBJECT_ANNOTATION]: refKey(secretRef),
      [HASH_ANNOTATION]: "h1",
      [DELETION_POLICY_ANNOTATION]: "Orphan",
    };
    const times = { creationTimestamp: "2026-01-01T00:00:00Z", deletionTimestamp: "2026-01-02T00:00:00Z" };
    const secret = { ...live({ annotations, ...times }), kind: "Secret", type: "Opaque", immutable: true };
    const present = {
      ...{ uid: "there", proven: false, hash: "h1", owner: OWNER, createdAt: times.creationTimestamp },
      ...{ policy: "Orphan", deleting: true, immutable: true, secretType: "Opaque" },
      health: { state: "Progressing", reason: "Terminating", message: "it is being deleted" },
    };
    expect(copyIn(CLUSTER, secret)).toStrictEqual({ ...common, ref: secretRef, present });
  });
});

import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import type { Observation, ReportTerms } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";
import { observationOf, toldOf } from "./memberObservation.ts";
import type { ObservedObject } from "./observed.ts";
import { CLUSTER, CONFIG_REF, holdRow, OWNER, row, seen } from "../testing/builders.ts";
import { memberObject } from "../testing/memberObject.ts";

const observation = (overrides: Partial<MemberObject> = {}, hash?: string): Observation =>
  observationOf(CLUSTER, memberObject(overrides), hash);

/** What is told of the member object while there is one. */
const presence = (observed: Partial<ObservedObject>, overrides: Partial<MemberObject> = {}) =>
  observation({ observed: seen(observed), ...overrides }).present;

const LEAST = { uid: "member-1", proven: true, deleting: false, health: { state: "Available" } };
const NAMELESS = { hash: undefined, owner: undefined };

describe("what the hub side is told of a member object", () => {
  test("is no more than that, where nothing is there", () => {
    expect(observation()).toStrictEqual({ cluster: CLUSTER, ref: CONFIG_REF, writing: false, revision: 0 });
  });

  test("is all that is known of it", () => {
    const failure = { reason: "QuotaExceeded", message: "exceeded quota", final: true };
    const healed = { at: 5, lost: [], gone: true, contested: false };
    const given = { row: row(), revision: 7, writing: true, isAbsent: true, failure, healed };
    expect(observation({ ...given, observed: seen(NAMELESS) }, "h1")).toStrictEqual({
      cluster: CLUSTER,
      ref: CONFIG_REF,
      present: LEAST,
      inSyncWith: "h1",
      absent: true,
      failure,
      healed,
      writing: true,
      revision: 7,
    });
  });

  test("is not that it is certainly gone, where nobody asks", () => {
    expect(observation({ isAbsent: true })).not.toHaveProperty("absent");
  });
});

describe("of a member object that is there", () => {
  test("nothing is said that is not known", () => {
    expect(presence(NAMELESS)).toStrictEqual(LEAST);
  });

  test.each<{ name: string; observed: Partial<ObservedObject>; want: object }>([
    { name: "hash", observed: { hash: "h9" }, want: { hash: "h9" } },
    { name: "owner", observed: { owner: OWNER }, want: { owner: OWNER } },
    { name: "age", observed: { createdAt: "2026-01-01T00:00:00Z" }, want: { createdAt: "2026-01-01T00:00:00Z" } },
    { name: "policy", observed: { policy: "Orphan" }, want: { policy: "Orphan" } },
    { name: "hub version", observed: { hubVersion: "12" }, want: { hubVersion: "12" } },
    {
      name: "conditions",
      observed: { conditions: [{ type: "Ready", status: "True" }] },
      want: { conditions: [{ type: "Ready", status: "True" }] },
    },
    {
      name: "addresses",
      observed: { addresses: [{ type: "LoadBalancer", host: "192.0.2.1" }] },
      want: { addresses: [{ type: "LoadBalancer", host: "192.0.2.1" }] },
    },
    { name: "content that cannot be changed", observed: { immutable: true }, want: { immutable: true } },
    { name: "type of a Secret", observed: { secretType: "Opaque" }, want: { secretType: "Opaque" } },
    { name: "deletion", observed: { deleting: true }, want: { deleting: true } },
    {
      name: "list of finalizers",
      observed: { deleting: true, finalizers: ["example.com/hold"] },
      want: { deleting: true, finalizers: ["example.com/hold"] },
    },
    { name: "want of proof", observed: { proven: false }, want: { proven: false } },
  ])("its $name is said", ({ observed, want }) => {
    expect(presence({ ...NAMELESS, ...observed })).toStrictEqual({ ...LEAST, ...want });
  });

  const degraded = { state: "Degraded", reason: "ReplicasUnavailable", message: "1 of 2" } as const;
  const trouble = { reason: "ImagePullBackOff", message: "no such image" };

  test("what its pods say goes before what the workload says, while it is not available", () => {
    const replicas = { desired: 2, ready: 1, updated: 2, available: 1 };
    expect(presence({ health: { ...degraded, replicas } }, { trouble })?.health).toStrictEqual({
      state: "Degraded",
      ...trouble,
      replicas,
    });
    expect(presence({}, { trouble })?.health).toStrictEqual({ state: "Available" });
    expect(presence({ health: degraded })?.health).toStrictEqual(degraded);
  });

  test("what that life of it has refused to become is said, and nothing that an earlier life refused", () => {
    const refused = (uid: string) => presence(NAMELESS, { refused: { uid, hashes: ["h2", "h3"] } });
    expect(refused("member-1")).toStrictEqual({ ...LEAST, refused: ["h2", "h3"] });
    expect(refused("member-0")).toStrictEqual(LEAST);
  });

  test("what a row asks for beyond that goes before what is told of every one", () => {
    const report = {
      health: { state: "Progressing" as const, reason: "DeclaredUnavailable", message: "not yet" },
      status: { phase: "Starting" },
      isStatusOld: true as const,
    };
    const conditions = [{ type: "Ready", status: "True" as const }];
    const told = { uid: "member-1", report };
    expect(presence({ ...NAMELESS, conditions }, { told })).toStrictEqual({ ...LEAST, ...report });
  });
});

const CONTENT: KubeObject = {
  apiVersion: "example.com/v1",
  kind: "Database",
  metadata: { name: "shop", namespace: "default", generation: 3 },
  status: { phase: "Ready", observedGeneration: 3 },
};

describe("what a row asks for beyond what is told of every one", () => {
  const AVAILABLE = { available: 'object.status.phase == "Ready"' };
  const NOT_READ = { state: "Unknown", reason: "NotReported", message: "its health is not known yet" };

  /** What is told now of an object with that content. */
  const telling = (reporting: ReportTerms, content?: KubeObject, observed: Partial<ObservedObject> = {}) =>
    toldOf(
      memberObject({
        row: row({ reporting }),
        observed: seen({ ...observed, evidence: { live: undefined, content } }),
      }),
    );

  test.each([
    { name: "no row asks", object: { observed: seen() } },
    { name: "the row asks for nothing more", object: { row: row(), observed: seen() } },
    { name: "nothing is there", object: { row: row({ reporting: {} }) } },
    { name: "it is on its way out", object: { row: row({ reporting: {} }), observed: seen({ deleting: true }) } },
  ])("is nothing while $name", ({ object }) => {
    const told = { uid: "member-1", report: { health: { state: "Available" as const } } };
    expect(toldOf(memberObject({ ...object, told }))).toBeUndefined();
  });

  test("is asked for by a row that holds as well", () => {
    const held = memberObject({ row: holdRow({ reporting: {} }), observed: seen() });
    expect(toldOf(held)).toStrictEqual({ uid: "member-1", report: { health: NOT_READ } });
  });

  test("is what was told last of the same life, until its content is read", () => {
    const told = { uid: "member-1", report: { health: { state: "Available" as const } } };
    const object = memberObject({ row: row({ reporting: {} }), observed: seen(), told });
    expect(toldOf(object)).toBe(told);
    expect(toldOf({ ...object, told: { ...told, uid: "member-0" } })?.report).toStrictEqual({ health: NOT_READ });
  });

  test("is its health as the placement declares it", () => {
    expect(telling({ health: AVAILABLE }, CONTENT)).toStrictEqual({
      uid: "member-1",
      report: { health: { state: "Available" } },
    });
    expect(telling({ health: AVAILABLE }, { ...CONTENT, status: { phase: "Starting" } })?.report.health).toMatchObject({
      state: "Progressing",
      reason: "DeclaredUnavailable",
    });
  });

  test("is not its status, unless that is asked for", () => {
    const { status } = CONTENT;
    expect(telling({ withStatus: true }, CONTENT)?.report).toStrictEqual({ health: expect.anything(), status });
    expect(telling({}, CONTENT)?.report).not.toHaveProperty("status");
  });

  test.each([
    { name: "no status", status: undefined },
    { name: "a status that is no object", status: "Ready" },
    { name: "a status of more than 64 KiB", status: { text: "x".repeat((64 << 10) + 1) } },
    { name: "a status nested deeper than 32 levels", status: nested(33) },
  ])("is without the status of what has $name", ({ status }) => {
    const { status: _, ...content } = CONTENT;
    expect(telling({ withStatus: true }, { ...content, status })?.report).toStrictEqual({ health: expect.anything() });
  });

  test.each([
    { name: "of nearly 64 KiB", status: { text: "x".repeat(60 << 10) } },
    { name: "nested 31 levels deep", status: nested(31) },
  ])("has room for a status $name", ({ status }) => {
    expect(telling({ withStatus: true }, { ...CONTENT, status })?.report.status).toEqual(status);
  });

  test.each([
    { name: "of an earlier generation", observedGeneration: 2, generation: 3, isOld: true },
    { name: "of this generation", observedGeneration: 3, generation: 3, isOld: false },
    { name: "that does not say of which generation it is", observedGeneration: undefined, generation: 3, isOld: false },
    { name: "whose generation is no number", observedGeneration: "2", generation: 3, isOld: false },
    { name: "of an object without generations", observedGeneration: 0, generation: undefined, isOld: false },
    { name: "before the object had any generation", observedGeneration: -1, generation: undefined, isOld: true },
  ])("says that a status is old: one $name", ({ observedGeneration, generation, isOld }) => {
    const { generation: _, ...metadata } = CONTENT.metadata;
    const content: KubeObject = {
      ...CONTENT,
      metadata: generation === undefined ? metadata : { ...metadata, generation },
      status: { observedGeneration },
    };
    const report = telling({ withStatus: true }, content)?.report;
    expect(report !== undefined && "isStatusOld" in report).toBe(isOld);
    expect(report?.isStatusOld === true).toBe(isOld);
  });

  test("is how many replicas there are as well, where its health does not say", () => {
    const replicas = { desired: 3, ready: 2, updated: 3, available: 2 };
    const health = { state: "Available" as const, replicas };
    expect(telling({ health: AVAILABLE }, CONTENT, { health })?.report.health).toStrictEqual(health);
    const deployment: KubeObject = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "shop", namespace: "default" },
      spec: { replicas: 1 },
      status: { replicas: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    };
    const own = telling({}, deployment, { health })?.report.health.replicas;
    expect(own).toBeDefined();
    expect(own).not.toEqual(replicas);
  });
});

function nested(levels: number): object {
  let value: object = {};
  for (let level = 1; level < levels; level += 1) value = { value };
  return value;
}

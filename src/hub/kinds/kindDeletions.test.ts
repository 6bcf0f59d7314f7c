import { describe, expect, onTestFinished, test } from "vitest";
import { ALLOW_DELETION_ANNOTATION, fullMessage, inFull } from "../../apis/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type Client, DEMOAPPLICATIONS, DEPLOYMENTS, type ResourceType } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { KindDeletions } from "./kindDeletions.ts";

const { signal } = new AbortController();
const NAME = "demoapplications.paas.cmft.com";
const AGAIN = 5_000;
const LEAVING = { deletionTimestamp: "2026-01-01T00:00:00Z" };
const AWAY = new ApiError(500, "InternalError", "etcd is away");

/** What is known of a CRD, that of DemoApplications unless given, which is as the test says. */
function deletions(metadata: object | Error = {}, crd = NAME) {
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const state = { metadata, reads: 0, options: undefined as unknown, opened: Promise.resolve() };
  const get = async (_type: unknown, _namespace: unknown, name: string, options: unknown) => {
    expect(name).toBe(crd);
    state.reads += 1;
    state.options = options;
    await state.opened;
    if (state.metadata instanceof Error) throw state.metadata;
    return { metadata: { name, ...state.metadata } };
  };
  const kinds = new KindDeletions({ client: { get } as unknown as Client, clock, logger });
  onTestFinished(() => kinds[Symbol.dispose]());
  let changes = 0;
  kinds.changes.subscribe(() => void (changes += 1));
  return { kinds, clock, lines, state, changes: () => changes };
}

describe("the deletions of a kind are held", () => {
  test.each<{ name: string; metadata: object | Error; message: string | undefined }>([
    { name: "not while its CRD stays", metadata: {}, message: undefined },
    {
      name: "while its CRD is being deleted, until a person agrees",
      metadata: LEAVING,
      message: `CRD ${NAME} is being deleted; if meant, annotate it ${ALLOW_DELETION_ANNOTATION}=true`,
    },
    {
      name: "as long as the person does not say so in so many words",
      metadata: { ...LEAVING, annotations: { [ALLOW_DELETION_ANNOTATION]: "yes" } },
      message: `CRD ${NAME} is being deleted; if meant, annotate it ${ALLOW_DELETION_ANNOTATION}=true`,
    },
    {
      name: "not any more when the person agrees",
      metadata: { ...LEAVING, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } },
      message: undefined,
    },
    { name: "when its CRD is gone", metadata: new ApiError(404, "NotFound", "gone"), message: `CRD ${NAME} is gone` },
    {
      name: "when nobody may read its CRD",
      metadata: new ApiError(403, "Forbidden", "no"),
      message: `Meridian may not get CRD ${NAME}`,
    },
  ])("$name", async ({ metadata, message }) => {
    const { kinds, state } = deletions(metadata);
    const held = await kinds.held(DEMOAPPLICATIONS, {}, signal);
    expect(held && inFull(held)).toEqual(message === undefined ? undefined : { reason: "KindBeingDeleted", message });
    expect(state.options).toMatchObject({ metadataOnly: true });
  });

  test("also for a kind of a project of Kubernetes, which has a CRD like any other", async () => {
    const gateways = { ...DEPLOYMENTS, group: "gateway.networking.k8s.io", plural: "gateways", kind: "Gateway" };
    const { kinds, state } = deletions(LEAVING, "gateways.gateway.networking.k8s.io");
    expect([(await kinds.held(gateways, {}, signal))?.reason, state.reads]).toEqual(["KindBeingDeleted", 1]);
  });

  test.each([
    { name: "of Kubernetes", type: DEPLOYMENTS },
    { name: "of a group of Kubernetes", type: { ...DEPLOYMENTS, group: "networking.k8s.io" } },
    { name: "of the core group", type: { ...DEPLOYMENTS, group: "" } },
  ])("never for a kind $name, which has no CRD", async ({ type }) => {
    const { kinds, state } = deletions(LEAVING);
    kinds.saw(type as ResourceType);
    expect([await kinds.held(type, {}, signal), kinds.heldNow(type, {}), state.reads]).toEqual([
      undefined,
      undefined,
      0,
    ]);
  });
});

describe("a CRD that holds deletions", () => {
  test("is read again, since nothing else tells that a person agreed, and told when that changes", async () => {
    const { kinds, clock, state, lines, changes } = deletions(LEAVING);
    await kinds.held(DEMOAPPLICATIONS, {}, signal);
    expect(lines).toMatchObject([
      { level: "warn", crd: NAME, event_reason: "KindBeingDeleted", msg: "deletions are held" },
    ]);
    await clock.advance(AGAIN);
    expect([state.reads, lines.length, changes()]).toEqual([2, 1, 0]);
    state.metadata = {};
    await clock.advance(AGAIN);
    expect([state.reads, changes(), await kinds.held(DEMOAPPLICATIONS, {}, signal)]).toEqual([3, 1, undefined]);
    await clock.advance(10 * AGAIN);
    expect([state.reads, clock.pending]).toEqual([3, 0]);
  });

  test("is read again in time also when a read fails in between, which is told to whoever listens closely", async () => {
    const { kinds, clock, state, lines } = deletions(LEAVING);
    await kinds.held(DEMOAPPLICATIONS, {}, signal);
    state.metadata = AWAY;
    await clock.advance(AGAIN);
    expect(lines.at(-1)).toMatchObject({
      level: "debug",
      crd: NAME,
      msg: "the CRD could not be read; deletions stay held",
    });
    expect(kinds.heldNow(DEMOAPPLICATIONS, {})?.reason).toBe("KindBeingDeleted");
    state.metadata = {};
    await clock.advance(AGAIN);
    expect(kinds.heldNow(DEMOAPPLICATIONS, {})).toBeUndefined();
  });
});

describe("an object that was deleted with an earlier CRD", () => {
  const INSTALLED = { creationTimestamp: "2026-01-01T00:00:10Z" };
  const deleted = (deletionTimestamp: string, annotations?: Record<string, string>) => ({
    deletionTimestamp,
    ...(annotations === undefined ? {} : { annotations }),
  });
  const EARLIER = deleted("2026-01-01T00:00:09Z");

  test.each<{ name: string; metadata?: object; object: object; want: string | undefined }>([
    { name: "before the present one was installed is held", object: EARLIER, want: "KindBeingDeleted" },
    { name: "in the same second is held", object: deleted("2026-01-01T00:00:10Z"), want: "KindBeingDeleted" },
    { name: "afterwards goes", object: deleted("2026-01-01T00:00:11Z"), want: undefined },
    {
      name: "by a server that was still at it when the present one came is held",
      object: { creationTimestamp: "2026-01-01T00:00:09Z", ...deleted("2026-01-01T00:09:00Z") },
      want: "KindBeingDeleted",
    },
    {
      name: "is not meant where it outlived that CRD and was deleted much later",
      object: { creationTimestamp: "2026-01-01T00:00:09Z", ...deleted("2026-01-01T00:10:10Z") },
      want: undefined,
    },
    {
      name: "is not meant where it was made since, and deleted at once",
      object: { creationTimestamp: "2026-01-01T00:00:10Z", ...deleted("2026-01-01T00:00:11Z") },
      want: undefined,
    },
    {
      name: "before goes when a person agrees on the object",
      object: deleted("2026-01-01T00:00:09Z", { [ALLOW_DELETION_ANNOTATION]: "true" }),
      want: undefined,
    },
    {
      name: "before is held when an annotation says something else",
      object: deleted("2026-01-01T00:00:09Z", { [ALLOW_DELETION_ANNOTATION]: "" }),
      want: "KindBeingDeleted",
    },
    {
      name: "before goes when a person agrees on the CRD",
      metadata: { ...INSTALLED, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } },
      object: EARLIER,
      want: undefined,
    },
    {
      name: "goes, too, while the CRD is being deleted, when a person agrees on the object",
      metadata: { ...INSTALLED, ...LEAVING },
      object: deleted("2026-01-01T00:00:00Z", { [ALLOW_DELETION_ANNOTATION]: "true" }),
      want: undefined,
    },
  ])("$name", async ({ metadata = INSTALLED, object, want }) => {
    const { kinds, state } = deletions(metadata);
    const held = await kinds.held(DEMOAPPLICATIONS, object, signal);
    expect([held?.reason, kinds.heldNow(DEMOAPPLICATIONS, object)?.reason, state.reads]).toEqual([want, want, 1]);
  });

  test("names the cause and the annotation that agrees", async () => {
    const { kinds, lines } = deletions(INSTALLED);
    const held = await kinds.held(DEMOAPPLICATIONS, EARLIER, signal);
    const message = fullMessage(held?.message ?? "");
    expect(message).toBe(
      `the DemoApplication was deleted with an earlier CRD; if meant, annotate it ${ALLOW_DELETION_ANNOTATION}=true`,
    );
    expect(lines).toMatchObject([{ level: "warn", crd: NAME, message, msg: "deletions are held" }]);
  });

  test("has its CRD read again while somebody asks, and goes as soon as a person agrees there", async () => {
    const { kinds, clock, state, lines, changes } = deletions(INSTALLED);
    for (let second = 0; second < 60; second += 5) {
      await kinds.held(DEMOAPPLICATIONS, EARLIER, signal);
      await clock.advance(AGAIN);
    }
    expect([state.reads, lines.length, changes()]).toEqual([13, 1, 0]);
    state.metadata = { ...INSTALLED, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } };
    await clock.advance(AGAIN);
    expect([changes(), await kinds.held(DEMOAPPLICATIONS, EARLIER, signal)]).toEqual([1, undefined]);
    await clock.advance(10 * AGAIN);
    expect([state.reads, clock.pending]).toEqual([14, 0]);
  });

  test("has whoever waits asked from time to time, and when nobody waits any more nothing is read", async () => {
    const { kinds, clock, state } = deletions(INSTALLED);
    const waiting = { is: true };
    kinds.changes.subscribe(() => {
      if (waiting.is) kinds.heldNow(DEMOAPPLICATIONS, EARLIER);
    });
    kinds.heldNow(DEMOAPPLICATIONS, EARLIER);
    await clock.advance(20 * AGAIN);
    expect(state.reads).toBe(21);
    waiting.is = false;
    await clock.advance(20 * AGAIN);
    expect(state.reads).toBeLessThan(26);
    expect(clock.pending).toBe(0);
  });

  test("and left something behind is known by what was made before the present CRD, until a person agrees", async () => {
    const { kinds, state } = deletions(INSTALLED);
    const was = (madeAt: string) => kinds.wasOfEarlierCrd(DEMOAPPLICATIONS, madeAt, signal);
    expect([
      await was("2025-01-01T00:00:00Z"),
      await was("2026-01-01T00:00:10Z"),
      await was("2026-01-01T00:00:11Z"),
    ]).toEqual([true, true, false]);
    expect(await kinds.wasOfEarlierCrd(DEPLOYMENTS, "2025-01-01T00:00:00Z", signal)).toBe(false);
    expect(state.reads).toBe(1);
    kinds.saw(DEMOAPPLICATIONS);
    state.metadata = { ...INSTALLED, annotations: { [ALLOW_DELETION_ANNOTATION]: "true" } };
    expect(await was("2025-01-01T00:00:00Z")).toBe(false);
  });
});

describe("an answer", () => {
  test("counts for every deletion that was seen before its read began, and for none that was seen later", async () => {
    const { kinds, clock, state } = deletions();
    const open = Promise.withResolvers<void>();
    state.opened = open.promise;
    const ask = (): Promise<unknown> => kinds.held(DEMOAPPLICATIONS, {}, signal);
    for (let index = 0; index < 300; index += 1) kinds.saw(DEMOAPPLICATIONS);
    const early = Array.from({ length: 300 }, ask);
    await clock.advance(0);
    kinds.saw(DEMOAPPLICATIONS);
    const late = ask();
    expect(state.reads).toBe(1);
    open.resolve();
    await Promise.all([...early, late]);
    expect(state.reads).toBe(2);
  });

  test("is read in the background for whoever does not wait, again after each deletion, and reported once", async () => {
    const { kinds, clock, state, changes } = deletions();
    const now = () => kinds.heldNow(DEMOAPPLICATIONS, {})?.reason;
    for (const round of [1, 2]) {
      kinds.saw(DEMOAPPLICATIONS);
      expect([now(), now()]).toEqual(["KindBeingDeleted", "KindBeingDeleted"]);
      await clock.advance(0);
      expect([now(), state.reads, changes()]).toEqual([undefined, round, round]);
    }
  });
});

describe("a CRD that cannot be read", () => {
  test("is an error for whoever waits for the answer", async () => {
    const { kinds } = deletions(AWAY);
    await expect(kinds.held(DEMOAPPLICATIONS, {}, signal)).rejects.toBe(AWAY);
  });

  test("holds deletions for whoever does not wait, until it can be read", async () => {
    const { kinds, clock, state, changes } = deletions(AWAY);
    const unread = { reason: "KindBeingDeleted", message: "it is being read whether the kind itself is being deleted" };
    expect(kinds.heldNow(DEMOAPPLICATIONS, {})).toEqual(unread);
    await clock.advance(0);
    expect([kinds.heldNow(DEMOAPPLICATIONS, {}), state.reads, changes()]).toEqual([unread, 1, 0]);
    state.metadata = {};
    await clock.advance(AGAIN);
    expect([kinds.heldNow(DEMOAPPLICATIONS, {}), state.reads, changes()]).toEqual([undefined, 2, 1]);
  });

  test("is not waited for by whoever gives up", async () => {
    const { kinds } = deletions();
    const over = new Error("over");
    await expect(kinds.held(DEMOAPPLICATIONS, {}, AbortSignal.abort(over))).rejects.toBe(over);
  });
});

test("nothing is read after the end", async () => {
  const { kinds, clock, state, lines } = deletions(LEAVING);
  await kinds.held(DEMOAPPLICATIONS, {}, signal);
  kinds[Symbol.dispose]();
  await clock.advance(10 * AGAIN);
  expect([state.reads, clock.pending, lines.length]).toEqual([1, 0, 1]);
});

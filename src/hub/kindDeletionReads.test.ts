import { describe, expect, onTestFinished, test } from "vitest";
import { ALLOW_DELETION_ANNOTATION } from "../apis/index.ts";
import { logLines } from "../observability/testing/logLines.ts";
import { ApiError, type Client, DEMOAPPLICATIONS, DEPLOYMENTS, type ResourceType } from "../runtime/index.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
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
  const state = { metadata, reads: 0, options: undefined as unknown };
  const get = async (_type: unknown, _namespace: unknown, name: string, options: unknown) => {
    expect(name).toBe(crd);
    state.reads += 1;
    state.options = options;
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
      message: `its CRD is being deleted; if meant, annotate crd ${NAME} ${ALLOW_DELETION_ANNOTATION}=true`,
    },
    {
      name: "as long as the person does not say so in so many words",
      metadata: { ...LEAVING, annotations: { [ALLOW_DELETION_ANNOTATION]: "yes" } },
      message: `its CRD is being deleted; if meant, annotate crd ${NAME} ${ALLOW_DELETION_ANNOTATION}=true`,
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
    const held = await kinds.held(DEMOAPPLICATIONS, signal);
    const cut =
      message === undefined || message.length <= 120 ? message : expect.stringMatching(/^its CRD is being deleted.*…$/);
    expect(held).toEqual(message === undefined ? undefined : { reason: "KindBeingDeleted", message: cut });
    expect(state.options).toMatchObject({ metadataOnly: true });
  });

  test("also for a kind of a project of Kubernetes, which has a CRD like any other", async () => {
    const gateways = { ...DEPLOYMENTS, group: "gateway.networking.k8s.io", plural: "gateways", kind: "Gateway" };
    const { kinds, state } = deletions(LEAVING, "gateways.gateway.networking.k8s.io");
    expect([(await kinds.held(gateways, signal))?.reason, state.reads]).toEqual(["KindBeingDeleted", 1]);
  });

  test.each([
    { name: "of Kubernetes", type: DEPLOYMENTS },
    { name: "of a group of Kubernetes", type: { ...DEPLOYMENTS, group: "networking.k8s.io" } },
    { name: "of the core group", type: { ...DEPLOYMENTS, group: "" } },
  ])("never for a kind $name, which has no CRD", async ({ type }) => {
    const { kinds, state } = deletions(LEAVING);
    kinds.saw(type as ResourceType);
    expect([await kinds.held(type, signal), kinds.heldNow(type), state.reads]).toEqual([undefined, undefined, 0]);
  });
});

describe("a CRD that holds deletions", () => {
  test("is read again, since nothing else tells that a person agreed, and told when that changes", async () => {
    const { kinds, clock, state, lines, changes } = deletions(LEAVING);
    await kinds.held(DEMOAPPLICATIONS, signal);
    expect(lines).toMatchObject([
      { level: "warn", crd: NAME, event_reason: "KindBeingDeleted", msg: "deletions are held" },
    ]);
    await clock.advance(AGAIN);
    expect([state.reads, lines.length, changes()]).toEqual([2, 1, 0]);
    state.metadata = {};
    await clock.advance(AGAIN);
    expect([state.reads, changes(), await kinds.held(DEMOAPPLICATIONS, signal)]).toEqual([3, 1, undefined]);
    await clock.advance(10 * AGAIN);
    expect([state.reads, clock.pending]).toEqual([3, 0]);
  });

  test("is read again in time also when a read fails in between, which is told to whoever listens closely", async () => {
    const { kinds, clock, state, lines } = deletions(LEAVING);
    await kinds.held(DEMOAPPLICATIONS, signal);
    state.metadata = AWAY;
    await clock.advance(AGAIN);
    expect(lines.at(-1)).toMatchObject({
      level: "debug",
      crd: NAME,
      msg: "the CRD could not be read; deletions stay held",
    });
    expect(kinds.heldNow(DEMOAPPLICATIONS)?.reason).toBe("KindBeingDeleted");
    state.metadata = {};
    await clock.advance(AGAIN);
    expect(kinds.heldNow(DEMOAPPLICATIONS)).toBeUndefined();
  });
});

describe("a CRD that cannot be read", () => {
  test("is an error for whoever waits for the answer", async () => {
    const { kinds } = deletions(AWAY);
    await expect(kinds.held(DEMOAPPLICATIONS, signal)).rejects.toBe(AWAY);
  });

  test("holds deletions for whoever does not wait, until it can be read", async () => {
    const { kinds, clock, state, changes } = deletions(AWAY);
    const unread = { reason: "KindBeingDeleted", message: "it is being read whether the kind itself is being deleted" };
    expect(kinds.heldNow(DEMOAPPLICATIONS)).toEqual(unread);
    await clock.advance(0);
    expect([kinds.heldNow(DEMOAPPLICATIONS), state.reads, changes()]).toEqual([unread, 1, 0]);
    state.metadata = {};
    await clock.advance(AGAIN);
    expect([kinds.heldNow(DEMOAPPLICATIONS), state.reads, changes()]).toEqual([undefined, 2, 1]);
  });

  test("is not waited for by whoever gives up", async () => {
    const { kinds } = deletions();
    const over = new Error("over");
    await expect(kinds.held(DEMOAPPLICATIONS, AbortSignal.abort(over))).rejects.toBe(over);
  });
});

test("nothing is read after the end", async () => {
  const { kinds, clock, state, lines } = deletions(LEAVING);
  await kinds.held(DEMOAPPLICATIONS, signal);
  kinds[Symbol.dispose]();
  await clock.advance(10 * AGAIN);
  expect([state.reads, clock.pending, lines.length]).toEqual([1, 0, 1]);
});

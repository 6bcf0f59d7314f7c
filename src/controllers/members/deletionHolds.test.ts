import { describe, expect, onTestFinished, test } from "vitest";
import { ACCEPT_DELETIONS_ANNOTATION, type Condition, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import { ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import type { HubCache } from "../../hub/index.ts";
import type { EventRecord, EventRecorder } from "../../observability/index.ts";
import { ApiError, Emitter } from "../../runtime/index.ts";
import type { EndedTrouble } from "../../status/index.ts";
import type { ControllerClasses } from "../facts/controllerClasses.ts";
import { DeletionHoldReconciler } from "./deletionHolds.ts";
import type { HeldThere, MissingOwners } from "../facts/missingOwners.ts";
import type { Observations } from "../tables/observations.ts";
import { CLUSTER } from "../testing/builders.ts";
import { member } from "../testing/copySources.ts";

const { signal } = new AbortController();
const SINCE = "2026-01-01T00:00:00Z";
const keys = (...names: string[]): string[] => names.map((name) => `paas.cmft.com/DemoApplication/t/${name}`);
const there = (more: Partial<HeldThere> = {}): HeldThere => ({
  hold: { reason: "HubWentBack", since: SINCE },
  owners: keys("shop", "cart"),
  accepted: false,
  ...more,
});
const saying = (...conditions: Partial<Condition>[]): MemberCluster =>
  ({ ...member(CLUSTER, { uid: "u" }), status: { conditions } }) as unknown as MemberCluster;
const HELD: Condition = {
  type: "DeletionsHeld",
  status: "True",
  reason: "HubWentBack",
  message: `hub lacks 2 objects (t/shop, t/cart); if meant, annotate ${ACCEPT_DELETIONS_ANNOTATION}: ${SINCE}`,
  lastTransitionTime: SINCE,
};
const READY = { type: "Ready", status: "True" } as const;

function holding(cluster: MemberCluster = saying(READY), held: HeldThere = there()) {
  const state = {
    cluster: cluster as MemberCluster | undefined,
    held: held as HeldThere | undefined,
    known: true,
    holding: true,
    owns: true,
    reviews: 0,
  };
  const observed: unknown[] = [];
  const events: EventRecord[] = [];
  const ended: EndedTrouble[] = [];
  const client = new ScriptedClient(() => "answered");
  const changes = new Emitter<void>();
  const counts = new Emitter<void>();
  const contacts = new Emitter<string>();
  const clusterEvents = new Emitter<{ key: string; object: MemberCluster }>();
  const reconciler = new DeletionHoldReconciler({
    hub: {
      clusters: {
        get: (name: string) => (name === CLUSTER ? state.cluster : undefined),
        keys: () => [CLUSTER, "other"],
        observe: (object: unknown) => void observed.push(object),
        subscribe: (handler: (event: { key: string; object: MemberCluster }) => void) =>
          clusterEvents.subscribe(handler),
      },
    } as unknown as HubCache,
    client: client.client,
    observations: { contacts } as unknown as Observations,
    classes: { ownsCluster: () => state.owns } as unknown as ControllerClasses,
    missing: {
      changes,
      counts,
      on: () => state.held,
      isKnown: () => state.known,
      get isHolding() {
        return state.holding;
      },
      review: () => void (state.reviews += 1),
    } as unknown as MissingOwners,
    events: { record: (event: EventRecord) => void events.push(event) } as unknown as EventRecorder,
    recoveries: { ended: (troubles) => void ended.push(...troubles) },
    clock: { now: () => Date.parse(SINCE) + 60_000 },
  });
  const reconcile = () => reconciler.reconcile(CLUSTER, signal);
  const written = (): unknown =>
    client.calls.map(({ body }) => (body as KubeObject & { status: { conditions: Condition[] } }).status.conditions);
  const emitters = { changes, counts, contacts, clusterEvents };
  return { reconciler, reconcile, state, client, observed, events, ended, written, ...emitters };
}

describe("a MemberCluster where copies of missing objects are held", () => {
  test("says so, which they are and how to agree, by one apply of that condition alone", async () => {
    const { reconcile, client, observed, events } = holding();
    expect(await reconcile()).toEqual({ requeueAfter: 60_000 });
    expect(client.calls).toEqual([
      {
        verb: "applyStatus",
        what: "memberclusters",
        namespace: undefined,
        name: CLUSTER,
        options: { fieldManager: "meridian-holds", force: true },
        body: {
          apiVersion: "federation.paas.cmft.com/v1alpha1",
          kind: "MemberCluster",
          metadata: { name: CLUSTER },
          status: { conditions: [HELD] },
        },
      },
    ]);
    expect(client.signals).toEqual([signal]);
    expect(observed).toEqual(["answered"]);
    expect(events).toEqual([
      {
        regarding: {
          apiVersion: "federation.paas.cmft.com/v1alpha1",
          kind: "MemberCluster",
          name: CLUSTER,
          uid: "u",
        },
        type: "Warning",
        reason: "HubWentBack",
        action: "Hold",
        note: "copies of 2 objects that the hub lacks stay until a person agrees: t/shop, t/cart",
      },
    ]);
  });

  test.each([
    { name: "many objects", owners: keys(...Array.from({ length: 40 }, (_, n) => `application-${n}`)) },
    { name: "long names", owners: keys("x".repeat(60), "y".repeat(60)) },
  ])("has a message of 120 characters at most that ends with how to agree: $name", async ({ owners }) => {
    const { reconcile, written } = holding(undefined, there({ owners }));
    await reconcile();
    const [[condition]] = written() as [[Condition]];
    expect(condition.message.length).toBeLessThanOrEqual(120);
    expect(condition.message).toMatch(/^hub lacks \d+ objects?.*; if meant, annotate .*: 2026-01-01T00:00:00Z$/);
    expect(condition.message).not.toContain("()");
  });

  test("names what is in no namespace by its name, and twenty objects at most in the Event", async () => {
    const owners = ["paas.cmft.com/Cluster//wide", ...keys(...Array.from({ length: 30 }, (_, n) => `a${n}`))];
    const { reconcile, events } = holding(saying(), there({ owners }));
    await reconcile();
    const [event] = events;
    expect(event?.note).toMatch(/^copies of 31 objects .* agrees: wide, t\/a0, .*t\/a18$/);
  });

  test("says that a person agrees", async () => {
    const { reconcile, written, events } = holding(saying(HELD), there({ accepted: true }));
    await reconcile();
    expect(written()).toEqual([
      [
        {
          type: "DeletionsHeld",
          status: "True",
          reason: "DeletionsAccepted",
          message: "a person agrees: copies of 2 objects not on the hub go",
          lastTransitionTime: SINCE,
        },
      ],
    ]);
    expect(events).toMatchObject([
      {
        type: "Normal",
        reason: "DeletionsAccepted",
        action: "Remove",
        note: "a person agrees that copies of 2 objects that the hub lacks go: t/shop, t/cart",
      },
    ]);
  });

  test("costs no write while it says the same, and no second Event when only the number changes", async () => {
    const { reconcile, state, client, events } = holding(saying(READY, HELD));
    expect(await reconcile()).toEqual({ requeueAfter: 60_000 });
    expect(client.calls).toEqual([]);
    state.held = there({ owners: keys("shop") });
    await reconcile();
    expect([client.calls.length, events]).toEqual([1, []]);
  });

  test("gets the condition off when nothing is held there any more", async () => {
    const { reconcile, state, written, events, ended } = holding(saying(READY, HELD));
    Object.assign(state, { held: undefined, holding: false });
    expect(await reconcile()).toEqual({});
    expect([written(), events, state.reviews]).toEqual([[[]], [], 1]);
    const { reason, message } = HELD;
    const times = { since: SINCE, until: "2026-01-01T00:01:00Z" };
    expect(ended).toMatchObject([{ object: { name: CLUSTER, uid: "u" }, reason, message, ...times, ending: "Over" }]);
  });

  test("keeps the condition while not all of the cluster is known: a copy may be there still", async () => {
    const { reconcile, state, client } = holding(saying(HELD));
    Object.assign(state, { held: undefined, known: false });
    await reconcile();
    expect([client.calls, state.reviews]).toEqual([[], 1]);
  });

  test("is not touched where nothing is held and nothing was", async () => {
    const { reconcile, state, client } = holding(saying(READY));
    state.held = undefined;
    await reconcile();
    expect([client.calls, state.reviews]).toEqual([[], 1]);
  });

  test("is another manager's to write, or gone", async () => {
    const others = holding();
    others.state.owns = false;
    const gone = holding();
    gone.state.cluster = undefined;
    expect([await others.reconcile(), await gone.reconcile()]).toEqual([{}, {}]);
    expect([others.client.calls, gone.client.calls, others.state.reviews]).toEqual([[], [], 0]);
  });

  test("may be gone by the time of the write; what else is refused is tried again", async () => {
    const gone = holding(saying(READY));
    gone.client.answer = () => new ApiError(404, "NotFound", "gone");
    expect(await gone.reconcile()).toEqual({ requeueAfter: 60_000 });
    const refused = holding();
    const error = new ApiError(500, "InternalError", "etcd is away");
    refused.client.answer = () => error;
    await expect(refused.reconcile()).rejects.toBe(error);
    expect(refused.events).toEqual([]);
  });
});

test("it is considered when a hold changes, at once or gathered, and when news come of a cluster that says so", () => {
  const { reconciler, state, changes, counts, contacts, clusterEvents } = holding();
  const woken: unknown[] = [];
  const subscriptions = new DisposableStack();
  onTestFinished(() => subscriptions.dispose());
  for (const source of reconciler.sources())
    subscriptions.use(
      source.subscribe(
        (found, afterMs) => void woken.push([typeof found === "string" ? found : [...(found ?? [])], afterMs]),
      ),
    );
  changes.emit();
  counts.emit();
  expect(woken).toEqual([
    [[CLUSTER, "other"], undefined],
    [[CLUSTER, "other"], 500],
  ]);
  woken.length = 0;
  contacts.emit(CLUSTER);
  clusterEvents.emit({ key: CLUSTER, object: saying(READY) });
  expect(woken).toEqual([]);
  state.cluster = saying(READY, HELD);
  contacts.emit(CLUSTER);
  contacts.emit("other");
  clusterEvents.emit({ key: CLUSTER, object: state.cluster });
  expect(woken).toEqual([
    [CLUSTER, undefined],
    [CLUSTER, undefined],
  ]);
});

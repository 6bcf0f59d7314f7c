import { describe, expect, onTestFinished, test } from "vitest";
import { CLUSTER_FINALIZER, type MemberCluster, type Ownership } from "../../apis/index.ts";
import { ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import type { EventRecord } from "../../observability/index.ts";
import { ApiError, Emitter, type Informer, requeueAfter } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { ClusterReconciler, type ClusterReconcilerOptions } from "./cluster.ts";
import { RETRY_FINALIZER_MS } from "../facts/finalizers.ts";
import { absent, applyRow, CLUSTER, CONFIG_REF, deleteRow, inContact, observation } from "../testing/builders.ts";
import { copySources, leaving, member } from "../testing/copySources.ts";

const { signal } = new AbortController();
const OURS = { finalizers: [CLUSTER_FINALIZER] };
const NAMESPACE = { apiVersion: "v1", kind: "Namespace", name: "default" };

/** The MemberCluster controller with one MemberCluster of this ownership. */
function connecting(cluster: MemberCluster | undefined, ownership: Ownership = "Owned") {
  const all = copySources();
  const state = { cluster, ownership, isReleased: true };
  const released = new Emitter<string>();
  const connected: string[] = [];
  const observed: unknown[] = [];
  const events: EventRecord[] = [];
  const clusterEvents = new Emitter<{ key: string }>();
  const client = new ScriptedClient(() => ({ metadata: { name: CLUSTER } }));
  const clusters = {
    get: (name: string) => (name === CLUSTER ? state.cluster : undefined),
    observe: (object: unknown) => void observed.push(object),
    follow: (handler: (event: { key: string }) => void) => clusterEvents.subscribe(handler),
  } as unknown as Informer<MemberCluster>;
  const clock = new FakeClock(Date.parse(leaving.deletionTimestamp));
  const reconciler = new ClusterReconciler({
    hub: { reportedOn: () => [], clusters },
    client: client.client,
    clock,
    events: { record: (event) => void events.push(event) },
    clusters,
    members: {
      upsert: ({ metadata }, owned) => void connected.push(`${metadata.name} ${owned ? "ours" : "others"}`),
      remove: (name) => {
        connected.push(`${name} removed`);
        return state.isReleased;
      },
      released,
    },
    reports: { expect: () => undefined, forget: () => undefined },
    assignments: all.assignments,
    observations: all.observations,
    classes: {
      classes: new Set(["default"]),
      ofCluster: () => state.ownership,
    } as unknown as ClusterReconcilerOptions["classes"],
  });
  const reconcile = () => reconciler.reconcile(CLUSTER, signal);
  /** The finalizers of each patch. */
  const finalizers = (): unknown[] =>
    client.calls
      .filter(({ verb }) => verb === "patch")
      .map(
        ({ body }) =>
          (body as { path: string; value?: unknown }[]).findLast(({ path }) => path === "/metadata/finalizers")?.value,
      );
  return {
    ...all,
    clock,
    reconciler,
    reconcile,
    state,
    released,
    connected,
    client,
    observed,
    events,
    clusterEvents,
    finalizers,
  };
}

type All = ReturnType<typeof connecting>;
const [OWN, OTHERS, REMOVED] = [`${CLUSTER} ours`, `${CLUSTER} others`, `${CLUSTER} removed`];

describe("a MemberCluster", () => {
  test("of ours is connected, and gets our finalizer", async () => {
    const { reconcile, connected, finalizers, observed, events } = connecting(member());
    expect(await reconcile()).toEqual({});
    expect([connected, finalizers(), observed.length]).toEqual([[OWN], [[CLUSTER_FINALIZER]], 1]);
    const note = "the deletion of the MemberCluster waits for what Meridian has put there";
    expect(events).toMatchObject([{ type: "Normal", reason: "FinalizerAdded", note }]);
  });

  test.each<[string, MemberCluster | undefined, Ownership, string]>([
    ["of ours with our finalizer", member(CLUSTER, OURS), "Owned", OWN],
    ["that is gone", undefined, "Foreign", REMOVED],
    ["of another class", member(), "Foreign", OTHERS],
    ["that names another class", member(), "Yielding", OWN],
  ])("%s costs no write", async (_, cluster, ownership, want) => {
    const { reconcile, client, connected } = connecting(cluster, ownership);
    expect([await reconcile(), client.calls, connected]).toEqual([{}, [], [want]]);
  });

  test("that changed meanwhile is reconciled again soon", async () => {
    const { reconcile, client, events } = connecting(member());
    client.answer = () => new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(events).toEqual([]);
  });

  test("that another class has claimed loses our finalizer", async () => {
    const { reconcile, finalizers } = connecting(member(CLUSTER, { finalizers: ["x", CLUSTER_FINALIZER] }), "Yielded");
    await reconcile();
    expect(finalizers()).toEqual([["x"]]);
  });

  const saying = (status: string) => ({
    conditions: [
      { type: "Other", status: "True" },
      { type: "Ready", status },
    ],
  });
  test.each<[string, boolean, object | undefined, number]>([
    ["once it is fully known", true, saying("True"), 1],
    ["if nobody reaches it", false, saying("False"), 1],
    ["not while it answers and is not fully known", false, saying("True"), 0],
    ["if it has no conditions", false, {}, 1],
    ["if it has no status", false, undefined, 1],
  ])("that names our class is claimed %s", async (_, synced, status, want) => {
    const cluster = { ...member(CLUSTER), status } as unknown as MemberCluster;
    const { reconcile, observations, client } = connecting(cluster, "Claimable");
    observations.contact(CLUSTER, { ...inContact, synced });
    await reconcile();
    expect(client.calls).toHaveLength(want);
  });
});

describe("the deletion of a MemberCluster", () => {
  const going = (
    deletionPolicy?: "Drain" | "Orphan",
    ownership: Ownership = "Owned",
    finalizers = [CLUSTER_FINALIZER],
  ) =>
    connecting(
      member(CLUSTER, { ...leaving, finalizers }, deletionPolicy === undefined ? {} : { deletionPolicy }),
      ownership,
    );
  const copy = ({ observations }: All): void => observations.report(CLUSTER, [observation()]);
  const failing =
    (reason: string, final: boolean) =>
    ({ observations }: All): void =>
      observations.report(CLUSTER, [observation({ failure: { reason, message: "no", final } })]);
  const contact =
    (more: object) =>
    ({ observations }: All): void =>
      observations.contact(CLUSTER, { ...inContact, ...more });
  const asked =
    (...rows: Parameters<All["assignments"]["replace"]>[1][]) =>
    ({ assignments }: All): void => {
      for (const row of rows) assignments.replace("a", row);
    };

  test("ends where Meridian has nothing; the end itself comes by watch", async () => {
    const { reconcile, connected, finalizers, observed, events } = going();
    expect(await reconcile()).toEqual({});
    expect([connected.at(-1), finalizers().length, observed.length, events]).toEqual([REMOVED, 1, 1, []]);
    const deleted = going();
    deleted.client.answer = () => ({ metadata: { name: CLUSTER, ...leaving } });
    await deleted.reconcile();
    expect([deleted.finalizers().length, deleted.observed]).toEqual([1, []]);
  });

  test("takes the finalizer away after the session has ended", async () => {
    const { reconcile, client, connected } = going();
    const atPatch: unknown[] = [];
    client.answer = ({ verb }) => {
      if (verb === "patch") atPatch.push(connected.at(-1));
      return { metadata: { name: CLUSTER, ...leaving } };
    };
    await reconcile();
    expect(atPatch).toEqual([REMOVED]);
  });

  test.each<[string, Ownership, (all: All) => void, string, string[]]>([
    ["and says so while nobody has decided", "Owned", copy, OWN, ["applyStatus memberclusters"]],
    ["silently while its copies are unknown", "Owned", contact({ pending: true }), OWN, []],
    ["silently if another manager owns it", "Foreign", copy, OTHERS, []],
  ])("waits %s", async (_, ownership, change, connection, lines) => {
    const all = going(undefined, ownership);
    change(all);
    expect([await all.reconcile(), all.connected, all.client.lines]).toEqual([{}, [connection], lines]);
  });

  describe("with the policy Drain", () => {
    test.each<[string, (all: All) => void]>([
      ["a copy is there", copy],
      ["a row asks for a copy", asked([deleteRow()])],
      ["the cluster is not fully known", contact({ synced: false })],
    ])("waits while %s, and says so", async (_, change) => {
      const all = going("Drain");
      change(all);
      expect(await all.reconcile()).toEqual(requeueAfter(5_000));
      expect([all.connected, all.client.lines]).toEqual([[OWN], ["applyStatus memberclusters"]]);
    });

    test("reports its progress and its obstacles at most every five seconds", async () => {
      const { reconcile, observations, client, clock, events } = going("Drain");
      const shop = observation({ present: { deleting: true, finalizers: ["example.com/hold"] } });
      const messages = (): string[] =>
        client.calls.map(
          ({ body }) => (body as { status: MemberCluster["status"] }).status?.conditions?.[0]?.message ?? "",
        );
      observations.report(CLUSTER, [observation(), observation({ ref: { ...CONFIG_REF, name: "blog" } })]);
      await reconcile();
      const since = `Drain since ${leaving.deletionTimestamp}`;
      observations.report(CLUSTER, [shop]);
      await clock.advance(1_000);
      expect(await reconcile()).toEqual(requeueAfter(4_000));
      expect(messages()).toEqual([`${since}: 2 objects left`]);
      await clock.advance(4_000);
      expect(await reconcile()).toEqual(requeueAfter(5_000));
      const held = `${since}: ConfigMap shop has finalizer example.com/hold; mend its controller or remove it`;
      expect(messages().slice(1)).toEqual([held]);
      expect(events).toEqual([]);
      await clock.advance(25_000);
      expect(await reconcile()).toEqual({});
      expect(events).toMatchObject([{ type: "Warning", reason: "DeletionWaits" }]);
    });

    test("does not wait for namespaces", async () => {
      const all = going("Drain");
      all.observations.report(CLUSTER, [observation({ ref: NAMESPACE })]);
      asked([deleteRow({ ref: NAMESPACE })])(all);
      await all.reconcile();
      expect([all.connected, all.finalizers().length]).toEqual([[OWN, REMOVED], 1]);
    });
  });

  describe("with the policy Orphan", () => {
    test.each<[string, (all: All) => void]>([
      ["a copy has our marks", copy],
      ["a write may add our marks", ({ observations }) => observations.report(CLUSTER, [absent({ writing: true })])],
      ["a refusal may pass", failing("ServerError", false)],
      ["a row asks for a copy", asked([applyRow()])],
      ["the withdrawal of a row is not acknowledged", asked([applyRow()], [])],
      ["its contact is pending", contact({ pending: true })],
    ])("waits silently while %s", async (_, change) => {
      const all = going("Orphan");
      change(all);
      expect(await all.reconcile()).toEqual(requeueAfter(5_000));
      expect([all.connected, all.client.calls]).toEqual([[OWN], []]);
    });

    test("reports its obstacles after half a minute", async () => {
      const all = going("Orphan");
      failing("ServerError", false)(all);
      await all.reconcile();
      expect([all.client.calls, all.events]).toEqual([[], []]);
      await all.clock.advance(30_000);
      expect(await all.reconcile()).toEqual({});
      expect(all.client.calls[0]?.body).toMatchObject({ status: { conditions: [{ reason: "DeletionWaits" }] } });
      expect(all.events).toMatchObject([{ type: "Warning", reason: "DeletionWaits" }]);
    });

    test.each<[string, (all: All) => void]>([
      [
        "is being deleted",
        ({ observations }) => observations.report(CLUSTER, [observation({ present: { deleting: true } })]),
      ],
      ["the member finally refuses to release", failing("Forbidden", true)],
      [
        "is on a lost member",
        (all) => {
          copy(all);
          contact({ ok: false, synced: false })(all);
        },
      ],
      [
        "the worker has released",
        (all) => {
          asked([deleteRow({ verb: "Release" as never })])(all);
          all.observations.report(CLUSTER, [absent({ absent: true, revision: 1_000 })]);
        },
      ],
    ])("does not wait for a copy that %s", async (_, change) => {
      const all = going("Orphan");
      change(all);
      await all.reconcile();
      expect([all.connected, all.finalizers().length]).toEqual([[OWN, REMOVED], 1]);
    });
  });

  test.each<["Drain" | "Orphan", Ownership, string[], string[], unknown[]]>([
    ["Drain", "Yielded", [CLUSTER_FINALIZER], [OTHERS], [undefined]],
    ["Orphan", "Yielded", [CLUSTER_FINALIZER], [REMOVED], [undefined]],
    ["Drain", "Owned", ["other"], [OWN], []],
    ["Orphan", "Owned", ["other"], [REMOVED], []],
    ["Orphan", "Foreign", ["other"], [REMOVED], []],
  ])("with the policy %s waits for nothing if it is %s with the finalizers %j", async (policy, ownership, ...rest) => {
    const [given, connections, want] = rest;
    const all = going(policy, ownership, given);
    copy(all);
    expect([await all.reconcile(), all.connected, all.finalizers()]).toEqual([{}, connections, want]);
  });
});

test("the finalizer stays while a worker may still write to the cluster, and goes when the worker has answered", async () => {
  const all = connecting(
    member(CLUSTER, { ...leaving, finalizers: [CLUSTER_FINALIZER] }, { deletionPolicy: "Orphan" }),
    "Yielded",
  );
  const woken: string[] = [];
  for (const source of all.reconciler.sources())
    source.subscribe((keys) => void woken.push(...([keys].flat() as string[])));
  all.state.isReleased = false;
  await all.reconcile();
  expect([all.connected, all.finalizers(), woken]).toEqual([[REMOVED], [], []]);
  all.state.isReleased = true;
  all.released.emit(CLUSTER);
  expect(woken).toEqual([CLUSTER]);
  await all.reconcile();
  expect(all.finalizers()).toEqual([undefined]);
});

test("a MemberCluster is reconciled for news of its cluster if it leaves or may be claimed", () => {
  const { reconciler, state, observations, assignments, clusterEvents } = connecting(member());
  const woken: unknown[] = [];
  const subscriptions = new DisposableStack();
  onTestFinished(() => subscriptions.dispose());
  for (const source of reconciler.sources())
    subscriptions.use(
      source.subscribe((keys) => void woken.push(...(typeof keys === "string" ? [keys] : (keys ?? [])))),
    );
  let change = 0;
  const anything = (): void => {
    change += 1;
    observations.report(CLUSTER, [observation({ ref: { ...CONFIG_REF, name: `a${change}` } })]);
    observations.contact(CLUSTER, inContact);
    assignments.replace("a", [applyRow({ hash: `h${change}` })]);
  };
  anything();
  expect(woken).toEqual([]);
  state.ownership = "Claimable";
  state.cluster = undefined;
  anything();
  expect(woken).toEqual([]);
  state.cluster = member();
  anything();
  expect(woken).toEqual([CLUSTER]);
  state.ownership = "Owned";
  state.cluster = member(CLUSTER, leaving);
  woken.length = 0;
  anything();
  expect(woken).toEqual([CLUSTER, CLUSTER, CLUSTER]);
  clusterEvents.emit({ key: "another" });
  expect(woken.at(-1)).toBe("another");
});

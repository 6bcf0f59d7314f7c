import { describe, expect, onTestFinished, test } from "vitest";
import { CLUSTER_FINALIZER, type MemberCluster, type Ownership } from "../../apis/index.ts";
import type { ClusterPool } from "../../clusters/index.ts";
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

/** The controller of MemberClusters, for one that is what `ownership` says. */
function connecting(cluster: MemberCluster | undefined, ownership: Ownership = "Owned") {
  const all = copySources();
  const state = { cluster, ownership };
  const pool: string[] = [];
  const observed: unknown[] = [];
  const events: EventRecord[] = [];
  const clusterEvents = new Emitter<{ key: string }>();
  const client = new ScriptedClient(() => ({ metadata: { name: CLUSTER } }));
  const clusters = {
    get: (name: string) => (name === CLUSTER ? state.cluster : undefined),
    observe: (object: unknown) => void observed.push(object),
    onEvent: (handler: (event: { key: string }) => void) => clusterEvents.subscribe(handler),
  } as unknown as Informer<MemberCluster>;
  const clock = new FakeClock(Date.parse(leaving.deletionTimestamp));
  const reconciler = new ClusterReconciler({
    hub: { reportedOn: () => [], clusters },
    client: client.client,
    clock,
    events: { record: (event) => void events.push(event) },
    clusters,
    pool: {
      upsert: ({ metadata }: MemberCluster, owned: boolean) =>
        void pool.push(`${metadata.name} ${owned ? "ours" : "others"}`),
      remove: (name: string) => void pool.push(`${name} removed`),
    } as unknown as ClusterPool,
    assignments: all.assignments,
    observations: all.observations,
    classes: {
      classes: new Set(["default"]),
      ofCluster: () => state.ownership,
    } as unknown as ClusterReconcilerOptions["classes"],
  });
  const reconcile = () => reconciler.reconcile(CLUSTER, signal);
  /** What the finalizers are set to. */
  const finalizers = (): unknown[] =>
    client.calls
      .filter(({ verb }) => verb === "patch")
      .map(
        ({ body }) =>
          (body as { path: string; value?: unknown }[]).findLast(({ path }) => path === "/metadata/finalizers")?.value,
      );
  return { ...all, clock, reconciler, reconcile, state, pool, client, observed, events, clusterEvents, finalizers };
}

describe("a MemberCluster", () => {
  test("of ours is connected, and its deletion is to wait for us", async () => {
    const { reconcile, pool, finalizers, observed, events } = connecting(member());
    expect(await reconcile()).toEqual({});
    expect([pool, finalizers(), observed.length]).toEqual([[`${CLUSTER} ours`], [[CLUSTER_FINALIZER]], 1]);
    expect(events).toMatchObject([
      {
        type: "Normal",
        reason: "FinalizerAdded",
        note: "the deletion of the MemberCluster waits for what Meridian has put there",
      },
    ]);
  });

  test("that waits for us already costs no write", async () => {
    const { reconcile, client, pool } = connecting(member(CLUSTER, OURS));
    await reconcile();
    expect([client.calls, pool]).toEqual([[], [`${CLUSTER} ours`]]);
  });

  test("that is gone is not connected any more", async () => {
    const { reconcile, pool, client } = connecting(undefined);
    expect(await reconcile()).toEqual({});
    expect([pool, client.calls]).toEqual([[`${CLUSTER} removed`], []]);
  });

  test("that changed meanwhile is considered again soon", async () => {
    const { reconcile, client, events } = connecting(member());
    client.answer = () => new ApiError(422, "Invalid", "a test failed");
    expect(await reconcile()).toEqual({ requeueAfter: RETRY_FINALIZER_MS });
    expect(events).toEqual([]);
  });

  test.each<{ ownership: Ownership; owned: string }>([
    { ownership: "Foreign", owned: "others" },
    { ownership: "Yielding", owned: "ours" },
  ])("that is $ownership is used as it is", async ({ ownership, owned }) => {
    const { reconcile, client, pool } = connecting(member(), ownership);
    await reconcile();
    expect([client.calls, pool]).toEqual([[], [`${CLUSTER} ${owned}`]]);
  });

  test("that another class has claimed loses our finalizer", async () => {
    const { reconcile, finalizers } = connecting(member(CLUSTER, { finalizers: ["x", CLUSTER_FINALIZER] }), "Yielded");
    await reconcile();
    expect(finalizers()).toEqual([["x"]]);
  });

  test.each([
    { name: "when everything there is known", synced: true, ready: "True", want: 1 },
    { name: "when nobody hears from it", synced: false, ready: "False", want: 1 },
    { name: "not while it answers and is not known", synced: false, ready: "True", want: 0 },
  ])("that names us is claimed $name", async ({ synced, ready, want }) => {
    const status = {
      conditions: [
        { type: "Other", status: "True" },
        { type: "Ready", status: ready },
      ],
    };
    const { reconcile, observations, client } = connecting(
      { ...member(CLUSTER), status } as unknown as MemberCluster,
      "Claimable",
    );
    observations.contact(CLUSTER, { ...inContact, synced });
    await reconcile();
    expect(client.calls).toHaveLength(want);
  });
});

test.each([{ status: undefined }, { status: {} }])(
  "a MemberCluster of which nobody has said anything ($status) is claimed though nothing there is known",
  async ({ status }) => {
    const { reconcile, observations, client } = connecting(
      { ...member(CLUSTER), status } as unknown as MemberCluster,
      "Claimable",
    );
    observations.contact(CLUSTER, { ...inContact, synced: false });
    await reconcile();
    expect(client.calls).toHaveLength(1);
  },
);

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

  test("goes on where nothing of Meridian is there", async () => {
    const { reconcile, pool, finalizers, observed, events } = going();
    expect(await reconcile()).toEqual({});
    expect(pool.at(-1)).toBe(`${CLUSTER} removed`);
    expect([finalizers().length, observed.length, events]).toEqual([1, 1, []]);
  });

  test("comes by watch, and is not taken from the answer to the write", async () => {
    const { reconcile, client, observed, finalizers } = going();
    client.answer = () => ({ metadata: { name: CLUSTER, ...leaving } });
    await reconcile();
    expect([finalizers().length, observed]).toEqual([1, []]);
  });

  test("waits while nobody has said what becomes of what runs there, and says so", async () => {
    const { reconcile, pool, client, observations } = going();
    observations.report(CLUSTER, [observation()]);
    expect(await reconcile()).toEqual({});
    expect([pool, client.lines]).toEqual([[`${CLUSTER} ours`], ["applyStatus memberclusters"]]);
  });

  test("waits without a word while nobody knows what is there, or where it is another manager's", async () => {
    const unknown = going();
    unknown.observations.contact(CLUSTER, { ...inContact, pending: true });
    await unknown.reconcile();
    expect([unknown.pool, unknown.client.calls]).toEqual([[`${CLUSTER} ours`], []]);
    const others = going(undefined, "Foreign");
    others.observations.report(CLUSTER, [observation()]);
    await others.reconcile();
    expect([others.pool, others.client.calls]).toEqual([[`${CLUSTER} others`], []]);
  });

  test("says nothing new while nobody knows what is there, whatever was said before", async () => {
    const { reconcile, state, observations, client, pool } = going();
    const said = {
      type: "Removed",
      status: "False",
      reason: "DeletionPolicyMissing",
      message: "",
      lastTransitionTime: "",
    };
    state.cluster = { ...member(CLUSTER, { ...leaving, ...OURS }), status: { conditions: [said] } } as never;
    observations.contact(CLUSTER, { ...inContact, pending: true });
    await reconcile();
    expect([pool, client.calls]).toEqual([[`${CLUSTER} ours`], []]);
  });

  describe("with everything removed first", () => {
    test.each<{ name: string; change: (all: ReturnType<typeof connecting>) => void }>([
      { name: "a copy is there", change: ({ observations }) => observations.report(CLUSTER, [observation()]) },
      { name: "a copy is asked about", change: ({ assignments }) => void assignments.replace("a", [deleteRow()]) },
      {
        name: "not everything there is known",
        change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, synced: false }),
      },
    ])("waits while $name, and says so from the beginning", async ({ change }) => {
      const all = going("Drain");
      change(all);
      expect(await all.reconcile()).toEqual(requeueAfter(5_000));
      expect([all.pool, all.client.lines]).toEqual([[`${CLUSTER} ours`], ["applyStatus memberclusters"]]);
    });

    test("says no more than every five seconds how far it is, and what holds it", async () => {
      const { reconcile, observations, client, clock, events } = going("Drain");
      const shop = observation({ present: { deleting: true, finalizers: ["example.com/hold"] } });
      const said = (): string[] =>
        client.calls.map(
          ({ body }) => (body as { status: MemberCluster["status"] }).status?.conditions?.[0]?.message ?? "",
        );
      observations.report(CLUSTER, [observation(), observation({ ref: { ...CONFIG_REF, name: "blog" } })]);
      await reconcile();
      const since = `Drain since ${leaving.deletionTimestamp}`;
      observations.report(CLUSTER, [shop]);
      await clock.advance(1_000);
      expect(await reconcile()).toEqual(requeueAfter(4_000));
      expect(said()).toEqual([`${since}: 2 objects left`]);
      await clock.advance(4_000);
      expect(await reconcile()).toEqual(requeueAfter(5_000));
      const held = `${since}: ConfigMap shop has finalizer example.com/hold; mend its controller or remove it`;
      expect(said().slice(1)).toEqual([held]);
      expect(events).toEqual([]);
      await clock.advance(25_000);
      expect(await reconcile()).toEqual({});
      expect(events).toMatchObject([{ type: "Warning", reason: "DeletionWaits" }]);
    });

    test("does not wait for namespaces", async () => {
      const { reconcile, observations, assignments, pool, finalizers } = going("Drain");
      observations.report(CLUSTER, [observation({ ref: NAMESPACE })]);
      assignments.replace("a", [deleteRow({ ref: NAMESPACE })]);
      await reconcile();
      expect([pool, finalizers().length]).toEqual([[`${CLUSTER} ours`, `${CLUSTER} removed`], 1]);
    });

    test("is seen through by the cluster's own manager: another one only leaves", async () => {
      const { reconcile, pool, finalizers, observations } = going("Drain", "Yielded");
      observations.report(CLUSTER, [observation()]);
      await reconcile();
      expect([pool, finalizers()]).toEqual([[`${CLUSTER} others`], [undefined]]);
    });

    test("is over when our finalizer is gone", async () => {
      const { reconcile, pool, client } = going("Drain", "Owned", ["other"]);
      await reconcile();
      expect([pool, client.calls]).toEqual([[`${CLUSTER} ours`], []]);
    });
  });

  describe("with everything let go of", () => {
    test.each<{ name: string; change: (all: ReturnType<typeof connecting>) => void }>([
      { name: "a copy has our marks", change: ({ observations }) => observations.report(CLUSTER, [observation()]) },
      {
        name: "a copy may get them by a write under way",
        change: ({ observations }) => observations.report(CLUSTER, [absent({ writing: true })]),
      },
      {
        name: "a refusal may pass",
        change: ({ observations }) =>
          observations.report(CLUSTER, [
            observation({ failure: { reason: "ServerError", message: "", final: false } }),
          ]),
      },
      { name: "a copy is asked for", change: ({ assignments }) => void assignments.replace("a", [applyRow()]) },
      {
        name: "its worker may not have heard that nothing is asked for",
        change: ({ assignments }) => {
          assignments.replace("a", [applyRow()]);
          assignments.replace("a", []);
        },
      },
      {
        name: "nobody knows whether it answers",
        change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, pending: true }),
      },
    ])("waits while $name", async ({ change }) => {
      const all = going("Orphan");
      change(all);
      expect(await all.reconcile()).toEqual(requeueAfter(5_000));
      expect([all.pool, all.client.calls]).toEqual([[`${CLUSTER} ours`], []]);
    });

    test("says what holds it when that takes longer than deletions do", async () => {
      const { reconcile, observations, client, clock, events } = going("Orphan");
      observations.report(CLUSTER, [observation({ failure: { reason: "ServerError", message: "no", final: false } })]);
      await reconcile();
      expect([client.calls, events]).toEqual([[], []]);
      await clock.advance(30_000);
      expect(await reconcile()).toEqual({});
      expect(client.calls[0]?.body).toMatchObject({ status: { conditions: [{ reason: "DeletionWaits" }] } });
      expect(events).toMatchObject([{ type: "Warning", reason: "DeletionWaits" }]);
    });

    test.each<{ name: string; change: (all: ReturnType<typeof connecting>) => void }>([
      {
        name: "that is on its way out",
        change: ({ observations }) => observations.report(CLUSTER, [observation({ present: { deleting: true } })]),
      },
      {
        name: "that the member refuses for good to let go of",
        change: ({ observations }) =>
          observations.report(CLUSTER, [observation({ failure: { reason: "Forbidden", message: "", final: true } })]),
      },
      {
        name: "of a member that does not answer",
        change: ({ observations }) => {
          observations.report(CLUSTER, [observation()]);
          observations.contact(CLUSTER, { ...inContact, ok: false, synced: false });
        },
      },
      {
        name: "of which the worker has taken the end",
        change: ({ assignments, observations }) => {
          assignments.replace("a", [deleteRow({ verb: "Release" as never })]);
          observations.report(CLUSTER, [absent({ absent: true, revision: 1_000 })]);
        },
      },
    ])("does not wait for what is there $name", async ({ change }) => {
      const all = going("Orphan");
      change(all);
      await all.reconcile();
      expect([all.pool, all.finalizers().length]).toEqual([[`${CLUSTER} ours`, `${CLUSTER} removed`], 1]);
    });

    test("waits for nobody where the cluster is another manager's by now", async () => {
      const { reconcile, pool, finalizers, observations } = going("Orphan", "Yielded");
      observations.report(CLUSTER, [observation()]);
      await reconcile();
      expect([pool, finalizers()]).toEqual([[`${CLUSTER} removed`], [undefined]]);
    });

    test("is over when our finalizer is gone", async () => {
      const { reconcile, pool, client, observations } = going("Orphan", "Owned", ["other"]);
      observations.report(CLUSTER, [observation()]);
      expect(await reconcile()).toEqual({});
      expect([pool, client.calls]).toEqual([[], []]);
    });

    test("is another manager's to see through, of which nothing is used any more", async () => {
      const { reconcile, pool, client, observations } = going("Orphan", "Foreign", ["other"]);
      observations.report(CLUSTER, [observation()]);
      await reconcile();
      expect([pool, client.calls]).toEqual([[`${CLUSTER} removed`], []]);
    });
  });
});

test("it is considered when anything happens on a cluster that leaves, or that may be claimed", () => {
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

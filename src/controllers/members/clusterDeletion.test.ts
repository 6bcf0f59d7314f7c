import { describe, expect, test } from "vitest";
import { type Condition, conditionMessage, type MemberCluster, timestamp } from "../../apis/index.ts";
import { ScriptedClient } from "../../clusters/testing/scriptedClient.ts";
import type { EventRecord } from "../../observability/index.ts";
import { ApiError, type Informer } from "../../runtime/index.ts";
import {
  awaitsDecision,
  type ClusterDeletionSources,
  type DeletionStage,
  reportDeletion,
  whyNotDrained,
  whyNotReleased,
} from "./clusterDeletion.ts";
import { absent, applyRow, CLUSTER, deleteRow, holdRow, inContact, observation } from "../testing/builders.ts";
import { copySources, leaving, member } from "../testing/copySources.ts";

const { signal } = new AbortController();

describe("the deletion of a MemberCluster waits for a decision", () => {
  type All = ReturnType<typeof copySources>;
  const asking = (cluster: MemberCluster, change: (all: All) => void = () => undefined, reported: string[] = []) => {
    const all = copySources();
    change(all);
    const { assignments, observations } = all;
    const hub = { reportedOn: () => reported } as unknown as ClusterDeletionSources["hub"];
    return awaitsDecision({ hub, assignments, observations }, cluster);
  };

  test.each<{ name: string; change?: (all: All) => void; reported?: string[]; want: string }>([
    {
      name: "while a copy is there",
      change: ({ observations }) => observations.report(CLUSTER, [observation()]),
      want: "Yes",
    },
    {
      name: "while a write may make one",
      change: ({ observations }) => observations.report(CLUSTER, [absent({ writing: true })]),
      want: "Yes",
    },
    {
      name: "while one is asked for",
      change: ({ assignments }) => void assignments.replace("a", [applyRow()]),
      want: "Yes",
    },
    { name: "while a status names one there", reported: ["a"], want: "Yes" },
    { name: "not where nothing is", want: "No" },
    {
      name: "not for what is to go or failed",
      change: ({ assignments, observations }) => {
        assignments.replace("a", [deleteRow()]);
        observations.report(CLUSTER, [absent({ failure: { reason: "Forbidden", message: "", final: true } })]);
      },
      want: "No",
    },
    {
      name: "as long as nobody knows whether the cluster answers",
      change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, pending: true }),
      want: "Unknown",
    },
  ])("$name", ({ change, reported, want }) => {
    expect(asking(member(CLUSTER, leaving), change, reported)).toBe(want);
  });

  test.each([
    { name: "it is not being deleted", cluster: member(CLUSTER) },
    { name: "it says to keep what runs there", cluster: member(CLUSTER, leaving, { deletionPolicy: "Orphan" }) },
    { name: "it says to remove it", cluster: member(CLUSTER, leaving, { deletionPolicy: "Drain" }) },
  ])("not where $name", ({ cluster }) => {
    expect(asking(cluster, ({ observations }) => observations.report(CLUSTER, [observation()]))).toBe("No");
  });
});

describe("what holds the draining of a cluster", () => {
  const moving = { reason: "AwaitingReplacement", message: "it serves nowhere else yet" };
  const since = `Drain since ${leaving.deletionTimestamp}`;
  const lost = { type: "Ready", status: "False", lastTransitionTime: "2026-01-31T23:00:00Z" };
  const grants = {
    what: "mysqlclusters are not granted",
    remedy: "run `meridian join shanghai-1 --renew --kinds mysqlclusters.mysql.example.com --member-kubeconfig FILE`",
  };

  test.each<{
    name: string;
    change?: (all: ReturnType<typeof copySources>) => void;
    ready?: object;
    want?: string;
  }>([
    { name: "nothing that is known" },
    {
      name: "a finalizer of a member object",
      change: ({ observations, assignments }) => {
        observations.report(CLUSTER, [observation({ present: { deleting: true, finalizers: ["example.com/hold"] } })]);
        assignments.replace("a", [holdRow({ wanted: false, why: { reason: "Terminating", message: "" } })]);
      },
      want: `${since}: ConfigMap shop has finalizer example.com/hold; mend its controller or remove it`,
    },
    {
      name: "a kind that the cluster serves in no version",
      change: ({ observations }) => {
        observations.report(CLUSTER, [observation()]);
        observations.contact(CLUSTER, { ...inContact, unserved: new Set(["/ConfigMap"]) });
      },
      want: "ConfigMap shop: KindNotServed: the member serves no version of it; serve one in its CRD, if only for the time",
    },
    {
      name: "a refusal of the cluster",
      change: ({ observations }) =>
        observations.report(CLUSTER, [observation({ failure: { reason: "Forbidden", message: "no", final: true } })]),
      want: `${since}: ConfigMap shop: Forbidden: no`,
    },
    {
      name: "an object that may not go yet",
      change: ({ assignments }) => void assignments.replace("a", [holdRow({ wanted: false, why: moving })]),
      want: `${since}: ConfigMap shop: AwaitingReplacement: it serves nowhere else yet`,
    },
    {
      name: "a kind that is not granted",
      change: ({ assignments }) =>
        void assignments.replace("a", [
          holdRow({ wanted: false, why: { reason: "ClusterNotSynced", message: grants } }),
        ]),
      want: "ConfigMap shop: ClusterNotSynced: mysqlclusters are not granted; run `meridian join shanghai-1 --renew --kinds…",
    },
    {
      name: "what cannot be read there, though nothing of it is known",
      change: ({ observations }) =>
        observations.contact(CLUSTER, { ...inContact, synced: false, unreadable: new Map([["apps/DaemonSet", "no"]]) }),
      want: `${since}: ClusterNotSynced: no`,
    },
    {
      name: "a cluster that does not answer",
      change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, ok: false, synced: false }),
      ready: lost,
      want: "Drain: ClusterUnreachable since 2026-01-31T23:00:00Z; goes on when it answers, or with spec.deletionPolicy Orphan",
    },
    {
      name: "nothing of a cluster of which Ready will say in a moment that it does not answer",
      change: ({ observations }) => observations.contact(CLUSTER, { ...inContact, ok: false, synced: false }),
      ready: { ...lost, status: "True" },
    },
  ])("$name", ({ change = () => undefined, ready, want }) => {
    const all = copySources();
    all.observations.contact(CLUSTER, inContact);
    change(all);
    const status = ready === undefined ? {} : { status: { conditions: [ready] } };
    const waits = whyNotDrained(all, { ...member(CLUSTER, leaving), ...status } as MemberCluster);
    expect(waits.map((wait) => conditionMessage(wait))).toEqual(want === undefined ? [] : [want]);
  });
});

const failing = (final: boolean) =>
  observation({ failure: { reason: "AdmissionDenied", message: "a policy says no", final } });
const wants = `Orphan since ${leaving.deletionTimestamp}: ConfigMap shop: AdmissionDenied: a policy says no`;

test.each<{ name: string; change?: (all: ReturnType<typeof copySources>) => void; want?: string }>([
  { name: "nothing that is under way", change: ({ observations }) => observations.report(CLUSTER, [observation()]) },
  {
    name: "an object that could not be released yet",
    change: ({ observations }) => observations.report(CLUSTER, [failing(false)]),
    want: wants,
  },
  {
    name: "no object that the cluster refuses for good",
    change: ({ observations }) => observations.report(CLUSTER, [failing(true)]),
  },
  {
    name: "an object of a kind that is served in no version",
    change: ({ observations }) => {
      observations.report(CLUSTER, [observation()]);
      observations.contact(CLUSTER, { ...inContact, unserved: new Set(["/ConfigMap"]) });
    },
    want: "ConfigMap shop: KindNotServed: the member serves no version of it; serve one in its CRD, if only for the time",
  },
  {
    name: "nothing of a cluster that does not answer",
    change: ({ observations }) => {
      observations.report(CLUSTER, [failing(false)]);
      observations.contact(CLUSTER, { ...inContact, ok: false });
    },
  },
])("what holds the letting go of a cluster $name", ({ change = () => undefined, want }) => {
  const all = copySources();
  all.observations.contact(CLUSTER, inContact);
  change(all);
  const waits = whyNotReleased(all, member(CLUSTER, leaving));
  expect(waits.map((wait) => conditionMessage(wait))).toEqual(want === undefined ? [] : [want]);
});

describe("a MemberCluster that is deleted", () => {
  const NOW = Date.UTC(2026, 0, 1, 8);
  const WAITS = {
    type: "Removed",
    status: "False",
    reason: "DeletionPolicyMissing",
    message: "choose: spec.deletionPolicy Orphan (all runs on) or Drain (all goes); or meridian unjoin shanghai-1",
    lastTransitionTime: timestamp(NOW),
  };

  async function telling(cluster: MemberCluster, stage: DeletionStage, answer: () => unknown = () => "answered") {
    const client = new ScriptedClient(answer);
    const observed: unknown[] = [];
    const events: EventRecord[] = [];
    const clusters = { observe: (object: unknown) => void observed.push(object) } as unknown as Informer<MemberCluster>;
    const sources = {
      client: client.client,
      clusters,
      events: { record: (one: EventRecord) => void events.push(one) },
    };
    await reportDeletion(sources, cluster, stage, NOW, signal);
    return { client, observed, events };
  }
  const undecided: DeletionStage = { kind: "Undecided" };
  const draining = (left: number, held: readonly string[] = [], late = false): DeletionStage => ({
    kind: "Draining",
    left,
    waits: held.map((what) => ({ what })),
    late,
  });
  const lettingGo = (held: readonly string[] = [], late = false): DeletionStage => ({
    kind: "LettingGo",
    waits: held.map((what) => ({ what })),
    late,
  });
  const saying = (condition: Partial<Condition>, spec: object = {}): MemberCluster =>
    ({
      ...member(CLUSTER, { ...leaving, uid: "u" }, spec),
      status: { conditions: [condition] },
    }) as unknown as MemberCluster;

  test("says what to choose from, in a condition and once in an Event", async () => {
    const { client, observed, events } = await telling(member(CLUSTER, { ...leaving, uid: "u" }), undecided);
    expect(client.calls).toEqual([
      {
        verb: "applyStatus",
        what: "memberclusters",
        namespace: undefined,
        name: CLUSTER,
        options: { fieldManager: "meridian-removal", force: true },
        body: {
          apiVersion: "federation.paas.cmft.com/v1alpha1",
          kind: "MemberCluster",
          metadata: { name: CLUSTER },
          status: { conditions: [WAITS] },
        },
      },
    ]);
    expect(observed).toEqual(["answered"]);
    expect(events).toMatchObject([
      {
        regarding: { kind: "MemberCluster", name: CLUSTER, uid: "u" },
        type: "Warning",
        reason: "DeletionPolicyMissing",
        action: "Remove",
      },
    ]);
    const [event] = events;
    expect(event?.note).toBe(
      "the deletion waits until somebody says what is to become of what runs there: `meridian unjoin shanghai-1` leaves it running " +
        "and takes Meridian's account off the cluster as well, `meridian unjoin shanghai-1 --drain` deletes it first; without the command " +
        'line: kubectl patch membercluster shanghai-1 --type=merge -p \'{"spec":{"deletionPolicy":"Orphan"}}\', or "Drain"',
    );
  });

  test.each([{ length: 35 }, { length: 36 }, { length: 63 }])(
    "says so in 120 characters at most, whatever its name: $length characters",
    async ({ length }) => {
      const name = "c".repeat(length);
      const { client } = await telling(member(name, leaving), undecided);
      const { status } = client.sent<{ status: { conditions: [Condition] } }>(0);
      const { message } = status.conditions[0];
      expect(message.length).toBeLessThanOrEqual(120);
      expect(message).toMatch(/; or meridian unjoin( c+)?$/);
      expect(message.endsWith(name)).toBe(
        "choose: spec.deletionPolicy Orphan (all runs on) or Drain (all goes); or meridian unjoin ".length + length <=
          120,
      );
    },
  );

  test("says it once", async () => {
    const { client, events } = await telling(saying(WAITS as Condition), undecided);
    expect([client.calls, events]).toEqual([[], []]);
  });

  test.each<{ stage: DeletionStage; message: string }>([
    { stage: draining(2), message: `Drain since ${leaving.deletionTimestamp}: 2 objects left` },
    {
      stage: draining(0),
      message: `Drain since ${leaving.deletionTimestamp}: what Meridian put there is being removed`,
    },
    { stage: lettingGo(), message: "what Meridian put there is being let go of and keeps running" },
  ])("says that the choice was heard, as of the same time: $message", async ({ stage, message }) => {
    const before = { ...WAITS, lastTransitionTime: "2025-12-31T00:00:00Z" } as Condition;
    const { client, events } = await telling(saying(before), stage);
    expect(client.calls[0]?.body).toMatchObject({
      status: {
        conditions: [
          {
            type: "Removed",
            status: "False",
            reason: "ClusterLeaving",
            message,
            lastTransitionTime: "2025-12-31T00:00:00Z",
          },
        ],
      },
    });
    expect(events).toEqual([]);
  });

  test("says at once what holds the draining, and by an Event when that takes longer than deletions do", async () => {
    const early = await telling(member(CLUSTER, leaving), draining(3, ["b is held", "c is held"]));
    const held = { reason: "ClusterLeaving", message: "b is held" };
    expect(early.client.calls[0]?.body).toMatchObject({ status: { conditions: [held] } });
    expect(early.events).toEqual([]);
    const late = await telling(
      saying({ ...WAITS, ...held } as Condition),
      draining(3, ["b is held", "c is held"], true),
    );
    expect(late.client.calls[0]?.body).toMatchObject({
      status: { conditions: [{ reason: "DeletionWaits", message: "b is held" }] },
    });
    const note =
      "the deletion waits: b is held; c is held; `meridian unjoin shanghai-1 --orphan` leaves it running instead";
    expect(late.events).toMatchObject([{ type: "Warning", reason: "DeletionWaits", action: "Remove", note }]);
  });

  test("says what holds the letting go, in the condition and by an Event, when that takes longer than deletions do", async () => {
    const before = member(CLUSTER, { ...leaving, uid: "u" });
    for (const stage of [lettingGo(["b is held"]), lettingGo([], true)]) {
      const { client, events } = await telling(before, stage);
      expect([client.calls, events]).toEqual([[], []]);
    }
    const { client, events } = await telling(before, lettingGo(["b is held"], true));
    expect(client.calls[0]?.body).toMatchObject({
      status: { conditions: [{ type: "Removed", reason: "DeletionWaits", message: "b is held" }] },
    });
    const note =
      "the deletion waits: b is held; `meridian unjoin shanghai-1 --orphan --force` leaves the marks on it and goes on";
    expect(events).toMatchObject([{ type: "Warning", reason: "DeletionWaits", note }]);
  });

  test("counts in the Event what it does not name, and says nothing there of what goes its way", async () => {
    const held = Array.from({ length: 7 }, (_, index) => `${index} is held`);
    const [event] = (await telling(member(CLUSTER, leaving), draining(9, held, true))).events;
    expect(event?.note).toContain("4 is held; and 2 more; `meridian unjoin");
    expect((await telling(member(CLUSTER, leaving), draining(9, [], true))).events).toEqual([]);
  });

  test("names on what still holds the draining", async () => {
    const before = saying({ ...WAITS, reason: "DeletionWaits", message: "b is there" } as Condition);
    expect((await telling(before, draining(2, ["a is there", "b is there"], true))).client.calls).toEqual([]);
    const { client, events } = await telling(before, draining(1, ["a is there"], true));
    expect([client.calls.length, events.length]).toEqual([1, 1]);
  });

  test("says that it waits again when the choice was taken back", async () => {
    const heard = { ...WAITS, reason: "ClusterLeaving", message: "heard" } as Condition;
    const { client, events } = await telling(saying(heard), undecided);
    expect([client.calls.length, events.length]).toEqual([1, 1]);
  });

  test("says nothing where it never waited", async () => {
    const { client } = await telling(saying({ type: "Ready", status: "True" }), lettingGo());
    expect(client.calls).toEqual([]);
  });

  test("may be gone by then; what else is refused is passed on", async () => {
    const gone = await telling(member(CLUSTER, leaving), undecided, () => new ApiError(404, "NotFound", "gone"));
    expect([gone.observed, gone.events]).toEqual([[], []]);
    const refused = new ApiError(500, "InternalError", "etcd is away");
    await expect(telling(member(CLUSTER, leaving), undecided, () => refused)).rejects.toBe(refused);
  });
});

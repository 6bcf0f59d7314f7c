import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { recordTrouble, recordWaits, tellTrouble } from "./statusEvents.ts";

const NONE = { desired: 0, updated: 0, ready: 0, available: 0 };
const REGARDING = { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", namespace: "default", name: "shop" };

type Entry = Partial<ClusterStatusEntry> & Pick<ClusterStatusEntry, "name" | "state">;

const shop = (uid?: string): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default", ...(uid === undefined ? {} : { uid }) },
});
const saying = (...entries: Entry[]): FederatedStatus => ({
  clusters: entries.map((entry) => ({ replicas: NONE, ...entry })),
});
const denied = { reason: "SecretAccessDenied", message: "may not read the Secret" };
/** On each of these clusters in turn what is there stays as it is, for this reason. */
const frozenFor = (...reasons: (typeof denied | undefined)[]): Target =>
  ({
    clusters: reasons.map((why, index) => ({ name: `c${index}`, ...(why === undefined ? {} : { frozenFor: why }) })),
  }) as unknown as Target;

interface Change {
  previous?: FederatedStatus;
  status: FederatedStatus;
  target?: Target;
  details?: Record<string, string>;
}

function recorded({ previous, status, target, details }: Change, object = shop()): EventRecord[] {
  const events: EventRecord[] = [];
  const detailOn = details === undefined ? undefined : (cluster: string) => details[cluster];
  recordTrouble({ record: (event) => void events.push(event) }, object, { previous, status }, target, detailOn);
  return events;
}
const told = (change: Change): string[] =>
  recorded(change).map(({ type, action, reason, note }) => `${type} ${action} ${reason}: ${note}`);

const failed: Entry = { name: "a", state: "Failed", reason: "QuotaExceeded", message: "too much" };
const available: Entry = { name: "a", state: "Available" };
const WARNING = "Warning Apply QuotaExceeded: a: too much";

describe("a failure on a cluster", () => {
  test.each<{ name: string } & Change & { want: string[] }>([
    { name: "is told when it is the first word of the object", status: saying(failed), want: [WARNING] },
    { name: "is told when nothing was said of clusters before", previous: {}, status: saying(failed), want: [WARNING] },
    { name: "is told when all was well before", previous: saying(available), status: saying(failed), want: [WARNING] },
    {
      name: "is told though the same is so on another cluster",
      previous: saying({ ...failed, name: "b" }, available),
      status: saying(failed, { ...failed, name: "b" }),
      want: [WARNING],
    },
    { name: "is told once", previous: saying(failed), status: saying({ ...failed, message: "other words" }), want: [] },
    {
      name: "is told when it is another one",
      previous: saying({ ...failed, reason: "Forbidden" }),
      status: saying(failed),
      want: [WARNING],
    },
    {
      name: "is told when the reason alone stood there before",
      previous: saying({ ...failed, state: "Progressing" }),
      status: saying(failed),
      want: [WARNING],
    },
    {
      name: "is told in the words of its reason where it has no others",
      status: saying({ name: "a", state: "Failed", reason: "QuotaExceeded" }),
      want: ["Warning Apply QuotaExceeded: a: QuotaExceeded"],
    },
    {
      name: "is told in full where the entry had to cut it, and the others as they are",
      status: saying(failed, { ...failed, name: "b" }),
      details: { a: "too much of everything" },
      want: ["Warning Apply QuotaExceeded: a: too much of everything", "Warning Apply QuotaExceeded: b: too much"],
    },
    { name: "without a reason is no news", status: saying({ name: "a", state: "Failed", message: "m" }), want: [] },
    { name: "is none where the state is another", status: saying({ ...failed, state: "Degraded" }), want: [] },
    { name: "is none where no cluster is named", previous: saying(failed), status: {}, want: [] },
  ])("$name", ({ want, ...change }) => expect(told(change)).toEqual(want));
});

describe("what may not be read on the hub", () => {
  const held: Entry = { name: "c0", state: "Held", reason: denied.reason };
  const target = frozenFor(denied);
  const want = ["Warning Schedule SecretAccessDenied: may not read the Secret"];

  test.each<{ name: string } & Change & { want: string[] }>([
    { name: "is told when a cluster is held for it", status: saying(held), target, want },
    {
      name: "is told once for all clusters, also where another one is not held",
      status: saying(available, held, { ...held, name: "c1" }),
      target: frozenFor(undefined, denied, denied),
      want,
    },
    { name: "is told once", previous: saying(held), status: saying(held), target, want: [] },
    {
      name: "is told when the cluster was held for another reason before",
      previous: saying({ ...held, reason: "Suspended" }),
      status: saying(held),
      target,
      want,
    },
    { name: "is told when nothing was said of clusters before", previous: {}, status: saying(held), target, want },
    {
      name: "is not told while the status does not say so",
      status: saying({ ...held, reason: "Suspended" }, { ...held, name: "c1", state: "Pending" }),
      target,
      want: [],
    },
    { name: "is not told while the status names no cluster", status: {}, target, want: [] },
    {
      name: "is nothing where no cluster is frozen for it",
      status: saying(held),
      target: frozenFor(undefined),
      want: [],
    },
    { name: "is nothing without a target", status: saying(held), want: [] },
  ])("$name", ({ want: lines, ...change }) => expect(told(change)).toEqual(lines));
});

test.each([
  { name: "with the life of the object", uid: "shop-uid", want: { ...REGARDING, uid: "shop-uid" } },
  { name: "without it where nobody knows it", uid: undefined, want: REGARDING },
])("an Event regards the hub object, $name", ({ uid, want }) => {
  expect(recorded({ status: saying(failed) }, shop(uid))).toStrictEqual([
    { regarding: want, type: "Warning", reason: "QuotaExceeded", action: "Apply", note: "a: too much" },
  ]);
});

describe("what cannot be made on a cluster yet", () => {
  const waiting = (name: string, more: Partial<Entry> = {}): Entry => ({
    ...{ name, state: "Pending", reason: "KindNotServed", message: "does not serve Widget yet" },
    ...more,
  });
  const going = waiting("a", { state: "Progressing", reason: "Terminating", message: "cut…" });

  test.each<{ name: string } & Change & { want: string[] }>([
    {
      name: "is told once for all clusters",
      status: saying(waiting("a"), waiting("b")),
      want: ["Warning Apply KindNotServed: a, b: does not serve Widget yet"],
    },
    {
      name: "is told in full of a copy that a finalizer keeps",
      previous: saying(available),
      status: saying(going),
      details: { a: "Deployment shop has finalizer x/y" },
      want: ["Warning Apply Terminating: a: Deployment shop has finalizer x/y"],
    },
    { name: "is told once", previous: saying(waiting("a")), status: saying(waiting("a"), waiting("b")), want: [] },
    { name: "is not told of a copy that is to go", status: saying({ ...going, state: "Removing" }), want: [] },
    { name: "is not told of what is merely under way", status: saying(waiting("a", { reason: "Applying" })), want: [] },
  ])("$name", ({ previous, status, details = {}, want }) => {
    const warnings: string[] = [];
    const warn = ({ type, action, reason, note }: EventRecord): void =>
      void warnings.push(`${type} ${action} ${reason}: ${note}`);
    recordWaits(warn, shop(), { previous, status }, (cluster) => details[cluster]);
    expect(warnings).toEqual(want);
  });

  test("is told only when it is still said of the object in a moment", () => {
    const events: EventRecord[] = [];
    const asked: [string, boolean][] = [];
    const stored = [saying(waiting("a")), saying(available)];
    const sinks = {
      events: { record: (event: EventRecord) => void events.push(event) },
      warnings: {
        warn: (key: string, _: EventRecord, isStillTrue: () => boolean) =>
          void asked.push([key, isStillTrue()], [key, isStillTrue()]),
      },
      store: { read: () => stored.shift() },
    };
    const change = { previous: undefined, status: saying(waiting("a")) };
    tellTrouble(sinks, "shop", shop(), change, { target: undefined, clusters: [] });
    expect(asked).toEqual([
      ["shop KindNotServed", true],
      ["shop KindNotServed", false],
    ]);
    expect(events).toEqual([]);
  });
});

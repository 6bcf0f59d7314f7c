import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, KubeObject } from "../../apis/index.ts";
import type { Target } from "../../desiredstate/index.ts";
import type { EventRecord } from "../../observability/index.ts";
import { recordTrouble, recordWaits, reportTrouble } from "./statusEvents.ts";

const NONE = { desired: 0, updated: 0, ready: 0, available: 0 };

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
/** A target with one cluster for each reason, frozen for this reason. */
const frozenFor = (...reasons: (typeof denied | undefined)[]): Target =>
  ({
    clusters: reasons.map((why, index) => ({ name: `c${index}`, ...(why === undefined ? {} : { frozenFor: why }) })),
  }) as unknown as Target;

interface Change {
  previous?: FederatedStatus;
  status: FederatedStatus;
  target?: Target;
}

function recorded({ previous, status, target }: Change, object = shop()): EventRecord[] {
  const events: EventRecord[] = [];
  recordTrouble({ record: (event) => void events.push(event) }, object, { previous, status }, target);
  return events;
}
const eventsOf = (change: Change): string[] =>
  recorded(change).map(({ type, action, reason, note }) => `${type} ${action} ${reason}: ${note}`);

const failed: Entry = { name: "a", state: "Failed", reason: "QuotaExceeded", message: "too much" };
const available: Entry = { name: "a", state: "Available" };
const WARNING = "Warning Apply QuotaExceeded: a: too much";

const before = (more: Partial<Entry>) => saying({ ...failed, ...more });
test.each<[string, Change, string[]]>([
  ["comes with the first status", { status: saying(failed) }, [WARNING]],
  ["comes after a healthy status", { previous: saying(available), status: saying(failed) }, [WARNING]],
  [
    "comes for each cluster",
    { previous: saying({ ...failed, name: "b" }, available), status: saying(failed, { ...failed, name: "b" }) },
    [WARNING],
  ],
  ["comes once", { previous: saying(failed), status: before({ message: "other words" }) }, []],
  ["comes for another reason", { previous: before({ reason: "Forbidden" }), status: saying(failed) }, [WARNING]],
])("the warning of a failure %s", (_, change, want) => expect(eventsOf(change)).toEqual(want));

describe("the warning of an unreadable dependency", () => {
  const held: Entry = { name: "c0", state: "Held", reason: denied.reason };
  const suspended = { ...held, reason: "Suspended" };
  const target = frozenFor(denied);
  const want = ["Warning Schedule SecretAccessDenied: may not read the Secret"];
  test.each<[string, Change, string[]]>([
    ["comes when a cluster is held", { status: saying(held), target }, want],
    [
      "comes once for all clusters",
      { status: saying(available, held, { ...held, name: "c1" }), target: frozenFor(undefined, denied, denied) },
      want,
    ],
    ["comes once", { previous: saying(held), status: saying(held), target }, []],
    ["comes after a hold for another reason", { previous: saying(suspended), status: saying(held), target }, want],
    ["waits for the status", { status: saying(suspended, { ...held, name: "c1", state: "Pending" }), target }, []],
  ])("%s", (_, change, lines) => expect(eventsOf(change)).toEqual(lines));
});

describe("the warning of a wait", () => {
  const waiting = (name: string, more: Partial<Entry> = {}): Entry => ({
    ...{ name, state: "Pending", reason: "KindNotServed", message: "does not serve Widget yet" },
    ...more,
  });
  const going = waiting("a", {
    state: "Progressing",
    reason: "Terminating",
    message: "Deployment shop has finalizer x/y",
  });

  const waits = { status: saying(waiting("a"), waiting("b")) };
  test.each<[string, Change, string[]]>([
    ["comes once for all clusters", waits, ["Warning Apply KindNotServed: a, b: does not serve Widget yet"]],
    [
      "has the full message of a copy that a finalizer keeps",
      { previous: saying(available), status: saying(going) },
      ["Warning Apply Terminating: a: Deployment shop has finalizer x/y"],
    ],
    ["comes once", { previous: saying(waiting("a")), ...waits }, []],
    ["is not for a copy to be removed", { status: saying({ ...going, state: "Removing" }) }, []],
  ])("%s", (_, { previous, status }, want) => {
    const warnings: string[] = [];
    const warn = ({ type, action, reason, note }: EventRecord): void =>
      void warnings.push(`${type} ${action} ${reason}: ${note}`);
    recordWaits(warn, shop(), { previous, status });
    expect(warnings).toEqual(want);
  });

  test("is recorded only if the status still shows the wait a moment later", () => {
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
    reportTrouble(sinks, "shop", shop(), change, undefined);
    expect(asked).toEqual([
      ["shop KindNotServed", true],
      ["shop KindNotServed", false],
    ]);
    expect(events).toEqual([]);
  });
});

describe("the warning of a failure", () => {
  const before = (more: Partial<Entry>) => saying({ ...failed, ...more });
  test.each<[string, Change, string[]]>([
    ["comes with the first status", { status: saying(failed) }, [WARNING]],
    ["comes after a status without clusters", { previous: {}, status: saying(failed) }, [WARNING]],
    ["comes after a healthy status", { previous: saying(available), status: saying(failed) }, [WARNING]],
    [
      "comes for each cluster",
      { previous: saying({ ...failed, name: "b" }, available), status: saying(failed, { ...failed, name: "b" }) },
      [WARNING],
    ],
    ["comes once", { previous: saying(failed), status: before({ message: "other words" }) }, []],
    ["comes for another reason", { previous: before({ reason: "Forbidden" }), status: saying(failed) }, [WARNING]],
    ["comes for another state", { previous: before({ state: "Progressing" }), status: saying(failed) }, [WARNING]],
    [
      "has the reason in place of a message",
      { status: saying({ name: "a", state: "Failed", reason: "QuotaExceeded" }) },
      ["Warning Apply QuotaExceeded: a: QuotaExceeded"],
    ],
    ["needs a reason", { status: saying({ name: "a", state: "Failed", message: "m" }) }, []],
    ["needs a failure", { status: before({ state: "Degraded" }) }, []],
    ["needs a cluster", { previous: saying(failed), status: {} }, []],
  ])("%s", (_, change, want) => expect(eventsOf(change)).toEqual(want));
});

import { describe, expect, test } from "vitest";
import type { ClusterStatusEntry, FederatedStatus, RolloutStatus } from "../../apis/index.ts";
import type { Target } from "../types.ts";
import { app, running } from "../testing/builders.ts";
import { waitsOnHub } from "./hubWaits.ts";

const T = "2026-11-22T10:00:00Z";
const AT = Date.parse(T);
const PLACED = { decision: {} } as unknown as Target;

const entry = (name: string, more: Partial<ClusterStatusEntry>): ClusterStatusEntry => ({
  ...{ name, state: "Held", replicas: { desired: 1, updated: 1, ready: 1, available: 1 } },
  ...more,
});
const waitsOf = (previous: FederatedStatus | undefined, target: object = {}, object = app()) =>
  waitsOnHub({ object, previous }, { ...PLACED, ...target }, { stages: [{ name: "eu", soak: "5m" }] });

test("an object that runs everywhere waits for nothing, nor does one without a status", () => {
  expect([waitsOf(running(["a", "b"])), waitsOf(undefined)]).toEqual([[], []]);
});

describe("by the entry of its cluster, an object", () => {
  test.each<{ name: string; of: Partial<ClusterStatusEntry>; want: object[] }>([
    {
      name: "out of contact waits since the last contact",
      of: { state: "Unknown", reason: "ClusterUnreachable", since: "2020-01-01T00:00:00Z", observedAt: T },
      want: [{ for: "contact", of: "a", since: AT }],
    },
    { name: "with unknown health waits for nothing", of: { state: "Unknown", reason: "HealthUnknown" }, want: [] },
    {
      name: "that leaves waits for the cluster",
      of: { state: "Removing", reason: "Removing", since: T },
      want: [{ for: "contact", of: "a", since: AT }],
    },
    {
      name: "that leaves when its replacement is up waits for any cluster",
      of: { state: "Removing", reason: "AwaitingReplacement" },
      want: [{ for: "contact" }],
    },
    {
      name: "that another object needs there waits for others",
      of: { reason: "NeededByOthers", since: T },
      want: [{ for: "others", since: AT }],
    },
    { name: "held for unsynced caches waits for the hub", of: { reason: "HubNotSynced" }, want: [{ for: "hubSync" }] },
    { name: "held for its data waits for a person", of: { reason: "HoldsData" }, want: [{ for: "approval" }] },
    { name: "that is suspended waits for nothing", of: { reason: "Suspended" }, want: [] },
  ])("$name", ({ of, want }) => expect(waitsOf({ clusters: [entry("a", of)] })).toEqual(want));
});

describe("by its rollout, an object", () => {
  const cluster = (name: string, state: "Applying" | "Done") => ({
    name,
    state,
    ...(state === "Done" ? {} : { since: T }),
  });
  test.each<{ name: string; rollout: RolloutStatus; want: object[] }>([
    {
      name: "without a slot waits for its turn",
      rollout: { state: "Planned", since: T },
      want: [{ for: "turn", since: AT }],
    },
    {
      name: "in a stage waits for the clusters that change",
      rollout: {
        state: "Progressing",
        stages: [{ name: "eu", state: "Progressing", clusters: [cluster("a", "Done"), cluster("b", "Applying")] }],
      },
      want: [{ for: "contact", of: "b", since: AT }],
    },
    {
      name: "that soaks waits for the end of the soak",
      rollout: { state: "Progressing", stages: [{ name: "eu", state: "Soaking", soakingSince: T }] },
      want: [{ for: "window", of: "eu", since: AT, until: AT + 300_000 }],
    },
    {
      name: "that soaks in a stage that its policy dropped waits for nothing that is known",
      rollout: { state: "Progressing", stages: [{ name: "us", state: "Soaking", soakingSince: T }] },
      want: [],
    },
    {
      name: "that was rolled back waits for nothing",
      rollout: { state: "RolledBack", stages: [{ name: "eu", state: "Soaking", soakingSince: T }] },
      want: [],
    },
  ])("$name", ({ rollout, want }) => expect(waitsOf({ rollout })).toEqual(want));
});

test("by its target, an object waits for room, for contact and for a time", () => {
  const target = {
    decision: { room: { awaited: true, clusters: ["a", "b"] } },
    failover: { awaitsContact: true },
    recheckAt: AT,
  };
  expect(waitsOf(undefined, target)).toEqual([
    ...[{ for: "capacity", of: "a" }, { for: "capacity", of: "b" }, { for: "contact" }],
    { for: "window", until: AT },
  ]);
});

test("an object that is being deleted waits for its copies only", () => {
  const deleted = app({}, { deletionTimestamp: T });
  const rollout: RolloutStatus = { state: "Planned" };
  const clusters = [entry("a", { state: "Removing", since: T })];
  expect(waitsOf({ rollout, clusters }, { recheckAt: AT }, deleted)).toEqual([{ for: "contact", of: "a", since: AT }]);
});

test("a wait that two facts show is told once, with the start of the first", () => {
  const clusters = [{ name: "a", state: "Applying" as const, since: T }];
  const rollout: RolloutStatus = { state: "Progressing", stages: [{ name: "eu", state: "Progressing", clusters }] };
  const lost = entry("a", { state: "Unknown", reason: "ClusterUnreachable" });
  expect(waitsOf({ rollout, clusters: [lost] })).toEqual([{ for: "contact", of: "a", since: AT }]);
});

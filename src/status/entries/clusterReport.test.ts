import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, hashOf } from "../../apis/index.ts";
import type { ClusterTarget } from "../../desiredstate/types.ts";
import { type ClusterReport, type ReportInput, reportOf } from "./report.ts";
import { at, healthy, row, rowWithout, SECOND, T0, unhealthy, view } from "../testing.ts";
import type { ClusterView, RowView } from "../types.ts";

const H1 = hashOf(["h1"]);
const H0 = hashOf(["h0"]);
const counts = (desired: number, rest = desired) => ({ desired, updated: rest, ready: rest, available: rest });
const old = { ...counts(2), updated: 0 };
const chosen: ClusterTarget = { name: "a", replicas: 2, frozen: false, objects: [] };
const policy = { kind: "OverridePolicy", namespace: "default", name: "regional" };
const overrides = { policies: [policy], superseded: [], patches: [] };
const frozenFor = { reason: "NoPlacement", message: "no placement selects it" };
const secret = {
  ref: { apiVersion: "v1", kind: "Secret", namespace: "default", name: "s" },
  role: "dependency" as const,
};
const entryOf = (more: Partial<ClusterStatusEntry> = {}): ClusterStatusEntry => ({
  name: "a",
  region: "region-of-a",
  state: "Available",
  replicas: counts(2),
  desiredHash: H1,
  observedHash: H1,
  observedAt: at(T0),
  ...(more.reason === undefined || more.state === undefined || more.state === "Available"
    ? {}
    : { since: more.observedAt ?? at(T0) }),
  ...more,
});

function input(more: Partial<ReportInput> = {}, rows: RowView[] = [row()]): ReportInput {
  return {
    view: view("a", { rows }),
    target: chosen,
    previous: undefined,
    isBrief: false,
    frozenFor,
    isUnchanged: true,
    isPlaced: true,
    watchesHealth: false,
    watchesNodes: false,
    now: T0,
    ...more,
  };
}
const of = (more: Partial<ReportInput> = {}, rows?: RowView[]): ClusterReport | undefined =>
  reportOf(input(more, rows));
const on = (more: Partial<ClusterTarget>, rows?: RowView[], rest: Partial<ReportInput> = {}) =>
  of({ target: { ...chosen, ...more }, ...rest }, rows);

describe("the report on a cluster that is chosen", () => {
  const settled: ClusterReport = {
    entry: entryOf(),
    planned: true,
    applied: true,
    available: "Yes",
    fresh: true,
  };
  const behind = row({ inSync: false, observedHash: "h0" });

  test.each<{ name: string; given: ClusterReport | undefined; want: ClusterReport }>([
    { name: "that has what is asked for", given: of(), want: settled },
    {
      name: "that rolls out",
      given: of({}, [row({ health: { ...unhealthy("Progressing", 1), serves: "Now" } })]),
      want: {
        ...settled,
        entry: entryOf({
          state: "Progressing",
          reason: "RollingOut",
          message: "waiting for pods",
          replicas: { desired: 2, updated: 2, ready: 1, available: 1 },
        }),
        activity: "RollingOut",
      },
    },
    {
      name: "that has the object of before, which serves",
      given: of({}, [behind]),
      want: {
        ...settled,
        entry: entryOf({ state: "Progressing", reason: "Applying", observedHash: H0, replicas: old }),
        applied: false,
        available: "Before",
        activity: "Applying",
      },
    },
    {
      name: "that is degraded waits for nothing",
      given: of({}, [row({ health: unhealthy("Degraded", 2, "Broken", "it broke") })]),
      want: {
        ...settled,
        entry: entryOf({ state: "Degraded", reason: "Broken", message: "it broke" }),
        available: "No",
      },
    },
    {
      name: "of which no health is known",
      given: of({}, [rowWithout(["health"])]),
      want: {
        ...settled,
        entry: entryOf({
          state: "Unknown",
          reason: "NotReported",
          message: "its health is not known yet",
          replicas: counts(2, 0),
        }),
        available: "No",
      },
    },
    {
      name: "on which what is left over waits for a person",
      given: of({}, [
        row(),
        rowWithout(["desiredHash"], {
          ...secret,
          inSync: false,
          stays: { reason: "CustomObjectsExist", message: "2" },
        }),
      ]),
      want: {
        ...settled,
        entry: entryOf({ state: "Held", reason: "CustomObjectsExist", message: "2" }),
        applied: false,
      },
    },
    {
      name: "on which what is left over goes by itself",
      given: of({}, [
        row(),
        rowWithout(["desiredHash"], { ...secret, inSync: false, stays: { reason: "ClusterNotSynced", message: "m" } }),
      ]),
      want: {
        ...settled,
        entry: entryOf({ state: "Progressing", reason: "Removing" }),
        applied: false,
        activity: "Removing",
      },
    },
    {
      name: "on which nothing of what is wanted is there, and something else is left over",
      given: of({}, [
        rowWithout(["observedHash", "health"], { inSync: false }),
        rowWithout(["desiredHash", "health"], { ...secret, inSync: false }),
      ]),
      want: {
        entry: {
          name: "a",
          region: "region-of-a",
          state: "Pending",
          reason: "Applying",
          replicas: counts(2, 0),
          desiredHash: H1,
          since: at(T0),
          observedAt: at(T0),
        },
        planned: true,
        applied: false,
        available: "No",
        fresh: true,
        activity: "Applying",
      },
    },
    {
      name: "whose override cannot be applied",
      given: on({ problem: { reason: "InvalidPatch", message: "no /x" } }),
      want: {
        ...settled,
        entry: entryOf({ state: "Failed", reason: "InvalidPatch", message: "no /x" }),
        applied: false,
        available: "No",
      },
    },
    {
      name: "that refuses for good",
      given: of({}, [row({ inSync: false, failure: { reason: "Invalid", message: "bad", final: true } })]),
      want: {
        ...settled,
        entry: entryOf({ state: "Failed", reason: "Invalid", message: "bad" }),
        applied: false,
        available: "No",
      },
    },
    {
      name: "that refuses for now, and is tried again",
      given: of({}, [row({ inSync: false, failure: { reason: "Timeout", message: "slow", final: false } })]),
      want: {
        ...settled,
        entry: entryOf({ state: "Progressing", reason: "Timeout", message: "slow" }),
        applied: false,
        available: "No",
        activity: "Applying",
      },
    },
    {
      name: "that is frozen with what was asked for",
      given: on({ frozen: true }),
      want: { ...settled, entry: entryOf({ state: "Held", ...frozenFor }) },
    },
    {
      name: "that is frozen, with a number that each cluster decides",
      given: of({ target: { name: "a", frozen: true, objects: [] } }, [row({ health: healthy(5) })]),
      want: { ...settled, entry: entryOf({ state: "Held", ...frozenFor, replicas: counts(5) }) },
    },
  ])("$name", ({ given, want }) => expect(given).toStrictEqual(want));

  test("names the region of the cluster, else that of the target, else none", () => {
    const bare: ClusterView = { name: "a", contact: { ok: true }, rows: [row()] };
    expect(of({ target: { ...chosen, region: "eu" } })?.entry.region).toBe("region-of-a");
    expect(of({ view: bare, target: { ...chosen, region: "eu" } })?.entry.region).toBe("eu");
    expect(of({ view: bare })?.entry).not.toHaveProperty("region");
  });

  test.each([
    ["", undefined],
    ["  \n ", undefined],
    ["two\nlines", "two lines"],
  ])("has %j as the message %j", (message, want) => {
    const entry = of({ frozenFor: { reason: "Suspended", message }, target: { ...chosen, frozen: true } })?.entry;
    expect(entry?.message).toBe(want);
    expect(Object.hasOwn(entry ?? {}, "message")).toBe(want !== undefined);
  });

  test("leaves out what controllers say where the entry is to be brief", () => {
    const rows = [
      row({ conditions: [{ type: "Ready", status: "True" }], addresses: [{ type: "NodePort", port: 30000 }] }),
    ];
    expect(of({ isBrief: true }, rows)?.entry).toStrictEqual(entryOf());
    expect(of({}, rows)?.entry).toStrictEqual(
      entryOf({ conditions: [{ type: "Ready", status: "True" }], addresses: [{ type: "NodePort", port: 30000 }] }),
    );
  });

  test("has the policies of the present where they are carried out, else those of before", () => {
    const previous = entryOf({ overrides: ["OverridePolicy/old"], moreOverrides: 3 });
    const listed = (report: ClusterReport | undefined) => [report?.entry.overrides, report?.entry.moreOverrides];
    expect(listed(on({ overrides }, undefined, { previous }))).toEqual([["OverridePolicy/regional"], undefined]);
    expect(listed(on({ overrides }, [behind], { previous }))).toEqual([["OverridePolicy/old"], 3]);
    expect(listed(on({ overrides, frozen: true }, undefined, { previous }))).toEqual([["OverridePolicy/old"], 3]);
  });
});

describe("when a chosen cluster was observed", () => {
  const seen = (more: Partial<ReportInput>, lastContact?: number) =>
    of({ view: view("a", lastContact === undefined ? {} : { lastContact }), ...more })?.entry.observedAt;

  test("is now, or when contact was lost a moment ago, and never later than now", () => {
    expect(seen({})).toBe(at(T0));
    expect(seen({}, T0 - 3 * SECOND)).toBe(at(T0 - 3 * SECOND));
    expect(seen({}, T0 + 3 * SECOND)).toBe(at(T0));
  });

  test("stays while nothing else in the entry changes", () => {
    const previous = entryOf({ observedAt: at(T0 - 60 * SECOND) });
    expect(seen({ previous })).toBe(at(T0 - 60 * SECOND));
    expect(seen({ previous: { ...previous, state: "Progressing" } })).toBe(at(T0));
    const { observedAt: _at, ...undated } = previous;
    expect(seen({ previous: undated })).toBe(at(T0));
  });
});

describe("what is asked for of a cluster that is frozen", () => {
  const previous = entryOf({ desiredHash: "asked" });
  const hashes = (report: ClusterReport | undefined) => report?.entry.desiredHash;
  const why = { reason: "SecretAccessDenied", message: "m" };

  test("is what was asked for last while nobody can say what it is to be", () => {
    expect(hashes(on({ frozen: true, frozenFor: why }, undefined, { previous }))).toBe("asked");
    expect(hashes(on({ frozen: true }, undefined, { previous, isPlaced: false }))).toBe("asked");
    expect(on({ frozen: true }, undefined, { previous, isPlaced: false })).toMatchObject({
      applied: true,
      available: "No",
      entry: { observedHash: H1 },
    });
  });

  test.each<{ name: string; given: ClusterReport | undefined }>([
    { name: "a policy places it", given: on({ frozen: true }, undefined, { previous }) },
    { name: "it is not frozen", given: on({}, undefined, { previous, isPlaced: false }) },
    { name: "it is not frozen, whatever is said of that", given: on({ frozenFor: why }, undefined, { previous }) },
    {
      name: "the object has changed since",
      given: on({ frozen: true }, undefined, { previous, isPlaced: false, isUnchanged: false }),
    },
    { name: "nothing was asked for before", given: on({ frozen: true }, undefined, { isPlaced: false }) },
  ])("is what is known where $name", ({ given }) => expect(hashes(given)).toBe(H1));

  const unsettled = row({ inSync: false });
  const unseen = rowWithout(["observedHash"], { ...secret, inSync: false });
  test.each<{ name: string; given: ClusterReport | undefined; applied: boolean; available: string }>([
    {
      name: "what is there is what was asked for",
      given: on({ frozen: true }, [unsettled]),
      applied: true,
      available: "Yes",
    },
    { name: "it is not frozen", given: on({}, [unsettled]), applied: false, available: "Before" },
    {
      name: "it is frozen for a reason of its own",
      given: on({ frozen: true, frozenFor: why }, [unsettled]),
      applied: false,
      available: "Yes",
    },
    {
      name: "something else is there",
      given: on({ frozen: true }, [row({ inSync: false, observedHash: "h0" })]),
      applied: false,
      available: "No",
    },
    {
      name: "a dependency is not there",
      given: on({ frozen: true }, [unsettled, unseen]),
      applied: false,
      available: "Yes",
    },
    {
      name: "what is not wanted is not there",
      given: on({ frozen: true }, [unsettled, rowWithout(["desiredHash", "observedHash"], { inSync: false })]),
      applied: true,
      available: "Yes",
    },
    { name: "nothing is there", given: on({ frozen: true }, []), applied: false, available: "No" },
    {
      name: "what is there serves as before",
      given: on({ frozen: true }, [row({ health: { ...unhealthy("Progressing", 1), serves: "Before" } })]),
      applied: true,
      available: "Before",
    },
    {
      name: "what is there does not serve",
      given: on({ frozen: true }, [row({ health: unhealthy("Progressing", 1) })]),
      applied: true,
      available: "No",
    },
  ])("is there or not where $name", ({ given, applied, available }) =>
    expect(given).toMatchObject({ applied, available }),
  );
});

describe("a dependency that is refused", () => {
  const effect = (kind: string): NonNullable<ClusterTarget["overrides"]> => {
    const policy = { kind: "OverridePolicy", namespace: "default", name: kind };
    return { policies: [policy], superseded: [], patches: [{ policy, rule: 0, patch: 0, path: "/data" }] };
  };
  const failure = { reason: "Invalid", message: "data: bad", final: true, fields: ["data"] };
  const refused = row({ ...secret, inSync: false, failure });
  const goingAlong = { ref: refused.ref, role: "dependency" as const, object: {}, hash: "h" };
  const messageOf = (more: object): string | undefined =>
    on({ overrides: effect("own"), objects: [{ ...goingAlong, ...more }] as unknown as ClusterTarget["objects"] }, [
      refused,
    ])?.entry.message;

  test("is blamed on the overrides of the dependency, and not on those of the object that needs it", () => {
    expect(messageOf({})).toBe("data: bad");
    expect(messageOf({ overrides: effect("other") })).toContain("OverridePolicy other, rule 0: patch 0");
  });
});

describe("a dependency that a policy of its own leaves as it is", () => {
  const kept = { reason: "Suspended", message: "Secret db: Placement db is suspended" };
  const stale = row({ ...secret, inSync: false, kept });
  test("holds the object that needs it, and says why, unless something else goes on", () => {
    expect(on({}, [row({}), stale])).toMatchObject({ applied: false, entry: { state: "Held", ...kept } });
    expect(on({}, [row({ inSync: false }), stale])?.entry).toMatchObject({ state: "Progressing" });
  });
});

describe("whether an object is available that is not healthy in full", () => {
  const serves = (how: "Now" | "Before", more: Partial<RowView> = {}) =>
    row({ health: { ...unhealthy("Progressing", 1), serves: how }, ...more });
  test.each<{ name: string; rows: RowView[]; target?: Partial<ClusterTarget>; want: string }>([
    { name: "one that serves now", rows: [serves("Now")], want: "Yes" },
    { name: "one that serves as before", rows: [serves("Before")], want: "Before" },
    {
      name: "one of which a dependency is on its way",
      rows: [serves("Now"), row({ ...secret, inSync: false })],
      want: "Before",
    },
    {
      name: "one that has something left over",
      rows: [serves("Now"), rowWithout(["desiredHash"], { ...secret, inSync: false })],
      want: "Yes",
    },
    {
      name: "one whose dependency failed",
      rows: [serves("Now"), row({ ...secret, inSync: false, failure: { reason: "R", message: "", final: false } })],
      want: "No",
    },
    {
      name: "one with a problem",
      rows: [serves("Now")],
      target: { problem: { reason: "R", message: "" } },
      want: "No",
    },
    { name: "one that does not serve", rows: [row({ health: unhealthy("Progressing", 1) })], want: "No" },
  ])("$name: $want", ({ rows, target, want }) => expect(on(target ?? {}, rows)?.available).toBe(want));
});

describe("the clocks of an entry", () => {
  const ill = (available: number, reason = "Unschedulable") => [
    row({ health: unhealthy("Progressing", available, reason) }),
  ];
  const entry = (more: Partial<ReportInput>, rows: RowView[]) => of(more, rows)?.entry;

  test("of health begins where nothing is available of what is asked for, and goes on from before", () => {
    const previous = entryOf({ unhealthySince: at(T0 - 60 * SECOND) });
    expect(entry({ watchesHealth: true }, ill(0))?.unhealthySince).toBe(at(T0));
    expect(entry({ watchesHealth: true, previous }, ill(0))?.unhealthySince).toBe(at(T0 - 60 * SECOND));
    expect(entry({ watchesHealth: true }, ill(1))).not.toHaveProperty("unhealthySince");
    expect(entry({ previous }, ill(0))).not.toHaveProperty("unhealthySince");
    expect(entry({ watchesHealth: true, previous }, [row()])).not.toHaveProperty("unhealthySince");
  });

  test("of nodes begins where pods find none, unless as many are available as are asked for", () => {
    const previous = entryOf({ unschedulableSince: at(T0 - 60 * SECOND) });
    const since = (more: Partial<ReportInput>, rows: RowView[]) =>
      entry({ watchesNodes: true, ...more }, rows)?.unschedulableSince;
    expect(since({}, ill(1))).toBe(at(T0));
    expect(since({}, ill(2))).toBeUndefined();
    expect(since({}, ill(1, "RollingOut"))).toBeUndefined();
    expect(since({ watchesNodes: false }, ill(1))).toBeUndefined();
    expect(since({ previous }, ill(1))).toBe(at(T0 - 60 * SECOND));
    expect(since({ previous: { ...previous, replicas: counts(3) } }, ill(1))).toBe(at(T0));
    expect(since({ previous: { ...previous, replicas: counts(1) } }, ill(1))).toBe(at(T0 - 60 * SECOND));
    const anyNumber: ClusterTarget = { name: "a", frozen: false, objects: [] };
    expect(since({ previous, target: anyNumber }, ill(1))).toBe(at(T0 - 60 * SECOND));
    expect(since({ previous: { ...previous, replicas: counts(3) }, target: anyNumber }, ill(1))).toBe(at(T0));
  });
});

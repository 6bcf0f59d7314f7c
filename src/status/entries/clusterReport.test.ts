import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, hashOf } from "../../apis/index.ts";
import type { ClusterTarget } from "../../desiredstate/types.ts";
import { type ClusterReport, type ReportInput, reportOf } from "./report.ts";
import { at, row, rowWithout, SECOND, T0, unhealthy, view } from "../testing/builders.ts";
import type { ClusterView, RowView } from "../types.ts";

const H1 = hashOf(["h1"]);
const H0 = hashOf(["h0"]);
const counts = (desired: number, rest = desired) => ({ desired, updated: rest, ready: rest, available: rest });
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
      name: "that is frozen with what was asked for",
      given: on({ frozen: true }),
      want: { ...settled, entry: entryOf({ state: "Held", ...frozenFor }) },
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

describe("the clocks of an entry", () => {
  const ill = (available: number, reason = "Unschedulable") => [
    row({ health: unhealthy("Progressing", available, reason) }),
  ];
  const entry = (more: Partial<ReportInput>, rows: RowView[]) => of(more, rows)?.entry;

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

describe("what was seen there once", () => {
  const previous = entryOf({ observedHash: H0 });
  const unseen = rowWithout(["observedHash"], { inSync: false });

  test("stays said where nobody may look any more, and is gone where it is seen to be gone", () => {
    expect(of({ previous }, [{ ...unseen, isUnobserved: true }])?.entry.observedHash).toBe(H0);
    expect(of({ previous }, [unseen])?.entry).not.toHaveProperty("observedHash");
  });
});

test("only a final failure is Failed, and what is tried again goes on", () => {
  const failing = (final: boolean) =>
    row({ inSync: false, failure: { reason: "Forbidden", message: "may not", final } });
  expect([true, false].map((final) => on({}, [failing(final)])?.entry.state)).toEqual(["Failed", "Progressing"]);
});

test("what serves on is not available where an override cannot be applied", () => {
  const rows = [row({ health: { ...unhealthy("Degraded", 1), serves: "Now" } })];
  const problem = { reason: "InvalidPatch", message: "no" };
  expect([on({}, rows), on({ problem }, rows)].map((one) => one?.available)).toEqual(["Yes", "No"]);
});

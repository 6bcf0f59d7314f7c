import { describe, expect, test } from "vitest";
import { type ClusterStatusEntry, type Contact, hashOf } from "../../apis/index.ts";
import type { ClusterTarget } from "../../desiredstate/types.ts";
import { type ClusterReport, type ReportInput, reportOf } from "./report.ts";
import { at, row, rowWithout, SECOND, T0, view } from "../testing/builders.ts";
import type { ClusterView, RowView } from "../types.ts";

const H1 = hashOf(["h1"]);
const counts = (desired: number, rest = desired) => ({ desired, updated: rest, ready: rest, available: rest });
const chosen: ClusterTarget = { name: "a", replicas: 2, frozen: false, objects: [] };
const refused: Contact = { ok: false, lastContact: T0, reason: "CredentialsRejected", message: "401" };
const untried: Contact = { ok: false };
const ready = [{ type: "Ready", status: "True" as const }];
const addresses = [{ type: "NodePort" as const, port: 30000 }];
const entryOf = (more: Partial<ClusterStatusEntry> = {}): ClusterStatusEntry => ({
  name: "a",
  region: "region-of-a",
  state: "Available",
  replicas: counts(2),
  desiredHash: H1,
  observedHash: H1,
  observedAt: at(T0 - 60 * SECOND),
  ...more,
});

function report(view: ClusterView, more: Partial<ReportInput> = {}): ClusterReport | undefined {
  const frozenFor = { reason: "Suspended", message: "" };
  const flags = { isBrief: false, isUnchanged: true, isPlaced: true, watchesHealth: false, watchesNodes: false };
  return reportOf({ view, target: chosen, previous: undefined, frozenFor, ...flags, now: T0 + 60 * SECOND, ...more });
}
const lost = (rows: RowView[] = [row()], more: Partial<ReportInput> = {}, contact = refused) =>
  report(view("a", { contact, rows }), more);
const toGo = (more: Partial<RowView> = {}) => rowWithout(["desiredHash"], { inSync: false, ...more });
const gone = rowWithout(["observedHash", "health"], { inSync: false });

describe("the report on a cluster without contact", () => {
  const last: ClusterReport = {
    entry: entryOf({
      state: "Unknown",
      reason: "CredentialsRejected",
      message: "401",
      since: at(T0),
      observedAt: at(T0),
    }),
    planned: true,
    applied: true,
    available: "No",
    fresh: false,
  };
  const previous = entryOf({ replicas: counts(3), conditions: ready, addresses, overrides: ["OverridePolicy/o"] });

  test.each<{ name: string; given: ClusterReport | undefined; want: ClusterReport | undefined }>([
    { name: "says what was seen last", given: lost(), want: last },
    {
      name: "says what was said before where nothing was seen",
      given: lost([], { previous }),
      want: {
        ...last,
        entry: entryOf({
          ...last.entry,
          replicas: { ...counts(3), desired: 2 },
          conditions: ready,
          addresses,
        }),
      },
    },
    {
      name: "that was never met says that it connects",
      given: lost([gone], {}, untried),
      want: {
        ...last,
        entry: {
          name: "a",
          region: "region-of-a",
          state: "Pending",
          reason: "Connecting",
          replicas: counts(2, 0),
          desiredHash: H1,
          since: at(T0 + 60 * SECOND),
        },
        applied: false,
      },
    },
    {
      name: "that is to be left has what was seen last, and nothing that is asked for",
      given: lost([toGo()], { target: undefined, previous }),
      want: {
        ...last,
        planned: false,
        applied: false,
        entry: {
          name: "a",
          region: "region-of-a",
          state: "Unknown",
          reason: "CredentialsRejected",
          message: "401",
          replicas: { ...counts(2), desired: 0 },
          conditions: ready,
          addresses,
          overrides: ["OverridePolicy/o"],
          observedHash: H1,
          since: at(T0),
          observedAt: at(T0),
        },
      },
    },
  ])("$name", ({ given, want }) => expect(given).toStrictEqual(want));

  test("is dated by the later of the last contact and the last observation", () => {
    const dated = (observedAt: number) =>
      lost([], { previous: entryOf({ observedAt: at(observedAt) }) })?.entry.observedAt;
    expect(dated(T0 - SECOND)).toBe(at(T0));
    expect(dated(T0 + SECOND)).toBe(at(T0 + SECOND));
    const never = { ...entryOf(), observedAt: undefined } as unknown as ClusterStatusEntry;
    expect(lost([], { previous: never })?.entry.observedAt).toBe(at(T0));
  });
});

describe("what is on a lost cluster is called applied", () => {
  const frozen = { ...chosen, frozen: true };

  test("and has the hash that was asked for last where nobody can say what it is to be", () => {
    const previous = entryOf({ desiredHash: "asked" });
    expect(lost([row()], { target: frozen, isPlaced: false, previous })?.entry.desiredHash).toBe("asked");
    expect(lost([row()], { target: frozen, previous })?.entry.desiredHash).toBe(H1);
  });
});

describe("the report before the first contact after a restart", () => {
  const previous = entryOf({
    state: "Progressing",
    reason: "RollingOut",
    message: "1 of 2",
    conditions: ready,
    addresses,
    unhealthySince: at(T0),
  });
  const overrides = { overrides: ["OverridePolicy/o"], moreOverrides: 2 };
  const restarted = (rows: RowView[], more: Partial<ReportInput> = {}) => lost(rows, { previous, ...more }, untried);

  test("is what was said before", () => {
    expect(restarted([gone])).toStrictEqual({
      entry: previous,
      planned: true,
      applied: true,
      available: "Before",
      fresh: true,
      activity: "RollingOut",
    });
  });

  test("has what is asked for by now, and no more of what was asked for before", () => {
    const target = { ...chosen, replicas: 5, region: "eu" };
    const asked = { ...gone, desiredHash: "h2" };
    expect(restarted([asked], { target, previous: { ...previous, ...overrides } })).toMatchObject({
      applied: false,
      entry: {
        desiredHash: hashOf(["h2"]),
        observedHash: H1,
        replicas: { ...counts(2), desired: 5, updated: 0 },
        ...overrides,
      },
    });
    expect(restarted([gone], { previous: { ...previous, ...overrides } })?.entry).toStrictEqual(previous);
    const { conditions: _conditions, addresses: _addresses, ...brief } = previous;
    expect(restarted([gone], { isBrief: true })?.entry).toStrictEqual(brief);
    const { desiredHash: _hash, ...left } = previous;
    expect(restarted([], { target: undefined })).toStrictEqual({
      entry: { ...left, replicas: { ...counts(2), desired: 0 } },
      planned: false,
      applied: false,
      available: "No",
      fresh: true,
      activity: "Removing",
    });
  });

  test("names the region of the cluster, else that of the target, else the one of before", () => {
    const bare: ClusterView = { name: "a", contact: untried, rows: [] };
    const before = { ...previous, region: "before" };
    expect(restarted([], { previous: before })?.entry.region).toBe("region-of-a");
    expect(report(bare, { previous: before, target: { ...chosen, region: "eu" } })?.entry.region).toBe("eu");
    expect(report(bare, { previous: before })?.entry.region).toBe("before");
  });
});

describe("the report on a cluster in contact that is to be left", () => {
  const leaving = (rows: RowView[], more: Partial<ClusterView> = {}, previous?: ClusterStatusEntry) =>
    report(view("a", { rows, ...more }), { target: undefined, previous });
  const entry = { name: "a", region: "region-of-a", state: "Removing", observedAt: at(T0 + 60 * SECOND) } as const;
  const going = { planned: false, applied: false, available: "No", fresh: true } as const;
  const since = entry.observedAt;
  const counted = { replicas: { ...counts(2), desired: 0 }, observedHash: H1 };
  const stays = { reason: "KindBeingDeleted", message: "its kind goes" };
  const failure = { reason: "Forbidden", message: "no right", final: true };

  test.each<{ name: string; given: ClusterReport | undefined; want: ClusterReport | undefined }>([
    {
      name: "says why a removal fails, whichever of the objects it is",
      given: leaving([toGo(), toGo({ role: "dependency", failure })]),
      want: {
        ...going,
        entry: { ...entry, ...counted, reason: "Forbidden", message: "no right", since },
        activity: "Removing",
      },
    },
    {
      name: "is Held where nobody can see or take away what is left",
      given: leaving([], { mayRemain: true, stays }, entryOf()),
      want: { ...going, entry: { ...entry, ...counted, state: "Held", ...stays, since } },
    },
  ])("$name", ({ given, want }) => expect(given).toStrictEqual(want));
});

test("a lost cluster that the object is to leave is Unknown, not Pending", () => {
  const contact = { ok: false, reason: "SecretNotFound" };
  const state = (more: Partial<ReportInput>) => report({ ...view("a", { contact, rows: [] }), mayRemain: true }, more);
  expect([state({ target: undefined }), state({})].map((one) => one?.entry.state)).toEqual(["Unknown", "Pending"]);
});

test("where an override cannot be applied nothing is applied, whatever was seen last", () => {
  const problem = { reason: "InvalidPatch", message: "no" };
  expect(lost([row()], { target: { ...chosen, problem } })?.applied).toBe(false);
  expect(lost([row()])?.applied).toBe(true);
});

import { describe, expect, test } from "vitest";
import { HUB_VERSION_ANNOTATION, type ObjectRef } from "../../apis/index.ts";
import { REPLACED } from "../../desiredstate/index.ts";
import { parsePrometheusText, valuesBy } from "../../observability/testing/prometheusText.ts";
import { ApiError, CONFIGMAPS, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, holdRow, OWNER, releaseRow, row, seen } from "../testing/builders.ts";
import { laneOn, type LaneParts, named } from "../testing/laneHarness.ts";

const altered = (...paths: string[]) => ({ type: CONFIGMAPS, object: row().object, altered: paths });

describe("what a lane sends", () => {
  test("to create: the row, with the state of the hub that it comes from", async () => {
    const { take, clock, sent } = laneOn();
    take(row({ hubVersion: "12" }));
    await clock.advance(10);
    expect(sent).toMatchObject([
      [{ hash: "h1", object: { metadata: { annotations: { [HUB_VERSION_ANNOTATION]: "12" } } } }],
    ]);
  });

  test("to update: the same, with what was observed and what was lost", async () => {
    const { objects, take, clock, sent } = laneOn();
    const observed = seen({ owns: false });
    objects.observe(CONFIG_REF, observed);
    take(row({ hubVersion: "12" }));
    await clock.advance(10);
    expect(sent).toHaveLength(1);
    expect(sent[0]).toMatchObject([
      { object: { metadata: { annotations: { [HUB_VERSION_ANNOTATION]: "12" } } } },
      { uid: observed.uid },
      [{ path: "data.key" }],
      { yielded: [], kept: [] },
    ]);
  });

  test.each([
    { name: "nothing more", given: {} },
    { name: "that it may take its objects along", given: { agreed: true } },
    { name: "that its claims stay", given: { keepsClaims: true } },
  ] as const)("to delete: what its row says of what goes with it: $name", async ({ given }) => {
    const { objects, take, clock, sent } = laneOn();
    objects.observe(CONFIG_REF, seen());
    take(deleteRow(given));
    await clock.advance(10);
    const [[said] = []] = sent as { agreed?: true; keepsClaims?: true }[][];
    expect(sent).toHaveLength(1);
    expect([said?.agreed, said?.keepsClaims]).toEqual([
      (given as { agreed?: true }).agreed,
      (given as { keepsClaims?: true }).keepsClaims,
    ]);
  });

  test("never for a namespace", async () => {
    const { lane, objects, take, clock, calls } = laneOn();
    take(row({ ref: { apiVersion: "v1", kind: "Namespace", name: "shop" } }));
    lane.enqueueAll();
    await clock.advance(60_000);
    expect([calls, [...objects.all()].length]).toEqual([[], 1]);
  });

  test("nothing between two sessions, and all of it in the next one", async () => {
    const { lane, take, clock, calls, writer, working } = laneOn();
    lane.detach();
    take(row());
    await clock.advance(60_000);
    expect([calls, working]).toEqual([[], []]);
    lane.attach(writer);
    await clock.advance(10);
    expect([calls, working]).toEqual([["create shop"], [true, false]]);
  });
});

describe("what others go before", () => {
  test.each<{ name: string; prepare: (parts: LaneParts) => void; want: string[] }>([
    { name: "is not created", prepare: ({ take }) => take(row()), want: [] },
    {
      name: "is not updated",
      prepare: ({ take, objects }) => {
        objects.observe(CONFIG_REF, seen({ hash: "old" }));
        take(row());
      },
      want: [],
    },
    {
      name: "is not deleted",
      prepare: ({ take, objects }) => {
        objects.observe(CONFIG_REF, seen());
        take(deleteRow());
      },
      want: [],
    },
    {
      name: "is let go of all the same",
      prepare: ({ take, objects }) => {
        objects.observe(CONFIG_REF, seen());
        take(releaseRow());
      },
      want: ["release shop member-1"],
    },
    { name: "is looked for all the same", prepare: ({ take }) => take(deleteRow()), want: ["find shop"] },
  ])("$name", async ({ prepare, want }) => {
    const parts = laneOn();
    parts.state.mustWait = () => true;
    prepare(parts);
    await parts.clock.advance(60_000);
    expect(parts.calls).toEqual(want);
  });

  test("is written when nothing goes before it any more", async () => {
    const { lane, take, find, clock, calls, state } = laneOn();
    state.mustWait = ({ ref }) => ref.name === "shop";
    take(row());
    take(named("b"));
    await clock.advance(10);
    expect(calls).toEqual(["create b"]);
    state.mustWait = () => false;
    lane.enqueue(find());
    await clock.advance(10);
    expect(calls).toEqual(["create b", "create shop"]);
  });
});

describe("what should not be there is looked for by its name", () => {
  test("and is known to be absent when nothing of ours has it", async () => {
    const { take, find, clock, calls, sent, reports } = laneOn();
    take(deleteRow());
    await clock.advance(60_000);
    expect([calls, sent, find().isAbsent]).toEqual([["find shop"], [[OWNER]], true]);
    expect(reports.at(-1)).toMatchObject([{ absent: true, writing: false }]);
  });

  test("and removed when it is there", async () => {
    const answers = [seen({ visible: false })];
    const { take, find, clock, calls } = laneOn(() => answers.shift());
    take(deleteRow());
    await clock.advance(60_000);
    // It is gone when it was looked for in vain.
    expect(calls).toEqual(["find shop", "delete shop member-1", "find shop"]);
    expect([find().isAbsent, find().observed]).toEqual([true, undefined]);
  });

  test("again and again while it is on its way out", async () => {
    const found = seen({ visible: false, deleting: true });
    const { take, find, clock, calls, state } = laneOn(() => found);
    take(deleteRow());
    await clock.advance(99);
    expect([calls, find().isAbsent]).toEqual([["find shop"], false]);
    await clock.advance(2);
    expect(calls).toEqual(["find shop", "find shop"]);
    state.answer = () => undefined;
    await clock.advance(60_000);
    expect([calls.length, find().isAbsent]).toEqual([3, true]);
  });
});

describe("of a kind that is not watched on the member", () => {
  const served = "the member does not serve ConfigMap of v1 yet; it waits for the definition";

  test.each([
    { lacks: "No", failure: undefined },
    { lacks: "Perhaps", failure: { reason: "KindNotServed", message: served, final: false } },
    { lacks: "Surely", failure: { reason: "KindNotServed", message: served, final: false } },
  ] as const)("what is wanted waits, and says why: $lacks", async ({ lacks, failure }) => {
    const { take, find, clock, calls, state } = laneOn();
    state.synced = false;
    state.lacks = lacks;
    take(row());
    await clock.advance(10);
    expect([calls, find().failure]).toEqual([[], failure]);
  });

  test.each([
    { lacks: "No", absent: false },
    { lacks: "Perhaps", absent: false },
    { lacks: "Surely", absent: true },
  ] as const)("what should not be there is not there where the kind is lacking: $lacks", async ({ lacks, absent }) => {
    const { take, find, clock, calls, state } = laneOn();
    state.synced = false;
    state.known = false;
    state.lacks = lacks;
    take(holdRow({ confirm: true, wanted: false }));
    await clock.advance(10);
    expect([calls, find().isAbsent]).toEqual([[], absent]);
  });

  test("what is wanted is refused where the kind is not granted, and that is told of once", async () => {
    const { lane, take, find, clock, calls, state, lines } = laneOn();
    state.synced = false;
    state.denial = "configmaps are not granted: run it";
    take(row());
    await clock.advance(10);
    lane.enqueueAll();
    await clock.advance(10);
    expect([calls, find().failure]).toEqual([[], { reason: "Forbidden", message: state.denial, final: true }]);
    expect(lines).toMatchObject([
      { level: "warn", event_reason: "Forbidden", msg: `not sent: ${state.denial}`, member_object: find().key },
    ]);
    state.synced = true;
    lane.enqueueAll();
    await clock.advance(10);
    expect([calls, find().failure]).toEqual([["create shop"], undefined]);
  });

  test("what should not be there waits while the kind is watched, and something of it may yet come", async () => {
    const { take, find, clock, state } = laneOn();
    state.known = false;
    state.lacks = "Surely";
    take(holdRow({ confirm: true, wanted: false }));
    await clock.advance(10);
    expect(find().isAbsent).toBe(false);
  });
});

describe("what a heal leaves", () => {
  test("is what was lost, and when it was put back", async () => {
    const { objects, take, find, clock } = laneOn();
    objects.observe(CONFIG_REF, seen({ owns: false }));
    take(row());
    await clock.advance(1);
    expect(find().healed).toEqual({ at: clock.now() - 1, lost: [{ path: "data.key" }], gone: false, contested: false });
  });

  test("is that it was gone", async () => {
    const { objects, take, find, clock, calls } = laneOn();
    take(row());
    await clock.advance(1);
    objects.observe(CONFIG_REF, seen());
    objects.observe(CONFIG_REF, undefined);
    await clock.advance(1);
    expect(calls).toEqual(["create shop", "create shop"]);
    expect(find().healed).toEqual({ at: clock.now() - 1, lost: [], gone: true, contested: false });
  });

  test("is nothing where what is wanted is made for the first time, and no pace either", async () => {
    const { objects, take, find, clock, calls } = laneOn();
    take(row());
    await clock.advance(1);
    objects.observe(CONFIG_REF, seen());
    take(row({ hash: "h2" }));
    await clock.advance(1);
    objects.observe(CONFIG_REF, seen({ hash: "h2", resourceVersion: "8" }));
    take(row({ hash: "h3" }));
    await clock.advance(1);
    expect([calls, find().healed]).toEqual([["create shop", "update shop", "update shop"], undefined]);
  });

  test("of what was replaced is the pace alone", async () => {
    const { objects, take, find, clock, calls } = laneOn();
    const removal = deleteRow({ why: { reason: REPLACED, message: "replaced" } });
    objects.observe(CONFIG_REF, seen());
    take(removal);
    await clock.advance(1);
    objects.observe(CONFIG_REF, undefined);
    objects.observe(CONFIG_REF, seen());
    await clock.advance(900);
    expect([calls, find().healed]).toEqual([["delete shop member-1"], undefined]);
    await clock.advance(200);
    expect(calls).toEqual(["delete shop member-1", "delete shop member-1"]);
  });
});

describe("how long a write took is measured", () => {
  const phases = async ({ metrics }: LaneParts) =>
    valuesBy(parsePrometheusText((await metrics.scrape()).body), "operator_reconcile_duration_seconds_count", "phase");
  const errors = async ({ metrics }: LaneParts) =>
    valuesBy(
      parsePrometheusText((await metrics.scrape()).body),
      "controller_runtime_reconcile_errors_total",
      "controller",
    );

  test.each<{ name: string; answer: unknown; prepare: (parts: LaneParts) => void; want: object; failed: object }>([
    {
      name: "for an apply and what is seen of it",
      answer: altered(),
      prepare: ({ take }) => take(row()),
      want: { apply: 1, verify: 1 },
      failed: {},
    },
    {
      name: "for an update",
      answer: altered(),
      prepare: ({ objects, take }) => {
        objects.observe(CONFIG_REF, seen({ hash: "old" }));
        take(row());
      },
      want: { apply: 1, verify: 1 },
      failed: {},
    },
    {
      name: "for an apply that is refused",
      answer: new ApiError(422, "Invalid", "no"),
      prepare: ({ take }) => take(row()),
      want: { apply: 1 },
      failed: { worker: 1 },
    },
    {
      name: "not for an apply that did not arrive",
      answer: new TransportError("ConnectionRefused", "no"),
      prepare: ({ take }) => take(row()),
      want: {},
      failed: { worker: 1 },
    },
    {
      name: "not for a removal",
      answer: undefined,
      prepare: ({ objects, take }) => {
        objects.observe(CONFIG_REF, seen());
        take(deleteRow());
      },
      want: {},
      failed: {},
    },
    {
      name: "not for a removal that is refused",
      answer: new ApiError(403, "Forbidden", "no"),
      prepare: ({ objects, take }) => {
        objects.observe(CONFIG_REF, seen());
        take(deleteRow());
      },
      want: {},
      failed: { worker: 1 },
    },
    {
      name: "not for what broke here",
      answer: new Error("a bug"),
      prepare: ({ take }) => take(row()),
      want: {},
      failed: { worker: 1 },
    },
  ])("$name", async ({ answer, prepare, want, failed }) => {
    const parts = laneOn(() => answer);
    prepare(parts);
    await parts.clock.advance(1);
    expect([await phases(parts), await errors(parts)]).toEqual([want, failed]);
  });
});

test("a retry that is asked for is not put off", async () => {
  const { lane, take, find, clock, calls } = laneOn(() => new ApiError(422, "Invalid", "no"));
  take(row());
  await clock.advance(10);
  lane.enqueue(find());
  await clock.advance(10);
  expect(calls).toHaveLength(1);
  lane.retryNow(find());
  await clock.advance(10);
  expect(calls).toHaveLength(2);
});

test("what is right by itself is not tried again", async () => {
  const { objects, take, clock, calls } = laneOn(() => new ApiError(422, "Invalid", "no"));
  take(row());
  await clock.advance(10);
  expect(clock.pending).toBe(1);
  objects.observe(CONFIG_REF, seen());
  await clock.advance(10);
  expect([calls.length, clock.pending]).toEqual([1, 0]);
});

test.each<{ name: string; ref: ObjectRef }>([
  {
    name: "a Namespace of another group is an object as any other",
    ref: { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Namespace" },
  },
])("$name", async ({ ref }) => {
  const { take, clock, calls } = laneOn();
  take(row({ ref }));
  await clock.advance(10);
  expect(calls).toEqual(["create shop"]);
});

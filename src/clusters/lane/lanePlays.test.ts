import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { type DeleteRow, REPLACED, type Row } from "../../desiredstate/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { CONFIG_REF, deleteRow, holdRow, memberObject, releaseRow, row, seen } from "../testing/builders.ts";
import { decide } from "../model/index.ts";
import { applied, laneOn, type LaneParts } from "../testing/laneHarness.ts";

const MINUTE = 60_000;
const NAMES = ["a", "b", "c"];
const refOf = (name: string) => ({ ...CONFIG_REF, name });
const replaced: Partial<DeleteRow> = { why: { reason: REPLACED, message: "replaced" } };

const rows = fc.constantFrom<(name: string) => Row>(
  (name) => row({ ref: refOf(name) }),
  (name) => row({ ref: refOf(name) }),
  (name) => row({ ref: refOf(name), hash: "h2" }),
  (name) => row({ ref: refOf(name), reporting: { withStatus: true } }),
  (name) => deleteRow({ ref: refOf(name) }),
  (name) => deleteRow({ ref: refOf(name), ...replaced }),
  (name) => releaseRow({ ref: refOf(name) }),
  (name) => holdRow({ ref: refOf(name), confirm: true }),
  (name) => holdRow({ ref: refOf(name), wanted: false }),
);
const sights = fc.constantFrom<Parameters<typeof seen>[0] | undefined>(
  {},
  { owns: false },
  { value: "other" },
  { hash: "old" },
  { hash: "h2" },
  { visible: false },
  { visible: false, deleting: true },
  { deleting: true },
  { uid: "member-2" },
  undefined,
);
const answers = fc.constantFrom<unknown>(
  undefined,
  applied(),
  applied("data.key"),
  new ApiError(422, "Invalid", "no"),
  new ApiError(404, "NotFound", "the server could not find the requested resource"),
  new ApiError(429, "TooManyRequests", "later", { retryAfterMs: 2_000 }),
  new TransportError("Timeout", "silence"),
  new TransportError("Timeout", "silence"),
  new TransportError("ConnectionReset", "reset"),
  new TransportError("ConnectionReset", "reset"),
  new NotLeaderError("not held"),
);
const names = fc.constantFrom(...NAMES);
/** More or less of the member is known. The worker enqueues all objects then. */
function learn({ lane, state }: LaneParts, facts: Partial<LaneParts["state"]>): void {
  Object.assign(state, facts);
  lane.enqueueAll();
}

type Step = (parts: LaneParts) => void | Promise<void>;
let resourceVersion = 8;

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(names, rows).map(
      ([name, given]): Step =>
        ({ take }) =>
          take(given(name)),
    ),
  },
  names.map(
    (name): Step =>
      ({ withdraw }) =>
        withdraw(refOf(name)),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(names, sights).map(([name, sight]): Step => ({ objects }) => {
      const more = { ref: refOf(name), resourceVersion: String(resourceVersion++) };
      objects.observe(refOf(name), sight && seen({ ...sight, ...more }));
    }),
  },
  {
    weight: 3,
    arbitrary: answers.map(
      (answer): Step =>
        (parts) =>
          void (replies.get(parts.lane) ?? []).push(answer),
    ),
  },
  fc
    .record({
      synced: fc.boolean(),
      known: fc.boolean(),
      lacks: fc.constantFrom("No", "Perhaps", "Surely"),
      denial: fc.option(fc.constant("not granted"), { nil: undefined }),
    })
    .map(
      (facts): Step =>
        (parts) =>
          learn(parts, facts),
    ),
  fc.boolean().map(
    (waits): Step =>
      (parts) =>
        learn(parts, { mustWait: ({ ref }) => waits && ref.name !== "a" }),
  ),
  fc.boolean().map((ok): Step => ({ lane }) => {
    if (!ok) lost.add(lane);
    lane.setContact(ok);
  }),
  fc.constant<Step>(({ lane }) => {
    lost.add(lane);
    lane.detach();
  }),
  fc.constant<Step>(({ lane, member }) => lane.attach(member)),
  fc.constant<Step>(({ lane }) => lane.kindsChanged()),
  {
    weight: 3,
    arbitrary: fc.constantFrom(1, 60, 120, 600, 1_100, 2_500, 30_000).map(
      (ms): Step =>
        async ({ clock }) =>
          clock.advance(ms),
    ),
  },
);
/** Lanes that have lost contact or a session. */
const lost = new WeakSet<object>();
/** Answers of each lane's writer, the last one for all further requests. */
const replies = new WeakMap<object, unknown[]>();

test.prop([fc.array(steps, { minLength: 1, maxLength: 40 })], { numRuns: 500 })(
  "no object is forgotten, and none is removed that may not be, whatever happens to the member",
  async (play) => {
    const parts = laneOn();
    const { lane, state, objects, member, clock, find } = parts;
    const given: unknown[] = [undefined];
    replies.set(lane, given);
    /** Carries the request out, as a member in good order does. */
    const carryOut = (verb: string, name: string): unknown => {
      const object = find(refOf(name));
      const { row: wanted, observed } = object;
      const version = { ref: refOf(name), resourceVersion: String(resourceVersion++) };
      if (verb === "create" || verb === "update")
        objects.observe(version.ref, seen({ ...version, hash: wanted?.verb === "Apply" ? wanted.hash : undefined }));
      if ((verb === "delete" || verb === "release") && observed?.visible === true)
        objects.observe(version.ref, undefined);
      if (verb !== "read") return undefined;
      const uid = observed?.uid ?? "member-1";
      return seen({ ...version, uid, evidence: { live: undefined, content: row().object } });
    };
    state.answer = (line) => {
      const [verb = "", name = ""] = line.split(" ");
      const { row: wanted, observed } = find(refOf(name));
      if (verb === "delete" || verb === "release")
        expect([state.known, wanted]).toMatchObject([true, { uid: observed?.uid }]);
      const answer = given.length > 1 ? given.shift() : given[0];
      if (answer instanceof Error) return answer;
      const carriedOut = carryOut(verb, name);
      return verb === "create" || verb === "update" ? answer : carriedOut;
    };
    for (const step of play) {
      await step(parts);
      await clock.advance(0);
    }
    given.splice(0, given.length, undefined);
    const isUnknown = !state.synced || !state.known || state.lacks !== "No" || state.denial !== undefined;
    if (isUnknown || state.mustWait(memberObject({ ref: refOf("b") })))
      learn(parts, { synced: true, known: true, lacks: "No", denial: undefined, mustWait: () => false });
    if (lost.has(lane)) {
      lane.attach(member);
      lane.setContact(true);
    }
    await clock.advance(10 * MINUTE);
    const due = [...objects.all()].map((object) => [object.ref.name, decide(object, true).kind]);
    expect(due.filter(([, kind]) => kind !== "Nothing")).toEqual([]);
  },
);

import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { type DeleteRow, REPLACED, type Row } from "../../desiredstate/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { CONFIG_REF, deleteRow, holdRow, releaseRow, row, seen } from "../testing/builders.ts";
import { applied, laneOn, type LaneParts } from "../testing/laneHarness.ts";
import { nextAction } from "./nextAction.ts";

const NAMES = ["a", "b", "c"];
const VERBS: Record<string, string> = {
  ...{ create: "Create", update: "Update", delete: "Delete", release: "Release", find: "Confirm", read: "Read" },
};
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
/** A request that was just begun: its object is in a write, and may be the trial of its kind. */
const inWrite = { stageOf: () => undefined, admits: () => true };
/** The lane regulates its queue after a write has ended. An object that changed during the write goes before that. */
const regulatedLater = { breaker: { state: () => ({ kind: "Closed" }) }, throttledUntil: 0 };
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
        ({ state }) =>
          void Object.assign(state, facts),
    ),
  fc.constant<Step>(({ state }) => void Object.assign(state, { synced: true, known: true, lacks: "No" })),
  fc.boolean().map(
    (waits): Step =>
      ({ state }) =>
        void (state.mustWait = ({ ref }) => waits && ref.name !== "a"),
  ),
  fc.boolean().map(
    (ok): Step =>
      ({ lane }) =>
        lane.setContact(ok),
  ),
  fc.constant<Step>(({ lane }) => lane.detach()),
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
/** Answers of each lane's writer, the last one for all further requests. */
const replies = new WeakMap<object, unknown[]>();

test.prop([fc.array(steps, { minLength: 1, maxLength: 40 })], { numRuns: 1_500 })(
  "the lane sends the requests that nextAction names, and no others",
  async (play) => {
    const parts = laneOn();
    const { lane, state, objects, clock, find } = parts;
    const given: unknown[] = [undefined];
    replies.set(lane, given);
    const nextOf = (object: MemberObject, more = {}) =>
      nextAction(object, { ...lane.memberState, ...more }, clock.monotonic());
    const wrong: unknown[] = [];
    state.answer = (line) => {
      const [verb = "", name = ""] = line.split(" ");
      const next = nextOf(find(refOf(name)), { ...inWrite, ...regulatedLater });
      if (next.kind !== "Act" || next.action.kind !== VERBS[verb]) wrong.push([line, next]);
      const answer = given.length > 1 ? given.shift() : given[0];
      if (verb === "find") return answer instanceof Error ? answer : undefined;
      return verb === "read" && !(answer instanceof Error) ? seen({ ref: refOf(name) }) : answer;
    };
    for (const step of play) {
      await step(parts);
      lane.enqueueAll();
      await clock.advance(0);
      lane.enqueueAll();
      for (const object of objects.all()) {
        const next = nextOf(object);
        if (next.kind === "Act") wrong.push(["not sent", next]);
        else if (next.failure !== undefined) expect(object.failure).toEqual(next.failure);
      }
      await clock.advance(0);
      expect(wrong).toEqual([]);
    }
  },
);

import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { MANAGED_BY_LABEL, POD_SECURITY_ANNOTATION, refKey } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { ApiError, NotLeaderError, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CONFIG_REF, deleteRow, holdRow, releaseRow, row, seen } from "../testing/builders.ts";
import { configMapsAlone, namespaceLane, namespaceRef } from "../testing/namespaceLane.ts";
import { type Call, ScriptedClient } from "../testing/scriptedClient.ts";

const NAMES = ["a", "b", "c", "d", "e", "f"];
const HALF_A_MINUTE = 30_000;
/** Time until the watch brings a write. */
const WATCH_MS = 10;
const inside = (name: string) => ({ ...CONFIG_REF, namespace: name });

/** A member whose namespaces live and die as the play says. Each deletion is checked when it is requested. */
function playing() {
  const clock = new FakeClock();
  const occupied = new Set<string>();
  /** Since when each namespace has been known, with a Delete row for its UID. */
  const dueSince = new Map<string, number>();
  /** Since when each namespace was found empty. */
  const emptySince = new Map<string, number>();
  const play = { trouble: undefined as ((call: Call) => Error | undefined) | undefined, deleted: 0, inspecting: 0 };
  let version = 100;
  /** Broken promises. The lane takes an error of a request for the member's. */
  const broken: unknown[] = [];
  const check = (promise: () => void): void => {
    try {
      promise();
    } catch (error) {
      broken.push(error);
    }
  };
  const answer = async (call: Call): Promise<unknown> => {
    const { verb, name = "", body } = call;
    const object = parts.objects.get(refKey(namespaceRef(name)));
    const { uid = "none", resourceVersion = "0", podSecurity = "{}" } = object?.observed ?? {};
    if (verb === "list") {
      play.inspecting += 1;
      check(() => expect(play.inspecting).toBeLessThanOrEqual(4));
      await clock.nextTurn();
      play.inspecting -= 1;
      const namespace = String(call.options["namespace"]);
      const trouble = play.trouble?.(call);
      if (trouble !== undefined || occupied.size > 0) emptySince.delete(namespace);
      else if (!emptySince.has(namespace)) emptySince.set(namespace, clock.monotonic());
      return trouble ?? { items: Array.from(occupied, (item) => ({ metadata: { name: item } })) };
    }
    if (verb === "get") {
      const annotations = { [POD_SECURITY_ANNOTATION]: podSecurity };
      const metadata = { name, uid, resourceVersion, labels: { [MANAGED_BY_LABEL]: "hub" }, annotations };
      return { apiVersion: "v1", kind: "Namespace", metadata };
    }
    if (verb === "delete") {
      check(() => {
        expect(object?.row).toMatchObject({ verb: "Delete", uid });
        expect(call.options).toMatchObject({ uid, resourceVersion });
        expect([parts.state.known, parts.objects.isUsed(name), object?.writing]).toEqual([true, false, true]);
        const since = Math.max(dueSince.get(name) ?? Number.NaN, emptySince.get(name) ?? Number.NaN);
        expect(clock.monotonic() - since).toBeGreaterThanOrEqual(HALF_A_MINUTE);
      });
    }
    const trouble = play.trouble?.(call);
    if (trouble !== undefined) return trouble;
    if (verb === "delete") play.deleted += 1;
    const { metadata } = body === undefined ? {} : (body as { metadata: { annotations?: Record<string, string> } });
    const written = metadata?.annotations?.[POD_SECURITY_ANNOTATION];
    clock.after(WATCH_MS, () => see(name, typeof written === "string" ? { uid, podSecurity: written } : undefined));
    return {};
  };
  const client = new ScriptedClient(answer);
  const parts = namespaceLane({ client: client.client, discovery: configMapsAlone(), clock });
  const { objects, lane, labels, state } = parts;
  const see = (name: string, more: Partial<ObservedObject> | undefined): void => {
    const ref = namespaceRef(name);
    objects.observe(ref, more && seen({ ref, resourceVersion: String(version++), ...more }));
    note();
  };
  /** Follows from outside since when each namespace may be deleted. */
  const note = (): void => {
    for (const name of NAMES) {
      const { row: asked, observed } = objects.get(refKey(namespaceRef(name))) ?? {};
      const isAsked = asked?.verb === "Delete" && asked.uid === observed?.uid && observed.deleting === false;
      if (!isAsked || !state.known) {
        dueSince.delete(name);
        emptySince.delete(name);
      } else if (!dueSince.has(name)) dueSince.set(name, clock.monotonic());
    }
  };
  const session = { end: parts.connect() };
  const want = (name: string, namespaceLabels: Record<string, string>): void => {
    labels.take({ verb: "Apply", ref: inside(name), namespaceLabels });
    const object = objects.get(refKey(namespaceRef(name)));
    if (object !== undefined) lane.enqueue(object);
  };
  const know = (known: boolean): void => {
    state.known = known;
    lane.enqueueAll();
    note();
  };
  const reconnect = (): void => {
    session.end.abort(new Error("over"));
    dueSince.clear();
    emptySince.clear();
    session.end = parts.connect();
  };
  return { ...parts, ...{ clock, play, occupied, broken, see, note, want, know, reconnect } };
}

type Parts = ReturnType<typeof playing>;
type Step = (parts: Parts) => unknown;
const names = fc.constantFrom(...NAMES);
const rows = fc.constantFrom<(name: string) => Row>(
  (name) => deleteRow({ ref: namespaceRef(name) }),
  (name) => deleteRow({ ref: namespaceRef(name) }),
  (name) => deleteRow({ ref: namespaceRef(name), uid: "member-2" }),
  (name) => releaseRow({ ref: namespaceRef(name) }),
  (name) => holdRow({ ref: namespaceRef(name), confirm: true }),
  (name) => row({ ref: namespaceRef(name) }),
);
const sights = fc.constantFrom<Partial<ObservedObject> | undefined>(
  ...[{}, {}, {}, { uid: "member-2" }, { deleting: true }, { isOurs: false }, { podSecurity: '{"enforce":"x"}' }],
  undefined,
);
const failsOn = (verbs: string[], error: Error) => (call: Call) => (verbs.includes(call.verb) ? error : undefined);
const troubles = fc.constantFrom<Parts["play"]["trouble"]>(
  undefined,
  undefined,
  failsOn(["list"], new ApiError(403, "Forbidden", "no")),
  failsOn(["delete"], new ApiError(409, "Conflict", "changed")),
  failsOn(["delete", "patch"], new ApiError(403, "Forbidden", "no")),
  failsOn(["delete", "patch"], new ApiError(429, "TooManyRequests", "later")),
  failsOn(["delete", "patch"], new NotLeaderError("not held")),
  failsOn(["delete", "patch"], new TransportError("ConnectionReset", "connection reset")),
  failsOn(["delete"], new TransportError("Timeout", "silence")),
);
const wanted = fc.constantFrom({}, { enforce: "x" }, { enforce: "y" });
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const steps: fc.Arbitrary<Step> = fc.oneof(
  weighted(
    5,
    fc.tuple(names, rows).map(
      ([name, of]) =>
        ({ take }) =>
          take(of(name)),
    ),
  ),
  weighted(
    5,
    fc.tuple(names, sights).map(
      ([name, sight]) =>
        ({ see }) =>
          see(name, sight),
    ),
  ),
  weighted(
    3,
    fc.constant(({ see, take }) =>
      NAMES.forEach((name) => {
        see(name, {});
        take(deleteRow({ ref: namespaceRef(name) }));
      }),
    ),
  ),
  weighted(
    1,
    names.map(
      (name) =>
        ({ withdraw }) =>
          withdraw(namespaceRef(name)),
    ),
  ),
  weighted(
    1,
    names.map(
      (name) =>
        ({ take }) =>
          take(row({ ref: inside(name) })),
    ),
  ),
  weighted(
    2,
    names.map(
      (name) =>
        ({ withdraw }) =>
          withdraw(inside(name)),
    ),
  ),
  weighted(
    1,
    fc.boolean().map(
      (known) =>
        ({ know }) =>
          know(known),
    ),
  ),
  weighted(
    1,
    fc.boolean().map(
      (ok) =>
        ({ lane }) =>
          lane.setContact(ok),
    ),
  ),
  weighted(
    1,
    fc.constant(({ reconnect }) => reconnect()),
  ),
  weighted(
    2,
    fc.tuple(names, wanted).map(
      ([name, labels]) =>
        ({ want }) =>
          want(name, labels),
    ),
  ),
  weighted(
    2,
    fc.boolean().map(
      (is) =>
        ({ occupied }) =>
          is ? occupied.add("theirs") : occupied.clear(),
    ),
  ),
  weighted(
    2,
    troubles.map(
      (trouble) =>
        ({ play }) =>
          void (play.trouble = trouble),
    ),
  ),
);
const pauses = fc.constantFrom(0, 1, 100, 2_500, 10_000, 29_990, 30_000, 30_010);

test.prop([fc.array(fc.tuple(steps, pauses), { minLength: 1, maxLength: 30 })], { numRuns: 500 })(
  "a namespace goes only after half a minute empty and to be deleted, and none that should go is forgotten",
  async (steps) => {
    const parts = playing();
    const { clock, play, occupied, broken, note, know, reconnect, objects, withdraw } = parts;
    for (const [act, ms] of steps) {
      act(parts);
      await clock.advance(0);
      note();
      await clock.advance(ms);
    }
    play.trouble = undefined;
    occupied.clear();
    for (const name of NAMES) if (objects.isUsed(name)) withdraw(inside(name));
    reconnect();
    know(true);
    await clock.advance(0);
    note();
    await clock.advance(5 * 60_000);
    expect(broken).toEqual([]);
    const left = [...objects.all()].filter(
      ({ row: asked, observed }) =>
        (asked?.verb === "Delete" || asked?.verb === "Release") && asked.uid === observed?.uid && !observed.deleting,
    );
    expect(left.map(({ key, row: asked }) => [key, asked?.verb])).toEqual([]);
  },
);

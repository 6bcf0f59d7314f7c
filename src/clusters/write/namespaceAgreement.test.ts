import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { MANAGED_BY_LABEL, type ObjectRef, POD_SECURITY_ANNOTATION, refKey } from "../../apis/index.ts";
import type { Row } from "../../desiredstate/index.ts";
import { createMetrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import {
  ApiError,
  CONFIGMAPS,
  type Discovery,
  NAMESPACES,
  NotLeaderError,
  TransportError,
} from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { NamespaceLabels } from "../model/carriedLabels.ts";
import { type MemberObject } from "../model/memberObject.ts";
import { MemberNamespaces } from "../model/namespaces.ts";
import type { ObservedObject } from "../model/observed.ts";
import { NamespaceCleaner } from "../namespaces/namespaceCleaner.ts";
import { NamespaceLabeller } from "../namespaces/namespaceLabels.ts";
import { CLUSTER, CONFIG_REF, deleteRow, holdRow, objectsWithLog, releaseRow, row, seen } from "../testing/builders.ts";
import { type Call, ScriptedClient } from "../testing/scriptedClient.ts";
import type { MemberSession } from "../types.ts";
import { Lane } from "./lane.ts";
import { MemberWriter } from "./memberWriter.ts";
import { NamespaceWriter } from "./namespaceWriter.ts";

const NAMES = ["a", "b"];
const refOf = (name: string): ObjectRef => ({ apiVersion: "v1", kind: "Namespace", name });
const inside = (name: string): ObjectRef => ({ ...CONFIG_REF, namespace: name });

/** Time until the watch brings a write. */
const WATCH_MS = 10;

/** A member in memory; `old`: with the cleaner and the labeller. */
function side(isOld: boolean) {
  const clock = new FakeClock();
  const { logger } = logLines();
  const state = {
    occupied: new Set<string>(),
    known: true,
    trouble: undefined as ((call: Call) => unknown) | undefined,
  };
  const log: string[] = [];
  let version = 100;
  const see = (name: string, more: Partial<ObservedObject> | undefined): void => {
    const ref = refOf(name);
    objects.observe(ref, more && seen({ ref, resourceVersion: String(version++), ...more }));
  };
  const client = new ScriptedClient((call) => {
    const { verb, name = "", body } = call;
    if (verb === "list") {
      log.push(`${clock.monotonic()} list`);
      const trouble = state.trouble?.(call);
      return trouble ?? { items: [...state.occupied].map((item) => ({ metadata: { name: item } })) };
    }
    const { observed } = objects.get(refKey(refOf(name))) ?? {};
    const { uid = "none", resourceVersion = "0" } = observed ?? {};
    if (verb === "get") {
      const annotations = { [POD_SECURITY_ANNOTATION]: "{}" };
      const metadata = { name, uid, resourceVersion, labels: { [MANAGED_BY_LABEL]: "hub" }, annotations };
      return { apiVersion: "v1", kind: "Namespace", metadata };
    }
    const trouble = state.trouble?.(call);
    if (trouble !== undefined) return trouble;
    log.push(`${clock.monotonic()} ${verb} ${name} ${uid} ${JSON.stringify(body)}`);
    const written = (body as { metadata?: { annotations?: Record<string, string> } } | undefined)?.metadata
      ?.annotations;
    const podSecurity = written?.[POD_SECURITY_ANNOTATION];
    clock.after(WATCH_MS, () => see(name, typeof podSecurity === "string" ? { uid, podSecurity } : undefined));
    return {};
  });
  const end = new AbortController();
  const session = {
    cluster: CLUSTER,
    client: client.client,
    discovery: {
      invalidate: () => undefined,
      unavailable: async () => new Set(),
      list: async () => [{ ...CONFIGMAPS, verbs: ["list"] }],
    } as unknown as Discovery,
    signal: end.signal,
  } as unknown as MemberSession;
  const labels = new NamespaceLabels();
  const namespaces = new MemberNamespaces(session, "hub", labels);
  const parts = objectsWithLog((object) => enqueue(object));
  const { objects } = parts;
  const metrics = createMetrics({ processMetrics: false });
  const common = { objects, clock, random: () => 0.5, logger };
  const mayRemove = (): boolean => state.known;
  const cleaner = new NamespaceCleaner({ ...common, session, metrics, namespaces, mayRemove });
  const labeller = new NamespaceLabeller({ ...common, session, labels });
  const lane = new Lane({
    ...{ ...common, cluster: CLUSTER, metrics, tracer: recordSpans().tracer, namespaceLabels: labels },
    ...{ suspect: () => undefined, share: () => 32, working: () => undefined },
    phases: { mustWait: () => false, awaitTurn: () => undefined },
  });
  const access = { client: client.client, signal: end.signal, hubId: "hub", systemNamespace: "meridian", namespaces };
  const writer = new MemberWriter({
    ...access,
    typeOf: () => NAMESPACES,
    serves: () => true,
    vanished: () => undefined,
  });
  const enqueue = (object: MemberObject): void => {
    if (object.ref.kind !== "Namespace") return;
    if (!isOld) return lane.enqueue(object);
    cleaner.enqueue(object);
    labeller.enqueue(object);
  };
  const enqueueName = (name: string): void => {
    const object = objects.get(refKey(refOf(name)));
    if (object !== undefined) enqueue(object);
  };
  if (!isOld) {
    lane.attach({
      ...{ writer, namespaces: new NamespaceWriter(session, namespaces), signal: end.signal, isJoined: false },
      ...{ isSynced: () => true, lacks: () => "No", denial: () => undefined, mayRemove },
      ...{ observe: () => undefined, doubtKind: () => undefined },
    });
    lane.setContact(true);
  }
  let emptied = 0;
  /** Lets the worker's callback for emptied namespaces follow. */
  const settle = async (ms: number): Promise<void> => {
    await clock.advance(0);
    for (; emptied < parts.emptied.length; emptied += 1) enqueueName(parts.emptied[emptied] ?? "");
    await clock.advance(ms);
    await clock.advance(0);
  };
  const want = (name: string, namespaceLabels: Record<string, string>): void => {
    labels.take({ verb: "Apply", ref: inside(name), namespaceLabels });
    enqueueName(name);
  };
  const know = (known: boolean): void => {
    state.known = known;
    for (const name of NAMES) enqueueName(name);
  };
  const failures = () => NAMES.map((name) => objects.get(refKey(refOf(name)))?.failure);
  return { ...parts, clock, state, log, settle, see, want, know, failures };
}

type Side = ReturnType<typeof side>;
type Step = (one: Side) => void;
const names = fc.constantFrom(...NAMES);
const rows = fc.constantFrom<(ref: ObjectRef) => Row>(
  (ref) => deleteRow({ ref }),
  (ref) => deleteRow({ ref }),
  (ref) => deleteRow({ ref }),
  (ref) => deleteRow({ ref, uid: "member-2" }),
  (ref) => releaseRow({ ref }),
  (ref) => holdRow({ ref, confirm: true }),
  (ref) => row({ ref }),
);
const sights = fc.constantFrom<Partial<ObservedObject> | undefined>(
  ...[{}, {}, {}, { uid: "member-2" }, { deleting: true }, { isOurs: false }, { podSecurity: '{"enforce":"x"}' }],
  undefined,
);
const step = <A extends unknown[]>(arbitrary: fc.Arbitrary<A>, of: (...given: A) => Step) =>
  arbitrary.map((given): Step => of(...given));
const calm: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: step(
      fc.tuple(names, rows),
      (name, of) =>
        ({ take }) =>
          take(of(refOf(name))),
    ),
  },
  {
    weight: 5,
    arbitrary: step(
      fc.tuple(names, sights),
      (name, sight) =>
        ({ see }) =>
          see(name, sight),
    ),
  },
  {
    weight: 1,
    arbitrary: step(
      fc.tuple(names),
      (name) =>
        ({ withdraw }) =>
          withdraw(refOf(name)),
    ),
  },
  {
    weight: 1,
    arbitrary: step(
      fc.tuple(names),
      (name) =>
        ({ take }) =>
          take(row({ ref: inside(name) })),
    ),
  },
  {
    weight: 2,
    arbitrary: step(
      fc.tuple(names),
      (name) =>
        ({ withdraw }) =>
          withdraw(inside(name)),
    ),
  },
  {
    weight: 1,
    arbitrary: step(
      fc.tuple(fc.boolean()),
      (known) =>
        ({ know }) =>
          know(known),
    ),
  },
  {
    weight: 2,
    arbitrary: step(
      fc.tuple(names, fc.constantFrom({}, { enforce: "x" }, { enforce: "y" })),
      (name, labels) =>
        ({ want }) =>
          want(name, labels),
    ),
  },
);
const pauses = fc.constantFrom(0, 50, 1_000, 10_000, 29_950, 30_000, 30_050);
const failsOn = (verbs: string[], error: Error) => (call: Call) => (verbs.includes(call.verb) ? error : undefined);
const troubles = fc.constantFrom<Side["state"]["trouble"]>(
  undefined,
  failsOn(["list"], new ApiError(403, "Forbidden", "no")),
  failsOn(["delete"], new ApiError(409, "Conflict", "changed")),
  failsOn(["delete", "patch"], new ApiError(403, "Forbidden", "no")),
  failsOn(["delete", "patch"], new ApiError(429, "TooManyRequests", "later")),
  failsOn(["delete", "patch"], new NotLeaderError("not held")),
  failsOn(["delete", "patch"], new TransportError("ConnectionReset", "connection reset")),
);
const rough: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: calm },
  {
    weight: 1,
    arbitrary: fc.boolean().map((isOccupied): Step => ({ state }) => {
      state.occupied = new Set(isOccupied ? ["theirs"] : []);
    }),
  },
  {
    weight: 1,
    arbitrary: troubles.map(
      (trouble): Step =>
        ({ state }) =>
          void (state.trouble = trouble),
    ),
  },
);

test.prop([fc.array(fc.tuple(calm, pauses), { minLength: 1, maxLength: 20 })], { numRuns: 400 })(
  "the lane sends the same requests at the same time as the cleaner and the labeller, while none fails",
  async (play) => {
    const sides = [side(true), side(false)];
    for (const one of sides) {
      for (const [act, ms] of play) {
        act(one);
        await one.settle(ms);
      }
      await one.settle(120_000);
    }
    expect(sides[1]?.log).toEqual(sides[0]?.log);
    expect(sides[1]?.failures()).toEqual(sides[0]?.failures());
  },
);

test.prop([fc.array(rough, { minLength: 1, maxLength: 8 })], { numRuns: 150 })(
  "the lane comes to the same ends as the cleaner and the labeller, whatever fails",
  async (play) => {
    const sides = [side(true), side(false)];
    const ends = await Promise.all(
      sides.map(async (one) => {
        const seen: unknown[] = [];
        for (const act of play) {
          act(one);
          await one.settle(200_000);
          seen.push(one.failures());
        }
        const writes = one.log.filter((line) => !line.endsWith("list")).map((line) => line.slice(line.indexOf(" ")));
        return { seen, writes };
      }),
    );
    expect(ends[1]).toEqual(ends[0]);
  },
);

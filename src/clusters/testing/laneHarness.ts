import { beforeEach } from "vitest";
import type { KubeObject, ObjectRef } from "../../apis/index.ts";
import { createLogger, createMetrics, createTracing, type Tracer } from "../../observability/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Lane } from "../lane.ts";
import type { MemberObject } from "../memberObject.ts";
import type { MemberObjects } from "../memberObjects.ts";
import type { MemberWriter } from "../memberWriter.ts";
import { CLUSTER, CONFIG_REF, objectsWithLog, row } from "./builders.ts";

/** A lane whose member answers as the test says; every call is kept as a line. */
function laneOn(tracer: Tracer, answer: (call: string) => unknown) {
  const clock = new FakeClock();
  const calls: string[] = [];
  const working: boolean[] = [];
  const observe = (_object: KubeObject): void => undefined;
  const state = { answer, observe, isOver: false, synced: true, known: true, share: 32, suspicions: 0 };
  const call = async (verb: string, name: string): Promise<unknown> => {
    const line = `${verb} ${name}`;
    calls.push(line);
    const result = await state.answer(line);
    if (result instanceof Error) throw result;
    return result;
  };
  const writer = {
    isSynced: () => state.synced,
    lacks: () => "No",
    mayRemove: () => state.known,
    get isOver() {
      return state.isOver;
    },
    invalidateDiscovery: () => undefined,
    create: ({ ref }: { ref: ObjectRef }) => call("create", ref.name),
    update: ({ ref }: { ref: ObjectRef }) => call("update", ref.name),
    observe: ({ object }: { object: KubeObject }) => state.observe(object),
    delete: (ref: ObjectRef, uid: string) => call("delete", `${ref.name} ${uid}`),
    release: (ref: ObjectRef, uid: string) => call("release", `${ref.name} ${uid}`),
    read: (ref: ObjectRef) => call("read", ref.name),
  } as unknown as MemberWriter;
  const parts = objectsWithLog((object: MemberObject) => lane.enqueue(object));
  const { objects } = parts;
  const lane: Lane = new Lane({
    cluster: CLUSTER,
    objects,
    clock,
    random: () => 0.5,
    logger: createLogger({ level: "silent" }),
    metrics: createMetrics({ processMetrics: false }),
    tracer,
    suspect: () => void (state.suspicions += 1),
    share: () => state.share,
    working: (isWorking) => void working.push(isWorking),
  });
  lane.attach(writer);
  lane.setContact(true);
  return { ...parts, lane, clock, calls, state, writer, working };
}

export type LaneParts = ReturnType<typeof laneOn>;

/** Gives lanes that trace what they do. */
export function laneHarness(): (answer?: (call: string) => unknown) => LaneParts {
  let tracer: Tracer;
  beforeEach(async () => {
    ({ tracer } = await createTracing({ serviceVersion: "test", identity: "test", env: {} }));
  });
  return (answer = () => undefined) => laneOn(tracer, answer);
}

export const named = (name: string) => row({ ref: { ...CONFIG_REF, name } });
export const failureOf = (objects: MemberObjects) => [...objects.all()][0]?.failure?.reason;

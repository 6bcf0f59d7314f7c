import type { KubeObject, ObjectRef, OwnerRef } from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { createMetrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { Lane } from "../write/lane.ts";
import type { MemberObject } from "../model/memberObject.ts";
import type { MemberObjects } from "../model/memberObjects.ts";
import type { ObservedObject } from "../model/observed.ts";
import type { MemberWriter } from "../write/memberWriter.ts";
import { CLUSTER, CONFIG_REF, objectsWithLog, row } from "./builders.ts";

/** A lane whose member answers as the test says; every call is kept as a line, and so is what is logged and traced. */
export function laneOn(answer: (call: string) => unknown = () => undefined) {
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const { tracer, spans } = recordSpans();
  const calls: string[] = [];
  const working: boolean[] = [];
  const observe = (_object: KubeObject): void => undefined;
  const state = {
    answer,
    observe,
    isOver: false,
    isJoined: false,
    synced: true,
    known: true,
    lacks: "No" as "No" | "Perhaps" | "Surely",
    denial: undefined as string | undefined,
    share: 32,
    suspicions: 0,
    invalidations: 0,
    mustWait: (_object: MemberObject): boolean => false,
  };
  /** What came with each call. */
  const sent: unknown[][] = [];
  const metrics = createMetrics({ processMetrics: false });
  const call = async (verb: string, name: string, ...given: unknown[]): Promise<unknown> => {
    const line = `${verb} ${name}`;
    calls.push(line);
    sent.push(given);
    const result = await state.answer(line);
    if (result instanceof Error) throw result;
    return result;
  };
  const writer = {
    isSynced: () => state.synced,
    lacks: () => state.lacks,
    denial: () => state.denial,
    mayRemove: () => state.known,
    get isOver() {
      return state.isOver;
    },
    get isJoined() {
      return state.isJoined;
    },
    doubtKind: () => void (state.invalidations += 1),
    create: (row: ApplyRow) => call("create", row.ref.name, row),
    update: (row: ApplyRow, ...more: unknown[]) => call("update", row.ref.name, row, ...more),
    observe: ({ object }: { object: KubeObject }) => state.observe(object),
    delete: (ref: ObjectRef, { uid }: ObservedObject, agreed: boolean) => call("delete", `${ref.name} ${uid}`, agreed),
    release: (ref: ObjectRef, { uid }: ObservedObject) => call("release", `${ref.name} ${uid}`),
    read: (ref: ObjectRef) => call("read", ref.name),
    find: (ref: ObjectRef, owner: OwnerRef) => call("find", ref.name, owner),
  } as unknown as MemberWriter;
  const parts = objectsWithLog((object: MemberObject) => lane.enqueue(object));
  const { objects } = parts;
  const lane: Lane = new Lane({
    cluster: CLUSTER,
    objects,
    clock,
    random: () => 0.5,
    logger,
    metrics,
    tracer,
    suspect: () => void (state.suspicions += 1),
    share: () => state.share,
    working: (isWorking) => void working.push(isWorking),
    mustWait: (object) => state.mustWait(object),
  });
  lane.attach(writer);
  lane.setContact(true);
  return { ...parts, lane, clock, calls, sent, state, writer, working, metrics, lines, spans };
}

export type LaneParts = ReturnType<typeof laneOn>;

export const named = (name: string) => row({ ref: { ...CONFIG_REF, name } });
export const failureOf = (objects: MemberObjects) => [...objects.all()][0]?.failure?.reason;

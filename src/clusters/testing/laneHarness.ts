import type { KubeObject, ObjectRef, OwnerRef } from "../../apis/index.ts";
import type { ApplyRow, DeleteRow } from "../../desiredstate/index.ts";
import { createMetrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { parsePrometheusText, valuesBy } from "../../observability/testing/prometheusText.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { CONFIGMAPS } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { MemberObject } from "../model/memberObject.ts";
import type { RecordNamespace } from "../model/namespaces.ts";
import type { ObservedObject } from "../model/observed.ts";
import { Lane } from "../lane/lane.ts";
import type { LaneMember } from "../lane/laneMember.ts";
import type { MemberWriter, Written } from "../write/memberWriter.ts";
import type { WriteAudit } from "../write/writeAudit.ts";
import type { NamespaceWriter } from "../write/namespaceWriter.ts";
import { CLUSTER, CONFIG_REF, objectsWithLog, row } from "./builders.ts";

/** UID of the member's kube-system namespace. */
export const CLUSTER_UID = "9d8a7f0e-0000-4000-8000-000000000001";

/** Answer to a call such as `create shop`; an Error is thrown. `given`: arguments of the writer's method. */
type Answer = (call: string, ...given: never[]) => unknown;

/** A lane whose writer answers as the test says. Calls, log lines and spans are kept. */
export function laneOn(answer: Answer = () => undefined, audit?: Pick<WriteAudit, "begin">) {
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const { tracer, spans } = recordSpans();
  const metrics = createMetrics({ processMetrics: false });
  const calls: string[] = [];
  const sent: unknown[][] = [];
  const working: boolean[] = [];
  const state = {
    answer,
    observe: (_object: KubeObject): void => undefined,
    end: new AbortController(),
    isJoined: false,
    synced: true,
    known: true,
    lacks: "No" as "No" | "Perhaps" | "Surely",
    denial: undefined as string | undefined,
    share: 32,
    suspicions: 0,
    doubts: 0,
    mustWait: (_object: MemberObject): boolean => false,
  };
  const call = async (line: string, ...given: unknown[]): Promise<unknown> => {
    calls.push(line);
    sent.push(given);
    const result = await state.answer(line, ...(given as never[]));
    if (result instanceof Error) throw result;
    return result;
  };
  const member: LaneMember = {
    clusterUid: CLUSTER_UID,
    writer: {
      create: async (row: ApplyRow, record: RecordNamespace) =>
        (await call(`create ${row.ref.name}`, row, record)) ?? applied(),
      update: async (row: ApplyRow, ...more: unknown[]) =>
        (await call(`update ${row.ref.name}`, row, ...more)) ?? applied(),
      delete: (ref: ObjectRef, { uid }: ObservedObject, given: DeleteRow) => call(`delete ${ref.name} ${uid}`, given),
      release: (ref: ObjectRef, { uid }: ObservedObject) => call(`release ${ref.name} ${uid}`),
      read: (ref: ObjectRef) => call(`read ${ref.name}`),
      find: (ref: ObjectRef, owner: OwnerRef) => call(`find ${ref.name}`, owner),
    } as unknown as MemberWriter,
    namespaces: {
      inspect: async (name: string) => (await call(`inspect ${name}`)) ?? { kind: "Empty" },
      delete: async (name: string, { uid }: ObservedObject) => (await call(`delete ${name} ${uid}`)) ?? true,
      label: (name: string) => call(`label ${name}`),
    } as unknown as NamespaceWriter,
    get signal() {
      return state.end.signal;
    },
    get isJoined() {
      return state.isJoined;
    },
    isSynced: () => state.synced,
    lacks: () => state.lacks,
    denial: () => state.denial,
    mayRemove: () => state.known,
    observe: ({ object }: Written) => state.observe(object),
    doubtKind: () => void (state.doubts += 1),
  };
  const parts = objectsWithLog((object: MemberObject) => lane.enqueue(object));
  const lane: Lane = new Lane({
    cluster: CLUSTER,
    objects: parts.objects,
    clock,
    random: () => 0.5,
    logger: logger.child({ cluster: CLUSTER }),
    metrics,
    tracer,
    audit,
    suspect: () => void (state.suspicions += 1),
    share: () => state.share,
    working: (isWorking) => void working.push(isWorking),
    phases: { mustWait: (object) => state.mustWait(object), awaitTurn: () => undefined },
    namespaceLabels: { of: () => undefined },
  });
  lane.attach(member);
  lane.setContact(true);
  const measured = async (family: string, label: string) =>
    valuesBy(parsePrometheusText((await metrics.scrape()).body), family, label);
  return {
    ...{ ...parts, lane, clock, calls, sent, state, member, working, lines, spans },
    phases: (what: "count" | "sum" = "count") => measured(`operator_reconcile_duration_seconds_${what}`, "phase"),
    trips: async () => (await measured("federation_member_breaker_trips_total", "cluster"))[CLUSTER],
    errors: async () => (await measured("controller_runtime_reconcile_errors_total", "controller"))["worker"],
  };
}

export type LaneParts = ReturnType<typeof laneOn>;

/** Answer that never comes. */
export const hang = (): Promise<void> => new Promise(() => undefined);
export const named = (name: string) => row({ ref: { ...CONFIG_REF, name } });
/** Answer to an apply; `altered`: fields that the member changed. */
export const applied = (...altered: string[]): Written => ({ type: CONFIGMAPS, object: row().object, altered });

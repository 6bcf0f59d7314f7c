import { onTestFinished } from "vitest";
import {
  HASH_ANNOTATION,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  type ObjectRef,
  OWNER_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import { Metrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { CONFIGMAPS, Discovery, NAMESPACES, type ResourceType } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { Liveness, WorkDelta } from "../../ports/index.ts";
import { Worker } from "../worker.ts";
import { AppliedMember } from "./appliedMember.ts";
import { CLUSTER, CONFIG_REF, OWNER, row } from "./builders.ts";
import { FakeHubSide } from "./fakePorts.ts";

export const OK = { ok: true, lastContact: 5 };
export const KINDS = [CONFIGMAPS, NAMESPACES];

/** Row with the marks that the planner adds. */
export function marked(ref: ObjectRef = CONFIG_REF, value = "value"): ApplyRow {
  const hash = `hash of ${value}`;
  const annotations = {
    [OWNER_ANNOTATION]: JSON.stringify(OWNER),
    [OBJECT_ANNOTATION]: refKey(ref),
    [HASH_ANNOTATION]: hash,
  };
  const { name, namespace = "default" } = ref;
  const metadata = { name, namespace, labels: { [MANAGED_BY_LABEL]: "hub" }, annotations };
  return row({ ref, hash, object: { apiVersion: "v1", kind: "ConfigMap", metadata, data: { key: value } } });
}

interface Given {
  /** False: no delta was sent, and no session has begun. Default: a synced worker. */
  begin?: boolean;
  local?: boolean;
  /** Default: the hub side is in this process. */
  liveness?: Liveness;
}

/** A worker for one member in memory; the hub side is the test. */
export async function working({ begin = true, local = false, liveness }: Given = {}) {
  const clock = new FakeClock();
  const hub = new FakeHubSide();
  const member = new AppliedMember();
  const { logger, lines } = logLines();
  const state = { suspicions: 0, end: new AbortController() };
  const settle = (ms?: number): Promise<void> => clock.settle(ms);
  const worker = new Worker({
    cluster: CLUSTER,
    identity: "this worker",
    source: hub,
    sink: hub,
    liveness,
    hubId: "hub",
    systemNamespace: "meridian-system",
    clock,
    random: () => 0.5,
    logger,
    metrics: new Metrics({ processMetrics: false }),
    tracer: recordSpans().tracer,
    share: () => 32,
    working: () => undefined,
  });
  onTestFinished(async () => {
    endSession();
    await worker.end();
  });
  const startSession = (namespaces?: string[]): void => {
    state.end = new AbortController();
    worker.startSession({
      cluster: CLUSTER,
      client: member,
      discovery: new Discovery(member, clock),
      clusterUid: "uid",
      local,
      namespaces,
      signal: state.end.signal,
      suspect: () => void (state.suspicions += 1),
    });
  };
  const endSession = (end = state.end): void => end.abort(new Error("over"));
  const send = (...deltas: WorkDelta[]): void => hub.send(CLUSTER, ...deltas);
  const sendKinds = (...kinds: ResourceType[]): void => send({ kind: "Kinds", kinds });
  /** Sends these kinds and begins a session in contact. */
  const connect = async (...kinds: ResourceType[]): Promise<void> => {
    send({ kind: "Expected", owners: [] });
    sendKinds(...kinds);
    startSession();
    worker.setContact(OK);
    await settle();
  };
  worker.start();
  await settle();
  if (begin) {
    send({ kind: "Rows", rows: [] });
    await connect(...KINDS);
  }
  const contact = () => hub.lastContact(CLUSTER);
  const contacts = () => hub.contacts.get(CLUSTER) ?? [];
  const configs = (): string[] => member.server.list(CONFIGMAPS).map(({ metadata }) => metadata.name);
  const data = () => member.server.get(CONFIGMAPS, "default", "shop")["data"];
  const observation = (ref = CONFIG_REF) => hub.observation(CLUSTER, ref);
  return {
    ...{ worker, hub, member, clock, settle, lines, state, startSession, endSession, send, sendKinds, connect },
    ...{ contact, contacts, configs, data, observation },
  };
}

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
import { CONFIGMAPS, Discovery, NAMESPACES } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import type { MemberSession } from "../types.ts";
import { Worker } from "../worker.ts";
import { AppliedMember } from "./appliedMember.ts";
import { CLUSTER, CONFIG_REF, OWNER, row } from "./builders.ts";
import { FakeHubSide } from "./fakePorts.ts";

export const OK = { ok: true, lastContact: 5 };
export const KINDS = [CONFIGMAPS, NAMESPACES];

/** A row with the marks that the hub side puts there. */
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

/** A worker for one member in memory; the hub side is the test. */
export async function working({
  begin = true,
  local = false,
  namespaces,
}: { begin?: boolean; local?: boolean; namespaces?: string[] } = {}) {
  const clock = new FakeClock();
  const hub = new FakeHubSide();
  const member = new AppliedMember();
  const { logger, lines } = logLines();
  const state = { suspicions: 0 };
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 5; turn += 1) await clock.advance(0);
  };
  const worker = new Worker({
    cluster: CLUSTER,
    source: hub,
    sink: hub,
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
    end.abort(new Error("the test is over"));
    await worker.end();
  });
  let end = new AbortController();
  const startSession = (bounds = namespaces): MemberSession => {
    end = new AbortController();
    const session = {
      cluster: CLUSTER,
      client: member,
      discovery: new Discovery(member, clock),
      clusterUid: "uid",
      local,
      namespaces: bounds,
      signal: end.signal,
      suspect: () => void (state.suspicions += 1),
    };
    worker.startSession(session);
    return session;
  };
  /** Of the last session, unless another one is meant. */
  const endSession = (meant = end): void => meant.abort(new Error("over"));
  const latestEnd = (): AbortController => end;
  worker.start();
  await settle();
  if (begin) {
    hub.send(CLUSTER, { kind: "Expected", owners: [] }, { kind: "Kinds", kinds: KINDS }, { kind: "Rows", rows: [] });
    startSession();
    worker.setContact(OK);
    await settle();
  }
  const contact = () => hub.lastContact(CLUSTER);
  const configs = (): string[] => member.server.list(CONFIGMAPS).map(({ metadata }) => metadata.name);
  const seenThere = (ref = CONFIG_REF) => hub.observation(CLUSTER, ref);
  return {
    worker,
    hub,
    member,
    clock,
    settle,
    lines,
    state,
    startSession,
    endSession,
    latestEnd,
    contact,
    configs,
    seenThere,
  };
}

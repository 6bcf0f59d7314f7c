import { type ObjectRef, refKey } from "../../apis/index.ts";
import { createMetrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { recordSpans } from "../../observability/testing/spanRecorder.ts";
import { type Client, type Clock, CONFIGMAPS, type Discovery, NAMESPACES } from "../../runtime/index.ts";
import { NamespaceLabels } from "../model/carriedLabels.ts";
import type { MemberObject } from "../model/memberObject.ts";
import { MemberNamespaces } from "../model/namespaces.ts";
import { Lane } from "../lane/lane.ts";
import type { LaneMember } from "../lane/laneMember.ts";
import { MemberWriter } from "../write/memberWriter.ts";
import { NamespaceWriter } from "../write/namespaceWriter.ts";
import { CLUSTER, objectsWithLog } from "./builders.ts";

export const namespaceRef = (name: string): ObjectRef => ({ apiVersion: "v1", kind: "Namespace", name });
export const TEAM = namespaceRef("team");

/** Discovery of a member whose namespaces hold ConfigMaps alone. */
export function configMapsAlone(): Discovery {
  return {
    invalidate: () => undefined,
    unavailable: async () => new Set(),
    list: async () => [{ ...CONFIGMAPS, verbs: ["list"] }],
  } as unknown as Discovery;
}

/** A lane that carries out the rows of namespaces, and only these, through the real writers. */
export function namespaceLane({ client, discovery, clock }: { client: Client; discovery: Discovery; clock: Clock }) {
  const { logger, lines } = logLines();
  const metrics = createMetrics({ processMetrics: false });
  const labels = new NamespaceLabels();
  const state = { known: true };
  const enqueue = (object: MemberObject | undefined): void => {
    if (object?.ref.kind === "Namespace") lane.enqueue(object);
  };
  const parts = objectsWithLog(enqueue, (name) => enqueue(objects.get(refKey(namespaceRef(name)))));
  const { objects } = parts;
  const lane: Lane = new Lane({
    ...{ cluster: CLUSTER, objects, clock, random: () => 0.5, logger: logger.child({ cluster: CLUSTER }), metrics },
    ...{ tracer: recordSpans().tracer, suspect: () => undefined, share: () => 32, working: () => undefined },
    phases: { mustWait: () => false, awaitTurn: () => undefined },
    namespaceLabels: labels,
  });
  /** Begins a session. The result ends it. */
  const connect = (): AbortController => {
    const end = new AbortController();
    const { signal } = end;
    const namespaces = new MemberNamespaces({ cluster: CLUSTER, client }, "hub", labels);
    const member: LaneMember = {
      writer: new MemberWriter({
        ...{ client, signal, hubId: "hub", systemNamespace: "meridian-system", namespaces },
        ...{ typeOf: () => NAMESPACES, serves: () => true, vanished: () => undefined },
      }),
      namespaces: new NamespaceWriter({ client, discovery, signal }, namespaces),
      ...{ clusterUid: "uid", signal, isJoined: false, observe: () => undefined, doubtKind: () => undefined },
      ...{ isSynced: () => true, lacks: () => "No", denial: () => undefined, mayRemove: () => state.known },
    };
    signal.addEventListener("abort", () => lane.detach(), { once: true });
    lane.attach(member);
    lane.setContact(true);
    return end;
  };
  return { ...parts, lane, labels, lines, metrics, state, connect };
}

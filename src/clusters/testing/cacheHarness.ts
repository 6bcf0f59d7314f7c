import {
  FEDERATION_GROUP,
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  type ObjectRef,
  refKey,
} from "../../apis/index.ts";
import type { Metrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import { ApiError, type Discovery, type ListOptions, type ResourceType, TransportError } from "../../runtime/index.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { NamespaceLabels } from "../model/carriedLabels.ts";
import { sessionMember } from "../sessionMember.ts";
import { ClusterCache } from "../watch/clusterCache.ts";
import type { MemberSession } from "../types.ts";
import { AppliedMember } from "./appliedMember.ts";
import { CLUSTER, CONFIG_REF, objectsWithLog } from "./builders.ts";

/** A custom kind. */
export const DATABASES: ResourceType = {
  group: "example.com",
  version: "v1",
  kind: "Database",
  plural: "databases",
  namespaced: true,
};
export const DATABASE_KIND = { group: "example.com", kind: "Database" };
export const DATABASE_REF: ObjectRef = { ...CONFIG_REF, apiVersion: "example.com/v1", kind: "Database" };
export const SECRET_REF: ObjectRef = { ...CONFIG_REF, kind: "Secret" };
export const NAMESPACE_REF: ObjectRef = { apiVersion: "v1", kind: "Namespace", name: "default" };

export const FORBIDDEN = new ApiError(403, "Forbidden", "no right");
export const GONE = new ApiError(404, "NotFound", "gone");
export const RESET = new TransportError("ConnectionReset", "reset");

/** Live object of ours. */
export function made(ref: ObjectRef, more: Partial<KubeObject> = {}): KubeObject {
  const { apiVersion, kind, namespace, name } = ref;
  const annotations = { [OBJECT_ANNOTATION]: refKey(ref), [`${FEDERATION_GROUP}/created-for`]: name };
  const metadata = { name, labels: { [MANAGED_BY_LABEL]: "hub" }, annotations };
  return { apiVersion, kind, metadata: namespace === undefined ? metadata : { ...metadata, namespace }, ...more };
}

export const numbered = (ref: ObjectRef, count: number): ObjectRef[] =>
  Array.from({ length: count }, (_, index) => ({ ...ref, name: `${ref.name}-${index}` }));

/** Caches of sessions with a member in memory. */
export function caching() {
  const clock = new FakeClock();
  const member = new AppliedMember();
  const { logger, lines } = logLines();
  /** Member objects that were observed (`+`) and disappeared (`-`). */
  const changes: string[] = [];
  const parts = objectsWithLog(({ ref, observed }) => {
    changes.push(`${observed === undefined ? "-" : "+"} ${ref.kind} ${ref.name}`);
  });
  const calls: string[] = [];
  const held: boolean[] = [];
  const namespaceLabels = new NamespaceLabels();
  const state = { expected: [] as readonly string[] | undefined, suspicions: 0 };
  const discovery = {
    served: [] as ResourceType[],
    asked: 0,
    invalidated: 0,
    fails: false,
    answers: Promise.resolve(),
  };
  /**
   * Delays and errors of requests. The key is the plural, with or without verb or version, or plural and namespace:
   * `configmaps`, `list configmaps`, `configmaps.v1`, `configmaps in shop`.
   */
  const waits = new Map<string, Promise<void>>();
  const failures = new Map<string, Error>();
  member.gate = async ({ verb, type, phase, options }) => {
    if (phase === "after") return;
    const plural = type?.plural ?? "";
    const { namespace } = options as ListOptions;
    const names = [plural, `${verb} ${plural}`, `${plural}.${type?.version}`, `${plural} in ${namespace}`];
    for (const name of names) await waits.get(name);
    for (const name of names) {
      const failure = failures.get(name);
      if (failure !== undefined) throw failure;
    }
  };
  /** Delays the requests until the result is called. */
  const delay = (name: string): (() => void) => {
    const answered = Promise.withResolvers<void>();
    waits.set(name, answered.promise);
    return () => {
      waits.delete(name);
      answered.resolve();
    };
  };
  const settle = (ms?: number): Promise<void> => clock.settle(ms);

  const begin = ({ namespaces, local = false }: { namespaces?: readonly string[]; local?: boolean } = {}) => {
    const end = new AbortController();
    const session: MemberSession = {
      cluster: CLUSTER,
      client: member,
      discovery: {
        invalidate: () => void (discovery.invalidated += 1),
        list: async () => {
          discovery.asked += 1;
          await discovery.answers;
          if (discovery.fails) throw new Error("no answer");
          return discovery.served;
        },
        unavailable: async () => new Set(),
      } as unknown as Discovery,
      clusterUid: "uid",
      local,
      namespaces,
      signal: end.signal,
      suspect: () => void (state.suspicions += 1),
    };
    const setDeletionsHeld = (_cluster: string, isHeld: boolean): void => void held.push(isHeld);
    const cache = new ClusterCache({
      session,
      objects: parts.objects,
      hubId: "hub",
      clock,
      random: () => 0,
      logger,
      metrics: { setDeletionsHeld } as unknown as Metrics,
      expected: () => state.expected,
      kindsChanged: () => undefined,
      knowsMore: () => void calls.push("knows more"),
      readabilityChanged: () => void calls.push("readability changed"),
    });
    const watch = (...kinds: ResourceType[]): void => cache.setKinds(kinds, []);
    const names = { hubId: "hub", systemNamespace: "meridian-system" };
    const lane = sessionMember({ session, cache, objects: parts.objects, namespaceLabels, ...names });
    return { cache, lane, watch, end: () => end.abort(new Error("the session is over")) };
  };

  /** Watches that the member serves now. */
  const watched = (): string[] =>
    Array.from(member.server.watchers, ({ type: { plural, version }, options: { namespace } }) =>
      namespace === undefined ? `${plural}.${version}` : `${plural}.${version} in ${namespace}`,
    ).toSorted();
  /** Removes all objects of the kind while the watches are broken, so that the next list lacks them. */
  const vanish = (type: ResourceType): void => {
    member.server.dropWatches();
    for (const { metadata } of member.server.list(type)) member.server.delete(type, metadata.namespace, metadata.name);
  };
  const create = (type: ResourceType, ...refs: ObjectRef[]): void => {
    for (const ref of refs) member.server.create(type, made(ref));
  };
  /** Callbacks since the previous call. */
  const called = (): string[] => calls.splice(0);
  const isSeen = (ref: ObjectRef = CONFIG_REF): boolean => parts.objects.get(refKey(ref))?.observed !== undefined;
  return {
    ...{ ...parts, clock, member, lines, changes, held, namespaceLabels, state, discovery, failures },
    ...{ delay, settle, begin, watched, vanish, create, called, isSeen },
  };
}

/** How far the absence of objects can be trusted. */
export function trustOf({ isFullySynced, isPartlySynced }: ClusterCache): "all" | "in part" | "nothing" {
  if (isFullySynced && !isPartlySynced) throw new Error("synced, but not even partly synced");
  return isFullySynced ? "all" : isPartlySynced ? "in part" : "nothing";
}

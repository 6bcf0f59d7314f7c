import {
  type KubeObject,
  MANAGED_BY_LABEL,
  OBJECT_ANNOTATION,
  type ObjectMeta,
  OWNER_ANNOTATION,
  refKey,
} from "../../apis/index.ts";
import type { ApplyRow } from "../../desiredstate/index.ts";
import type { LostField } from "../../interpreter/index.ts";
import { ApiError, CONFIGMAPS } from "../../runtime/index.ts";
import { MemberWriter, type Written } from "../write/memberWriter.ts";
import type { MemberNamespaces } from "../model/namespaces.ts";
import type { ObservedObject } from "../model/observed.ts";
import { CONFIG_REF, OWNER, seen } from "./builders.ts";
import { type Answer, type Call, ScriptedClient } from "./scriptedClient.ts";

export const TAKEN = new ApiError(409, "Conflict", "the object has been modified");
export const GONE = new ApiError(404, "NotFound", 'configmaps "shop" not found');
export const INVALID = new ApiError(422, "Invalid", "spec.ports: Duplicate value");
export const FORBIDDEN = new ApiError(403, "Forbidden", "no");

export const marks = {
  labels: { [MANAGED_BY_LABEL]: "hub" },
  annotations: { [OBJECT_ANNOTATION]: refKey(CONFIG_REF), [OWNER_ANNOTATION]: JSON.stringify(OWNER) },
};

/** Live object named {@link CONFIG_REF}. */
export function live(metadata: Partial<ObjectMeta> = {}): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "shop", namespace: "default", uid: "there", resourceVersion: "5", ...metadata },
    data: { key: "value" },
  };
}

export const ours = live(marks);
/** `managedFields` in which Meridian owns these fields of `data`. */
export const fieldsOf = (...names: string[]) => [
  {
    manager: "meridian",
    operation: "Apply" as const,
    apiVersion: "v1",
    fieldsV1: { "f:data": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
  },
];

/** A writer whose member answers as the test says. `order`: requests and namespace calls, in order. */
export function writing(answer: Answer = () => live()) {
  const order: string[] = [];
  const client = new ScriptedClient((call) => {
    order.push(`${call.verb} ${call.what}`);
    return answer(call);
  });
  const vanished: string[] = [];
  const state = { served: true, unserved: [] as string[] };
  const end = new AbortController();
  const writer = new MemberWriter({
    client: client.client,
    signal: end.signal,
    hubId: "hub",
    systemNamespace: "meridian-of-mine",
    namespaces: {
      removed: async (name: string) => void order.push(`await the removal of ${name}`),
      ensure: async (name: string) => void order.push(`ensure ${name}`),
    } as unknown as MemberNamespaces,
    typeOf: () => (state.served ? CONFIGMAPS : undefined),
    vanished: (ref, uid) => void vanished.push(`${refKey(ref)} ${uid}`),
    serves: ({ apiVersion }) => !state.unserved.includes(apiVersion),
  });
  const update = (row: ApplyRow, drift: LostField[] = [], observed: ObservedObject = seen()): Promise<Written> =>
    writer.update(row, observed, drift, { yielded: [], kept: [] });
  const verbs = (): string[] => client.calls.map(({ verb }) => verb);
  return { writer, update, client, calls: client.calls, verbs, order, vanished, state, end };
}

/** Answers by verb; the last answer repeats. */
export function answering(answers: Partial<Record<Call["verb"], unknown[]>>): Answer {
  const left = new Map(Object.entries(answers).map(([verb, given]) => [verb, [...given]]));
  return ({ verb }) => {
    const given = left.get(verb);
    if (given === undefined || given.length === 0) throw new Error(`no answer to ${verb}`);
    return given.length > 1 ? given.shift() : given[0];
  };
}

import { fullMessage, type KubeObject, type Message, parseApiVersion } from "../../apis/index.ts";
import type { ApplyRow, DeleteRow, Why } from "../../desiredstate/index.ts";
import { isDefinition } from "../../interpreter/index.ts";
import { type Client, isApiError, isMissing, type ResourceType } from "../../runtime/index.ts";
import { refuseWhileInUse } from "./definitionGuard.ts";
import { judgeHolder, strangerRefusal } from "./holder.ts";
import { classify } from "./outcome.ts";

/** Result of a write that was rehearsed by server-side apply with `dryRun`. */
export type Rehearsed =
  /** `after`: object as the dry-run apply returned it; `before`: the live object. */
  | { kind: "Written"; before: KubeObject | undefined; after: KubeObject }
  /** The namespace does not exist yet. Meridian would create it and then the object, whose result is unknown before. */
  | { kind: "NamespaceMade" }
  | ({ kind: "Refused" } & Why)
  /** The result is unknown, since the member does not answer. */
  | ({ kind: "Unreached" } & Why);

export interface RehearsalAccess {
  client: Client;
  hubId: string;
  systemNamespace: string;
  signal: AbortSignal;
}

/** Rehearses the write of a row. `live`: the object that holds the name, ours or foreign. */
export async function rehearse(
  { client, hubId, systemNamespace, signal }: RehearsalAccess,
  type: ResourceType,
  row: ApplyRow,
  live: KubeObject | undefined,
): Promise<Rehearsed> {
  const { version } = parseApiVersion(row.ref.apiVersion);
  const metadata = { ...row.object.metadata };
  if (live !== undefined) {
    const holder = judgeHolder(live, row, hubId, systemNamespace);
    if (holder.kind === "Leaving")
      return refused("Terminating", `a ${row.ref.kind} of that name is being deleted on the member`);
    if (holder.kind === "Stranger") {
      const refusal = strangerRefusal(holder, row);
      if (refusal !== undefined) return refused(refusal.reason, refusal.message);
    }
    metadata.uid = holder.uid;
  }
  const object: KubeObject = { ...row.object, metadata };
  try {
    const after = await client.apply({ ...type, version }, object, { dryRun: true, force: true, signal });
    return { kind: "Written", before: live, after };
  } catch (error) {
    signal.throwIfAborted();
    const outcome = classify(error, row.ref.kind === "Secret");
    switch (outcome?.kind) {
      case "NamespaceMissing":
        return { kind: "NamespaceMade" };
      case "Refused":
        return refused(outcome.reason, outcome.message);
      case "Unreached":
      case "Silent":
        return { kind: "Unreached", reason: outcome.reason, message: outcome.message };
      case "Throttled":
        return { kind: "Unreached", reason: "ClusterUnreachable", message: "the member asks for fewer requests" };
      case "NotLeader":
      case undefined:
        throw error;
    }
  }
}

/** Undefined when nothing prevents the deletion: a definition must have no objects, unless a person has agreed. */
export async function rehearseRemoval(
  { client, signal }: Pick<RehearsalAccess, "client" | "signal">,
  type: ResourceType,
  { ref, agreed }: DeleteRow,
): Promise<Rehearsed | undefined> {
  if (agreed === true || !isDefinition(ref)) return undefined;
  try {
    await refuseWhileInUse(client, type, ref, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    const outcome = classify(error, false);
    if (outcome?.kind === "Refused") return refused(outcome.reason, outcome.message);
    if (outcome?.kind !== "Unreached" && outcome?.kind !== "Silent") throw error;
    return { kind: "Unreached", reason: outcome.reason, message: outcome.message };
  }
}

function refused(reason: string, message: Message): Rehearsed {
  return { kind: "Refused", reason, message: fullMessage(message) };
}

/** Undefined when no object has the name, or the member does not serve the kind. */
export async function readLive(
  client: Client,
  type: ResourceType,
  ref: { namespace?: string; name: string },
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  try {
    const live = await client.get(type, ref.namespace, ref.name, { signal });
    return { ...live, apiVersion: live.apiVersion ?? type.version, kind: type.kind };
  } catch (error) {
    if (isMissing(error) || (isApiError(error) && error.status === 405)) return undefined;
    throw error;
  }
}

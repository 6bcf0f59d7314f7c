import {
  counted,
  holdersOf,
  type KubeObject,
  OBJECT_FINALIZER,
  type OwnerRef,
  refKey,
  shortMessage,
} from "../../../apis/index.ts";
import type { Observation, Why } from "../../../desiredstate/index.ts";
import type { HubCache, PlacedKind } from "../../../hub/index.ts";
import { CRDS } from "../../../runtime/index.ts";
import { type MissingOwners } from "../../facts/index.ts";

/** Interval between checks of a held deletion. No event reports the deletion of the last object of a kind. */
export const HELD_AGAIN_MS = 5_000;

/**
 * Why the copies of a deleted object stay for now because of its kind, or of the kind that it (a CRD) defines. The
 * deletion of a CRD on a member deletes every object of the kind: the CRD goes last, and only after a person has
 * agreed.
 */
export async function heldByKind(
  hub: Pick<HubCache, "kindDeletions" | "kindOf">,
  object: KubeObject,
  { type }: PlacedKind,
  signal: AbortSignal,
): Promise<Why | undefined> {
  const { metadata } = object;
  if (type.group !== CRDS.group || type.kind !== CRDS.kind) return await hub.kindDeletions.held(type, metadata, signal);
  const { group, names } = (object["spec"] ?? {}) as { group?: string; names?: { kind?: string } };
  const defined = hub.kindOf({ apiVersion: `${group ?? ""}/`, kind: names?.kind ?? "" });
  const placed = defined?.informer.list().filter(({ metadata }) => holdersOf(OBJECT_FINALIZER, metadata).length > 0);
  if (defined === undefined || placed === undefined || placed.length === 0) return undefined;
  const held = await hub.kindDeletions.held(defined.type, metadata, signal);
  const are = placed.length === 1 ? "is" : "are";
  const message = `${counted(placed.length, "object")} of the kind ${defined.type.kind} ${are} placed on members`;
  return held ?? { reason: "KindBeingDeleted", message: shortMessage(message) };
}

/** An object that is gone from the hub, or an object (`here`) whose finalizer somebody removed during the deletion. */
export interface Gone {
  ref: OwnerRef;
  here: KubeObject | undefined;
  copies: readonly Observation[];
  confirmed: boolean;
}

/**
 * As {@link heldByKind}, for an object that is gone. A copy that is older than the CRD belonged to an earlier CRD, so
 * the object went together with it, and counts as missing.
 */
export async function heldAsGone(
  { hub, missing }: { hub: Pick<HubCache, "kindDeletions" | "kindOf">; missing: Pick<MissingOwners, "lostWithKind"> },
  { ref, here, copies, confirmed }: Gone,
  signal: AbortSignal,
): Promise<Why | undefined> {
  const kind = hub.kindOf(ref);
  if (kind === undefined) return undefined;
  const held = await hub.kindDeletions.held(kind.type, here?.metadata ?? {}, signal);
  if (held !== undefined || !confirmed) return held;
  const times = copies.flatMap(({ present }) => (present?.owner === undefined ? [] : (present.createdAt ?? [])));
  const [oldest] = times.toSorted();
  if (oldest === undefined || !(await hub.kindDeletions.wasOfEarlierCrd(kind.type, oldest, signal))) return undefined;
  missing.lostWithKind(refKey(ref));
  return undefined;
}

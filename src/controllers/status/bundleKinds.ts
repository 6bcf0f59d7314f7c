import {
  type FederatedStatus,
  kindKey,
  type KubeObject,
  namesIn,
  type ObjectRef,
  recordedKind,
  recordedKindText,
} from "../../apis/index.ts";
import { groupKindOf, type HubKind, memberKinds } from "../../interpreter/index.ts";
import type { ViewSources } from "./clusterViews.ts";
import type { Plan } from "../states/index.ts";

/** Kinds that are watched on every member need no record. */
const ALWAYS_WATCHED: ReadonlySet<string> = new Set(memberKinds().map(kindKey));

export interface RecordedObject {
  owner: string;
  object: KubeObject;
  interpreter: Pick<HubKind, "holdsManifests" | "becomesMore">;
}

/**
 * The kinds of an object's possible copies on members, for the record in its status: the next leader would not watch a
 * kind of the former content of a bundle, and its copy would stay for ever. Undefined if all are watched anyway.
 *
 * A kind leaves the record when no row asks for it and every recorded cluster is known to have no copy of it.
 */
export function recordedKindsOf(
  { assignments, observations }: Pick<ViewSources, "assignments" | "observations">,
  { owner, object, interpreter }: RecordedObject,
  { target }: Pick<Plan, "target">,
  previous: FederatedStatus | undefined,
): string[] | undefined {
  const { holdsManifests: isBundle = false } = interpreter;
  if (!isBundle && previous?.kinds === undefined && interpreter.becomesMore?.(object) !== true) return undefined;
  const kinds = new Set<string>();
  const add = (ref: ObjectRef): void => {
    const kind = groupKindOf(ref);
    if (isBundle || !ALWAYS_WATCHED.has(kindKey(kind))) kinds.add(recordedKindText(kind));
  };
  for (const { objects } of target?.clusters ?? [])
    for (const { ref, role } of objects) if (role === "rendered") add(ref);
  for (const { ref } of assignments.of(owner)) add(ref);
  const clusters = [...namesIn(previous)];
  for (const text of previous?.kinds ?? []) {
    if (kinds.has(text)) continue;
    const kind = [kindKey(recordedKind(text))];
    if (!clusters.every((cluster) => observations.knows(cluster, kind))) kinds.add(text);
  }
  return [...kinds].toSorted();
}

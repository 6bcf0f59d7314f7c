import type { KubeObject } from "../../../apis/index.ts";
import { assembleSnapshot, computeTarget } from "../../../desiredstate/index.ts";
import type { PlacedKind } from "../../../hub/index.ts";
import type { EventSink } from "../../../observability/index.ts";
import type { CopySources } from "../../facts/index.ts";
import type { Finalization } from "../../states/index.ts";
import { attempted, declaredOf, footprintOf } from "../plan/index.ts";
import type { OrphaningDeletions } from "./orphaning.ts";

export interface FinalizationSources extends Pick<CopySources, "hub" | "hubState" | "states"> {
  events: EventSink;
  orphaning: Pick<OrphaningDeletions, "isOrphaned">;
}

/** The finalization of an object that is being deleted. Decided once; later changes of policies have no effect. */
export function finalizationOf(
  { hub, hubState, states, events, orphaning }: FinalizationSources,
  owner: string,
  object: KubeObject,
  kind: PlacedKind,
): Finalization {
  const decided = states.get(owner)?.finalization;
  if (decided !== undefined) return decided;
  const { deletionPolicy } =
    states.planOf(owner)?.target ??
    attempted({ states, events }, owner, object, () => computeTarget(assembleSnapshot(hubState, object), hub.now()));
  const policy = orphaning.isOrphaned(object) ? "Orphan" : deletionPolicy;
  const { dependencies } = declaredOf({ hub, hubState }, owner, { object, kind }).needs;
  hub.catalog.need(dependencies);
  const finalization = { policy, footprint: footprintOf(kind, object, dependencies) };
  states.update(owner, { finalization });
  return finalization;
}

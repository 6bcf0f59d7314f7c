import { type KubeObject, type Reason, shortName } from "../../apis/index.ts";
import { choosePlacement } from "../target/index.ts";
import type { Why } from "../types.ts";
import type { HubState } from "./hubState.ts";

const SUSPENDED: Reason = "Suspended";

/** Why the copies of a deleted object stay: a suspended policy deletes nothing. */
export function heldBySuspension(
  state: Pick<HubState, "placementsFor" | "settingOf">,
  object: KubeObject,
): Why | undefined {
  const { placement } = choosePlacement(object, state.placementsFor(object), state.settingOf(object));
  if (placement?.spec.suspend !== true) return undefined;
  const { kind, metadata } = placement;
  return { reason: SUSPENDED, message: `suspended by ${kind} ${shortName(metadata.name)}; goes on without suspend` };
}

import { type KubeObject, type Reason, shortName } from "../apis/index.ts";
import { choosePlacement, type Why } from "../desiredstate/index.ts";
import type { HubCache } from "../hub/index.ts";

const SUSPENDED: Reason = "Suspended";

/** Why the copies of an object that is being deleted stay, when the policy that places it is suspended: then nothing is deleted either. */
export function heldBySuspension(
  hub: Pick<HubCache, "allPlacements"> & { planned: Pick<HubCache["planned"], "settingOf"> },
  object: KubeObject,
): Why | undefined {
  const { placement } = choosePlacement(object, hub.allPlacements(), hub.planned.settingOf(object));
  if (placement?.spec.suspend !== true) return undefined;
  const { kind, metadata } = placement;
  return { reason: SUSPENDED, message: `suspended by ${kind} ${shortName(metadata.name)}; goes on without suspend` };
}

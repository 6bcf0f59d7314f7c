import {
  type KubeObject,
  type ObjectSetting,
  type Placement,
  selectorSpecificity,
  type Specificity,
} from "../../apis/index.ts";
import type { PlacementChoice } from "../snapshot.ts";

interface Candidate {
  placement: Placement;
  specificity: Specificity;
}

/**
 * Selects the policy that places the object. The order is: highest priority, a namespaced policy before a
 * cluster-scoped one, the most specific selector (name, labels, all of the kind), the first name. A namespaced policy
 * selects only objects of its own namespace. A policy that is being deleted selects nothing. Undefined if no policy
 * matches.
 */
export function selectPlacement(
  object: KubeObject,
  placements: readonly Placement[],
  setting?: ObjectSetting,
): Placement | undefined {
  return choosePlacement(object, placements, setting).placement;
}

/** Like {@link selectPlacement}, with the other selecting policies and why the chosen one precedes each. */
export function choosePlacement(
  object: KubeObject,
  placements: readonly Placement[],
  setting?: ObjectSetting,
): PlacementChoice {
  let best: Candidate | undefined;
  const candidates: Candidate[] = [];
  for (const placement of placements) {
    if (placement.metadata.deletionTimestamp !== undefined || !reaches(placement, object)) continue;
    const specificity = selectorSpecificity(placement.spec.resourceSelectors, object, setting);
    if (specificity === 0) continue;
    const candidate = { placement, specificity };
    candidates.push(candidate);
    if (best === undefined || precedence(candidate, best).before) best = candidate;
  }
  if (best === undefined) return { placement: undefined, passedOver: [] };
  const chosen = best;
  const others = candidates.length === 1 ? [] : candidates.filter((candidate) => candidate !== chosen);
  return {
    placement: chosen.placement,
    passedOver: others.map((other) => ({
      placement: other.placement,
      because: precedence(chosen, other).because,
    })),
  };
}

function isNamespaced(placement: Placement): boolean {
  return placement.kind === "Placement";
}

function reaches(placement: Placement, object: KubeObject): boolean {
  if (!isNamespaced(placement)) return true;
  return object.metadata.namespace !== undefined && placement.metadata.namespace === object.metadata.namespace;
}

/** True if the first candidate precedes the second; `because` names the deciding criterion. */
function precedence(a: Candidate, b: Candidate): { before: boolean; because: string } {
  const [mine, other] = [a.placement.spec.priority ?? 0, b.placement.spec.priority ?? 0];
  if (mine !== other) return { before: mine > other, because: `priority ${mine} goes before ${other}` };
  if (isNamespaced(a.placement) !== isNamespaced(b.placement))
    return { before: isNamespaced(a.placement), because: "that of the namespace goes first" };
  if (a.specificity !== b.specificity)
    return { before: a.specificity > b.specificity, because: "the closer selector goes first" };
  return { before: a.placement.metadata.name < b.placement.metadata.name, because: "the first by name goes first" };
}

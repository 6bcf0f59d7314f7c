import { type KubeObject, type Placement, selectorSpecificity, type Specificity } from "../apis/index.ts";

interface Candidate {
  placement: Placement;
  specificity: Specificity;
}

/**
 * The one policy that places the object: the highest priority, then a namespaced one before a cluster-scoped one, then the one whose
 * selector says most closely what it means (name, labels, all of the kind), then the first by name. A namespaced policy reaches only objects of
 * its own namespace, and a policy that is being deleted none. Undefined when none matches.
 */
export function selectPlacement(object: KubeObject, placements: readonly Placement[]): Placement | undefined {
  let best: Candidate | undefined;
  for (const placement of placements) {
    if (placement.metadata.deletionTimestamp !== undefined || !reaches(placement, object)) continue;
    const specificity = selectorSpecificity(placement.spec.resourceSelectors, object);
    if (specificity === 0) continue;
    const candidate = { placement, specificity };
    if (best === undefined || goesBefore(candidate, best)) best = candidate;
  }
  return best?.placement;
}

function isNamespaced(placement: Placement): boolean {
  return placement.kind === "Placement";
}

function reaches(placement: Placement, object: KubeObject): boolean {
  if (!isNamespaced(placement)) return true;
  return object.metadata.namespace !== undefined && placement.metadata.namespace === object.metadata.namespace;
}

function goesBefore(a: Candidate, b: Candidate): boolean {
  const byPriority = (a.placement.spec.priority ?? 0) - (b.placement.spec.priority ?? 0);
  if (byPriority !== 0) return byPriority > 0;
  if (isNamespaced(a.placement) !== isNamespaced(b.placement)) return isNamespaced(a.placement);
  if (a.specificity !== b.specificity) return a.specificity > b.specificity;
  return a.placement.metadata.name < b.placement.metadata.name;
}

import { choosePlacement, type Needs, needsOf, type PlacementChoice } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type Collected, type CopySources, recordedClusters } from "../facts/index.ts";

/** What is found out about a hub object before its plan: which policy places it, and what of its needs the hub has. */
export interface Known {
  choice: PlacementChoice;
  /** With what the needs need in their turn. */
  needs: Needs;
  collected: Collected;
}

type Found = NonNullable<ReturnType<HubCache["object"]>>;

/** Undefined while something that the object needs has not been read yet. Where the policy says that nothing travels with it, nothing is read. */
export function knownOf(
  sources: Pick<CopySources, "hub" | "dependencies">,
  owner: string,
  found: Found,
): Known | undefined {
  const { choice, needs } = askedOf(sources, owner, found);
  const collected = sources.dependencies.collect(owner, needs.dependencies);
  if (collected === undefined) return undefined;
  sources.hub.catalog.need(collected.needed);
  return { choice, needs: { ...needs, dependencies: collected.needed }, collected };
}

/** What the object asks for beside it, as far as that can be said without reading anything more. */
export function askedOf(
  sources: Pick<CopySources, "hub">,
  owner: string,
  { object, kind }: Found,
): Pick<Known, "choice" | "needs"> {
  const choice = choosePlacement(object, sources.hub.allPlacements(), sources.hub.planned.settingOf(object));
  // What becomes other objects needs the same wherever it runs.
  const isOpen = choice.placement === undefined && !sources.hub.catalog.isRequired(kind.type);
  const runs = isOpen && recordedClusters(sources, owner).size > 0;
  return { choice, needs: needsOf(kind.interpreter, object, choice.placement, runs) };
}

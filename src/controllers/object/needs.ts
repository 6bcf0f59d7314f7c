import { choosePlacement, needsOf, recordedClusters, type ResolvedNeeds } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";
import { type CopySources } from "../facts/index.ts";

/** Which policy places a hub object, and what of its needs the hub has. */
export type Known = Required<ResolvedNeeds>;

type Found = NonNullable<ReturnType<HubCache["object"]>>;

/** Undefined while something that the object needs has not been read yet. Where the policy says that nothing travels with it, nothing is read. */
export function knownOf(
  sources: Pick<CopySources, "hub" | "hubState" | "dependencies">,
  owner: string,
  found: Found,
): Known | undefined {
  const { choice, needs } = askedOf(sources, owner, found);
  const collected = sources.dependencies.collect(owner, needs.dependencies);
  if (collected === undefined) return undefined;
  sources.hub.catalog.need(collected.needed);
  const { found: dependencies, needed, unreadable } = collected;
  return { choice, needs: { ...needs, dependencies: needed }, dependencies, unreadable };
}

/** What the object asks for beside it, as far as that can be said without reading anything more. */
export function askedOf(
  sources: Pick<CopySources, "hub" | "hubState">,
  owner: string,
  { object, kind }: Found,
): Pick<Known, "choice" | "needs"> {
  const choice = choosePlacement(object, sources.hub.allPlacements(), sources.hub.planned.settingOf(object));
  // What becomes other objects needs the same wherever it runs.
  const isOpen = choice.placement === undefined && !sources.hub.catalog.isRequired(kind.type);
  const runs = isOpen && recordedClusters(sources.hubState, owner).size > 0;
  return { choice, needs: needsOf(kind.interpreter, object, choice.placement, runs) };
}

import { choosePlacement, needsOf, recordedClusters, type ResolvedNeeds } from "../../../desiredstate/index.ts";
import type { HubCache } from "../../../hub/index.ts";
import { type CopySources } from "../../facts/index.ts";

/** The policy that places an object, and what the object needs. */
export type ResolvedObject = Required<ResolvedNeeds>;

type Found = NonNullable<ReturnType<HubCache["object"]>>;

/** The policy that places the object, and its dependencies as the hub has them; undefined while one is being read. */
export function resolvedOf(
  sources: Pick<CopySources, "hub" | "hubState" | "dependencies">,
  owner: string,
  found: Found,
): ResolvedObject | undefined {
  const { choice, needs } = declaredOf(sources, owner, found);
  const collected = sources.dependencies.collect(owner, needs.dependencies);
  if (collected === undefined) return undefined;
  sources.hub.catalog.need(collected.needed);
  const { found: dependencies, needed, unreadable } = collected;
  return { choice, needs: { ...needs, dependencies: needed }, dependencies, unreadable };
}

/** The placement and the dependencies of the object, as far as they are known without further reads. */
export function declaredOf(
  sources: Pick<CopySources, "hub" | "hubState">,
  owner: string,
  { object, kind }: Found,
): Pick<ResolvedObject, "choice" | "needs"> {
  const choice = choosePlacement(object, sources.hub.allPlacements(), sources.hub.planned.settingOf(object));
  // An object that is rendered to other objects has the same dependencies wherever it runs.
  const isOpen = choice.placement === undefined && !sources.hub.catalog.isRequired(kind.type);
  const runs = isOpen && recordedClusters(sources.hubState, owner).size > 0;
  return { choice, needs: needsOf(kind.interpreter, object, choice.placement, runs) };
}

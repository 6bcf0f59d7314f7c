import {
  defined,
  kindKeyOf,
  type KubeObject,
  type ObjectRef,
  type Placement,
  refKey,
  refOf,
} from "../../apis/index.ts";
import { apiVersionOf } from "../../runtime/index.ts";
import {
  assumeClusters,
  HubStateReader,
  inPlaceOf,
  objectsOfFiles,
  PlannerHubState,
  put,
  roleOf,
  stateOf,
} from "../plan/index.ts";
import { CommandError, type Connection } from "../shared/index.ts";
import type { Subject } from "./analysis.ts";
import type { ServedKind } from "./catalog.ts";
import type { AnalyzeOptions } from "./verb.ts";

/** The fleet with the files as if they were applied. */

export interface Fleet {
  state: PlannerHubState;
  /** By `group/Kind`; undefined without a hub. */
  served: ReadonlyMap<string, ServedKind> | undefined;
  /** Limits of the answer, one sentence each. */
  notes: readonly string[];
}

/** Only reads: an analysis needs no right to write. */
export async function fleetOfHub(
  hub: Connection,
  subjects: readonly Subject[],
  namespace: string,
  signal: AbortSignal,
): Promise<Fleet> {
  const reader = new HubStateReader(hub, signal, "meridian analyze --without-hub --from FILES -f FILES");
  const state = new PlannerHubState();
  await reader.readPolicies(state, undefined, namespace);
  const files = subjects.map(({ object }) => object);
  const placements = files.filter((object) => roleOf(object) === "Placement") as unknown as Placement[];
  const kinds = await reader.placedKinds([...state.placements, ...placements]);
  await reader.readObjects(state, kinds, state.isPartial ? namespace : undefined);
  await reader.readScales(state, kinds);
  for (const object of files) put(state, inPlaceOf(liveOf(state, object), object));
  await reader.readSurroundings(state);
  await reader.readDependencies(state, [...state.objects.values()]);
  assumeClusters(state);
  const served = await servedKinds(reader, files);
  return { state, served, notes: [...reader.notes] };
}

/** `--from` has the fleet. */
export async function fleetOfFiles(
  { from, recursive }: Pick<AnalyzeOptions, "from" | "recursive">,
  subjects: readonly Subject[],
  namespace: string,
): Promise<Fleet> {
  const state = stateOf(from.length === 0 ? [] : await objectsOfFiles({ files: from, recursive, namespace }));
  for (const { object } of subjects) put(state, inPlaceOf(liveOf(state, object), object));
  if (state.clusters.length === 0)
    throw new CommandError(
      "the files hold no MemberCluster: write them with `kubectl get memberclusters -o yaml`, and give that file with --from",
    );
  return { state, served: undefined, notes: [] };
}

/** Of a MemberCluster or an object; a policy of the same name is replaced as a whole. */
function liveOf({ objects, clusters }: PlannerHubState, object: KubeObject): KubeObject | undefined {
  const key = refKey(refOf(object));
  return (
    objects.get(key) ?? clusters.map((one) => one as unknown as KubeObject).find((one) => refKey(refOf(one)) === key)
  );
}

/** Kinds that the files name. */
async function servedKinds(
  reader: HubStateReader,
  files: readonly KubeObject[],
): Promise<ReadonlyMap<string, ServedKind>> {
  const named = files.flatMap((object): Pick<ObjectRef, "apiVersion" | "kind">[] => {
    const { resourceSelectors = [] } = (object["spec"] ?? {}) as Partial<Placement["spec"]>;
    const isPolicy = ["Placement", "Override"].includes(roleOf(object));
    return isPolicy ? resourceSelectors : [object];
  });
  const served = new Map<string, ServedKind>();
  for (const { apiVersion, kind } of named) {
    const key = kindKeyOf({ apiVersion, kind });
    if (served.has(key)) continue;
    const type = await reader.typeOf({ apiVersion, kind });
    const meant = type === undefined ? await reader.typeNamed(kind.toLowerCase(), undefined) : undefined;
    served.set(key, defined({ type, meant: meant === undefined ? undefined : apiVersionOf(meant) }));
  }
  return served;
}

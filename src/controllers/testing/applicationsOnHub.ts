import { type FederatedStatus, type KubeObject, parseApiVersion, recordOf } from "../../apis/index.ts";
import type { HubCache, PlacedKind } from "../../hub/index.ts";
import { type HubKind, placeableKindOf } from "../../interpreter/index.ts";
import { DEMOAPPLICATIONS } from "../../runtime/index.ts";

type Answers = Pick<
  HubCache,
  "kindOf" | "object" | "allPlacements" | "allOverrides" | "clusterSnapshots" | "deniedKinds"
> & { planned: Pick<HubCache["planned"], "settingOf">; statuses: Pick<HubCache["statuses"], "of" | "recordOf"> };

/**
 * Answers of the hub's cache for these applications, by their keys. Meridian renders their kind, so each application
 * holds its own status. There is no policy and no other kind. `rule` replaces parts of the interpreter for the kind.
 */
export function applicationsOnHub(objects: ReadonlyMap<string, KubeObject>, rule: Partial<HubKind> = {}): Answers {
  const interpreter = { ...placeableKindOf(DEMOAPPLICATIONS.group, DEMOAPPLICATIONS.kind), ...rule };
  const placed = { type: DEMOAPPLICATIONS, propagated: false, interpreter } as PlacedKind;
  const isPlaced = ({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean =>
    kind === placed.type.kind && parseApiVersion(apiVersion).group === placed.type.group;
  return {
    kindOf: (ref) => (isPlaced(ref) ? placed : undefined),
    object: (owner) => {
      const object = objects.get(owner);
      return object === undefined ? undefined : { object, kind: placed };
    },
    planned: { settingOf: () => ({}) },
    statuses: {
      of: (object) => object["status"] as FederatedStatus | undefined,
      recordOf: (object) => recordOf(object),
    },
    allPlacements: () => [],
    allOverrides: () => [],
    clusterSnapshots: () => [],
    deniedKinds: () => [],
  };
}

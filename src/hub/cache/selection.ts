import {
  type KubeObject,
  type ObjectSetting,
  parseApiVersion,
  type ResourceSelector,
  selectsAmongKind,
} from "../../apis/index.ts";
import type { HubEvent, Policy } from "./events.ts";
import { ownerKey, type PlacedKind } from "./placedKinds.ts";

export const NAMESPACE_INDEX = "namespace";

/** Objects that are compared without a pause. */
const BATCH = 256;

interface Reach {
  kind: PlacedKind;
  /** Namespace of a namespaced policy; undefined for a cluster policy. */
  namespace: string | undefined;
  selectors: readonly ResourceSelector[];
}

/**
 * Keys of the objects that a policy selects, or selected before the event. Compared are those that fit a selector by
 * kind, namespace and name. A key may come twice. An undefined between keys is a place to pause.
 */
export function* selectedBy(
  { object: policy, old }: Pick<HubEvent<Policy>, "object" | "old">,
  kindOf: (group: string, kind: string) => PlacedKind | undefined,
  settingOf: (object: KubeObject) => ObjectSetting,
): Generator<string | undefined, void, undefined> {
  const byKind = new Map<PlacedKind, ResourceSelector[]>();
  for (const selector of [...(old?.spec.resourceSelectors ?? []), ...policy.spec.resourceSelectors]) {
    const kind = kindOf(parseApiVersion(selector.apiVersion).group, selector.kind);
    if (kind === undefined) continue;
    byKind.set(kind, [...(byKind.get(kind) ?? []), selector]);
  }
  let compared = 0;
  for (const [kind, selectors] of byKind) {
    const reach: Reach = { kind, namespace: policy.metadata.namespace, selectors };
    for (const key of candidates(reach)) {
      compared += 1;
      if (compared % BATCH === 0) yield undefined;
      const object = kind.informer.get(key);
      if (object === undefined) continue;
      const setting = settingOf(object);
      if (selectors.some((selector) => selects(selector, reach, object, setting))) yield ownerKey(kind.type, key);
    }
  }
}

function* candidates({ kind, namespace, selectors }: Reach): Iterable<string> {
  const { informer, type } = kind;
  const namespaces = new Set<string>();
  const named = new Set<string>();
  for (const selector of selectors) {
    const within = type.namespaced ? (namespace ?? selector.namespace) : "";
    if (within === undefined) {
      yield* informer.keys();
      return;
    }
    if (selector.name !== undefined) named.add(within === "" ? selector.name : `${within}/${selector.name}`);
    else namespaces.add(within);
  }
  yield* named;
  for (const one of namespaces) yield* informer.keysByIndex(NAMESPACE_INDEX, one);
}

function selects(
  selector: ResourceSelector,
  { namespace }: Reach,
  object: KubeObject,
  setting: ObjectSetting,
): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  return selectsAmongKind(selector, object, setting);
}

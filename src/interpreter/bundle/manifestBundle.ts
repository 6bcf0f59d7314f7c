import { FEDERATION_GROUP, type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { addReferencesOfWorkload, References } from "../pods/index.ts";
import type { Dependency, HubKind } from "../types.ts";
import { renderManifests, unpackedSpecOf } from "./manifests.ts";

/** A ManifestBundle, which caches keep unpacked ({@link UnpackedSpec}): its manifests are its objects on a member. */
export const manifestBundleKind: HubKind = {
  group: FEDERATION_GROUP,
  kind: "ManifestBundle",
  holdsManifests: true,
  render: rendered,
  replicas: () => undefined,
  dependencies(object) {
    const { namespace } = object.metadata;
    const objects = rendered(object);
    const own = new Set(objects.map((one) => refKey(refOf(one))));
    const found = new Map<string, Dependency>();
    for (const one of objects) {
      // An object in another namespace has no dependencies in this one.
      if (one.metadata.namespace !== namespace) continue;
      const references = new References(namespace);
      addReferencesOfWorkload(references, one);
      for (const dependency of references.list()) {
        const key = refKey(dependency.ref);
        if (own.has(key)) continue;
        // An operator may create the dependency on the member, so the hub may lack it.
        const known = found.get(key);
        const readByPods = dependency.readByPods || known?.readByPods === true;
        found.set(key, { ...dependency, optional: true, readByPods });
      }
    }
    return [...found.values()];
  },
  podSelector: () => undefined,
};

function rendered(object: KubeObject): KubeObject[] {
  return renderManifests(unpackedSpecOf(object), object.metadata.namespace ?? "");
}

import { FEDERATION_GROUP, parseApiVersion, refKey, refOf, valueAt } from "../../apis/index.ts";
import { podDependencies } from "../podDependencies.ts";
import type { Dependency, HubKind, MemberKind } from "../types.ts";
import { renderManifests, unpackedSpecOf } from "./manifests.ts";

/**
 * `federation.paas.cmft.com` ManifestBundle: the objects in it are what it becomes on a member, of whatever kinds they are. It is read as
 * caches keep it, unpacked ({@link UnpackedSpec}): nothing here knows of compression.
 */
export function manifestBundleKind(memberKindOf: (group: string, kind: string) => MemberKind): HubKind {
  const render: HubKind["render"] = (object) =>
    renderManifests(unpackedSpecOf(object), object.metadata.namespace ?? "");
  return {
    group: FEDERATION_GROUP,
    kind: "ManifestBundle",
    holdsManifests: true,
    render,
    replicas: () => undefined,
    dependencies(object) {
      const { namespace } = object.metadata;
      const objects = render(object);
      const own = new Set(objects.map((one) => refKey(refOf(one))));
      const found = new Map<string, Dependency>();
      for (const one of objects) {
        // What is in another namespace has nothing to look for in this one.
        if (one.metadata.namespace !== namespace) continue;
        const path = memberKindOf(parseApiVersion(one.apiVersion).group, one.kind).podTemplatePath ?? [
          "spec",
          "template",
        ];
        for (const dependency of podDependencies(valueAt(one, [...path, "spec"]), namespace)) {
          const key = refKey(dependency.ref);
          if (own.has(key)) continue;
          // An operator may make it on the member: that the hub lacks it says nothing.
          const known = found.get(key);
          const readByPods = dependency.readByPods || known?.readByPods === true;
          found.set(key, { ...dependency, optional: true, readByPods });
        }
      }
      return [...found.values()];
    },
    podSelector: () => undefined,
  };
}

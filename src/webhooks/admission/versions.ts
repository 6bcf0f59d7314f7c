import { type KubeObject, parseApiVersion, type Placement } from "../../apis/index.ts";
import { hubKindOf } from "../../interpreter/index.ts";
import { selectorsOf } from "./policies.ts";
import type { ServedKind } from "./types.ts";

/**
 * A kind is read and sent in one version: the hub may prefer another one, and another placement may name another one.
 */
export function warnOfVersions(
  policy: KubeObject,
  served: readonly ServedKind[] | undefined,
  placements: readonly Placement[],
): string[] {
  const { name, namespace } = policy.metadata;
  const others = placements.filter(
    ({ kind, metadata }) => kind !== policy.kind || metadata.name !== name || metadata.namespace !== namespace,
  );
  return selectorsOf(policy).flatMap(({ apiVersion, kind }, index) => {
    const { group, version } = parseApiVersion(apiVersion);
    if (hubKindOf(group, kind) !== undefined) return [];
    const versions = (served ?? []).flatMap((one) => (one.group === group && one.kind === kind ? [one.version] : []));
    if (!versions.includes(version)) return [];
    const field = `spec.resourceSelectors[${index}].apiVersion`;
    const named = others.flatMap(({ spec }) =>
      spec.resourceSelectors.flatMap((one) => (one.kind === kind ? [parseApiVersion(one.apiVersion)] : [])),
    );
    const rivals = new Set(named.flatMap((one) => (one.group === group ? [one.version] : [])));
    // If placements name several versions, the version that the hub prefers most is used.
    const used = versions.find((one) => one === version || rivals.has(one)) ?? version;
    if (used !== version) {
      const text = `${kind} is read and sent in ${group}/${used}, which another placement names; name one version of a kind`;
      return [`${field}: ${text}`];
    }
    const [preferred] = versions;
    if (preferred === undefined || preferred === version) return [];
    return [`${field}: the hub prefers ${group}/${preferred} of ${kind}; fields that ${apiVersion} lacks are not sent`];
  });
}

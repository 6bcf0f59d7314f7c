import { parseApiVersion } from "../../apis/index.ts";
import type { HubCache, Policy } from "../../hub/index.ts";

/** Kinds that the policy selects and that the manager may not read on the hub, as `plural.group`. */
export function ungrantedKinds(policy: Policy, hub: Pick<HubCache, "deniedKinds">): { ungranted?: string[] } {
  const ungranted: string[] = [];
  for (const { group, kind, plural } of hub.deniedKinds()) {
    const isSelected = policy.spec.resourceSelectors.some(
      (selector) => selector.kind === kind && parseApiVersion(selector.apiVersion).group === group,
    );
    if (isSelected) ungranted.push(group === "" ? plural : `${plural}.${group}`);
  }
  return ungranted.length === 0 ? {} : { ungranted: ungranted.toSorted() };
}

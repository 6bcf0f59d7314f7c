import { type KubeObject, notCarriedOut, type Placement } from "../../apis/index.ts";

/** What a policy may say and this version does not do. The policy is taken, since a later version does; its status says the same. */
export function warnOfUnfinished(policy: KubeObject): string[] {
  const fields = policy.kind.endsWith("Placement") ? notCarriedOut((policy as unknown as Placement).spec) : [];
  return fields.map((field) => `${field} is taken, but this version of Meridian does not carry it out`);
}

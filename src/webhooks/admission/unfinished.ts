import { type KubeObject, notCarriedOut, parseApiVersion, type Placement } from "../../apis/index.ts";
import { isPlaceable } from "../../interpreter/index.ts";
import { selectorsOf } from "./policies.ts";

/** What a policy may say and this version does not do. The policy is taken, since a later version does; its status says the same. */
export function warnOfUnfinished(policy: KubeObject): string[] {
  const fields = policy.kind.endsWith("Placement") ? notCarriedOut((policy as unknown as Placement).spec) : [];
  const kinds = new Set(
    selectorsOf(policy)
      .filter(({ apiVersion, kind }) => !isPlaceable({ group: parseApiVersion(apiVersion).group, kind }))
      .map(({ apiVersion, kind }) => `${kind} of ${apiVersion}`),
  );
  return [
    ...fields.map((field) => `${field} is taken, but this version of Meridian does not carry it out`),
    ...[...kinds].map((kind) => `this version of Meridian places no ${kind}; the selector has no effect`),
  ];
}

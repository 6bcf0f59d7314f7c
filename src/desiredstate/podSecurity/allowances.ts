import type { KubeObject } from "../../apis/index.ts";
import { ungrantedNames } from "./granted.ts";
import type { NamespaceTerms } from "./terms.ts";

/** An annotation of a hub namespace by which pods may name objects that exist only on members. */
export interface Allowance {
  namespace: string;
  annotation: string;
  values: readonly string[];
}

/** All allowances that the objects need beyond the terms, by namespace and annotation. */
export function allowancesFor(objects: readonly KubeObject[], terms: NamespaceTerms): Allowance[] {
  const needed = objects.flatMap((object) => {
    const own = terms.of?.(object) ?? terms;
    return ungrantedNames(object, own).flatMap(({ grantedBy, value }) =>
      grantedBy === undefined ? [] : [{ namespace: own.namespace, annotation: grantedBy, value: String(value) }],
    );
  });
  return [...Map.groupBy(needed, ({ namespace, annotation }) => `${namespace} ${annotation}`).values()].map(
    (group) => ({
      namespace: group[0]?.namespace ?? "",
      annotation: group[0]?.annotation ?? "",
      values: [...new Set(group.map(({ value }) => value))].toSorted(),
    }),
  );
}

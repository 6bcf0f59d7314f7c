import { defined, type KubeObject, type PlacementSpec, sameValue } from "../../apis/index.ts";
import type { ReportTerms } from "../types.ts";

/** Extra reporting that the placement asks for. `isOwner`: the object is the hub object itself. */
export function reportTermsOf(
  { kind }: Pick<KubeObject, "kind">,
  spec: Pick<PlacementSpec, "health" | "aggregateStatus"> | undefined,
  isOwner: boolean,
): ReportTerms | undefined {
  const declared = spec?.health?.find((rule) => rule.kind === kind);
  const withStatus = isOwner && spec?.aggregateStatus === true;
  if (declared === undefined && !withStatus) return undefined;
  const { available, failed } = declared ?? {};
  const health = defined({ available, failed });
  return { ...(declared === undefined ? {} : { health }), ...(withStatus ? { withStatus } : {}) };
}

export function sameReportTerms(a: ReportTerms | undefined, b: ReportTerms | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && sameValue(a, b));
}

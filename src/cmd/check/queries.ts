import { findQueryApi } from "../asking/index.ts";
import type { Connection } from "../shared/index.ts";
import { type CheckResult, Checking, HUB } from "./result.ts";
import type { CheckOptions } from "./verb.ts";

/** If the person reaches the query API. Nothing depends on it, so its absence is no finding. Undefined: no manager leads. */
export async function checkQueries(
  hub: Connection,
  { namespace }: Pick<CheckOptions, "namespace">,
  signal: AbortSignal,
): Promise<CheckResult | undefined> {
  const found = await findQueryApi(hub, { systemNamespace: namespace }, signal);
  if (found.api === undefined && !found.isNotable) return undefined;
  const checking = new Checking("Queries", HUB);
  if (found.api === undefined) return checking.result(`you do not reach the query API: ${found.why}`);
  using api = found.api;
  const { partial } = await api.list("fleetclusters", { fields: "state" }, 1);
  const { length } = partial;
  const stale = length === 0 ? "" : `; rows of ${length} clusters may be out of date`;
  return checking.result(`are answered through ${api.way}${stale}`);
}

import { type Contact, defined, type MemberCluster, REGION_LABEL, SLOW_CONDITION } from "../../apis/index.ts";
import type { ClusterValue } from "../table/index.ts";

/** A cluster that answers slowly is Ready, and says why things take long there. */
function slownessOf(status: MemberCluster["status"]): Pick<ClusterValue, "reason" | "message" | "since"> {
  const slow = status?.conditions?.find(({ type }) => type === SLOW_CONDITION);
  if (slow?.status !== "True") return {};
  const since = Date.parse(slow.lastTransitionTime);
  return { reason: slow.reason, message: slow.message, ...defined({ since: Number.isNaN(since) ? undefined : since }) };
}

/** `pending`: no contact was tried yet. `now` in epoch milliseconds: start of a state that is new. */
export function clusterFacts(
  { metadata, status }: MemberCluster,
  { ok, pending, reason, message, lastContact }: Contact & { pending: boolean },
  before: ClusterValue | undefined,
  now: number,
): ClusterValue {
  const state = ok ? "Ready" : pending ? "Pending" : "Unreachable";
  const ready = status?.conditions?.find(({ type }) => type === "Ready");
  const written = Date.parse(ready?.lastTransitionTime ?? "");
  const firstSince = Number.isNaN(written) ? undefined : written;
  const slowness = ok ? slownessOf(status) : {};
  // A cluster that is slow no more is Ready since now.
  const isSame = before?.state === state && !(ok && before.reason !== undefined);
  const since = slowness.since ?? (isSame ? before.since : before === undefined ? firstSince : now);
  return {
    name: metadata.name,
    ...defined({ region: metadata.labels?.[REGION_LABEL] }),
    state,
    // While a cluster answers, it counts as seen just now; no row changes for that.
    ...(ok ? slowness : defined({ reason, message, lastContact })),
    ...defined({ kubernetesVersion: status?.kubernetesVersion, since }),
    stale: !ok,
    labels: metadata.labels ?? {},
  };
}

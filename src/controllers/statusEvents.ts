import { type FederatedStatus, type KubeObject, refOf } from "../apis/index.ts";
import type { Target } from "../desiredstate/index.ts";
import type { EventRecorder } from "../observability/index.ts";

/**
 * Events on a hub object about failures that its new status says and the one before does not: each failure once. `detailOn` gives the words
 * in full that the entry of a cluster had to cut.
 */
export function recordTrouble(
  events: Pick<EventRecorder, "record">,
  object: KubeObject,
  { previous, status }: { previous: FederatedStatus | undefined; status: FederatedStatus },
  target: Target | undefined,
  detailOn: (cluster: string) => string | undefined = () => undefined,
): void {
  const { uid } = object.metadata;
  const regarding = { ...refOf(object), ...(uid === undefined ? {} : { uid }) };
  const before = previous?.clusters;
  const warn = (reason: string, action: string, note: string): void =>
    events.record({ regarding, type: "Warning", reason, action, note });

  for (const { name, state, reason, message = reason } of status.clusters ?? []) {
    if (state !== "Failed" || reason === undefined) continue;
    const known = before?.find((one) => one.name === name);
    if (known?.state === "Failed" && known.reason === reason) continue;
    warn(reason, "Apply", `${name}: ${detailOn(name) ?? message}`);
  }
  // What may not be read on the hub holds all clusters alike.
  const denial = target?.clusters.find(({ frozenFor }) => frozenFor !== undefined)?.frozenFor;
  if (denial === undefined) return;
  const saysSo = (entries: FederatedStatus["clusters"]): boolean =>
    entries?.some(({ state, reason }) => state === "Held" && reason === denial.reason) === true;
  if (saysSo(status.clusters) && !saysSo(before)) warn(denial.reason, "Schedule", denial.message);
}

import { isContactReason } from "../../apis/index.ts";
import type {
  ClusterValue,
  ObjectFacts,
  ObjectValue,
  PlacedFacts,
  PlacedValue,
  TransitionFacts,
} from "../table/index.ts";
import { FOLLOWS_WITHIN_MS } from "../types.ts";

/** What changed of an object: of the whole and on each cluster. A first row with `isNew` false changed nothing. */
export function objectTransitions(
  before: ObjectValue | undefined,
  after: ObjectFacts | undefined,
  { now, isNew }: { now: number; isNew: boolean },
): TransitionFacts[] {
  const object = after?.identity ?? before?.identity;
  if (object === undefined || (before === undefined && !isNew)) return [];
  const transitions: TransitionFacts[] = [];
  if (before?.state !== after?.state || before?.reason !== after?.reason)
    transitions.push({ at: now, object, ...moved(before, after), ...becauseOf(before, after, after, now) });
  const known = new Map(before?.placed.map((row) => [row.cluster, row]));
  for (const row of after?.placed ?? []) {
    const { cluster } = row;
    const was = known.get(cluster);
    known.delete(cluster);
    if (was?.state !== row.state || was.reason !== row.reason)
      transitions.push({ at: now, object, cluster, ...moved(was, row), ...becauseOf(before, after, row, now) });
  }
  for (const [cluster, was] of known)
    transitions.push({
      at: now,
      object,
      cluster,
      ...moved(was, undefined),
      ...becauseOf(before, after, undefined, now),
    });
  return transitions;
}

type State = Pick<PlacedFacts, "state" | "reason" | "message"> | Pick<PlacedValue, "state" | "reason" | "message">;

function moved(before: State | undefined, after: State | undefined) {
  const message = after?.message;
  return {
    from: before?.state ?? "",
    to: after?.state ?? "",
    reason: after === undefined ? "Gone" : (after.reason ?? after.state),
    ...(message === undefined ? {} : { message }),
  };
}

/** The most likely cause: the contact with the cluster, another policy, or the last change of the object. */
function becauseOf(
  before: ObjectValue | undefined,
  after: ObjectFacts | undefined,
  row: State | undefined,
  now: number,
): Pick<TransitionFacts, "because"> {
  if (row !== undefined && "cluster" in row && isContactReason(row.reason))
    return { because: { cluster: String(row.cluster) } };
  if (after !== undefined && before?.policy !== after.policy && after.policy !== undefined)
    return { because: { policy: after.policy } };
  const changed = after?.changed;
  if (changed !== undefined && now - changed.at <= FOLLOWS_WITHIN_MS)
    return { because: { generation: changed.generation } };
  return {};
}

/** The first sight of a cluster is no change. */
export function clusterTransitions(
  before: ClusterValue | undefined,
  after: ClusterValue | undefined,
  now: number,
): TransitionFacts[] {
  if (before === undefined || (before.state === after?.state && before.reason === after.reason)) return [];
  return [{ at: now, cluster: before.name, ...moved(before, after) }];
}

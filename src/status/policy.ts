import { type PolicyStatus, sameValue, shortMessage } from "../apis/index.ts";
import { conditionsOf, type Statement } from "./conditions.ts";

/** Keeps the status readable when a policy places thousands of objects in as many ways. */
const MAX_DECISIONS = 50;

export interface PolicyStatusInput {
  generation: number;
  previous?: PolicyStatus | undefined;
  /** How many objects the policy matches. */
  matched: number;
  /** For each set of clusters, how many objects run there because of the policy. At most 50 are kept, the largest. */
  decisions: readonly { clusters: readonly string[]; objects: number }[];
  /** The present error, with the object and the cluster where it shows. */
  error?: string | undefined;
  /** CamelCase code of the error: InvalidPatch, ProtectedField, UnknownCluster, NoClusterFits… Default: NotApplied. */
  reason?: string | undefined;
  /** Fields of the policy that this version does not enforce. */
  notes?: readonly string[] | undefined;
}

/**
 * The status of a policy: whether the policy is in force, for how many objects, and on which clusters they run. `lastError` is the
 * present error; it disappears with its cause. Returns `input.previous` itself when nothing would change. `now` is epoch
 * milliseconds.
 */
export function policyStatus(input: PolicyStatusInput, now: number): PolicyStatus {
  const { generation, previous, matched, error } = input;
  const status: PolicyStatus = {
    observedGeneration: generation,
    conditions: conditionsOf([readyOf(input)], previous?.conditions, generation, now),
    matchedObjects: matched,
    ...decisionsOf(input.decisions),
    ...(error === undefined ? {} : { lastError: shortMessage(error, 1024) }),
  };
  return previous !== undefined && sameValue(ownPartsOf(previous), status) ? previous : status;
}

function readyOf({ matched, error, reason = "NotApplied", notes = [] }: PolicyStatusInput): Statement {
  const type = "Ready";
  if (error !== undefined) return { type, status: "False", reason, message: error };
  if (matched === 0)
    return { type, status: "True", reason: "NoObjectMatches", message: "no object matches the resourceSelectors" };
  if (notes.length > 0) return { type, status: "True", reason: "PartlyEnforced", message: notes.join("; ") };
  return { type, status: "True", reason: "Applied", message: matched === 1 ? "1 object" : `${matched} objects` };
}

function decisionsOf(decisions: PolicyStatusInput["decisions"]): Pick<PolicyStatus, "decisions"> {
  if (decisions.length === 0) return {};
  const sorted = decisions
    .map(({ clusters, objects }) => ({ clusters: [...clusters], objects }))
    .toSorted((a, b) => b.objects - a.objects || (a.clusters.join() < b.clusters.join() ? -1 : 1));
  return { decisions: sorted.slice(0, MAX_DECISIONS) };
}

function ownPartsOf(stored: PolicyStatus): Record<string, unknown> {
  return {
    observedGeneration: stored.observedGeneration,
    conditions: stored.conditions?.filter((condition) => condition.type === "Ready"),
    matchedObjects: stored.matchedObjects,
    decisions: stored.decisions?.length === 0 ? undefined : stored.decisions,
    lastError: stored.lastError,
  };
}

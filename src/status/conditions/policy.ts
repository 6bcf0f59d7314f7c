import {
  conditionMessage,
  defined,
  fullMessage,
  type Message,
  type PolicyStatus,
  sameValue,
  unknownClusterWords,
} from "../../apis/index.ts";
import { conditionsOf, type Statement } from "./conditions.ts";

/** Keeps the status readable if a policy places thousands of objects in as many ways. */
const MAX_DECISIONS = 50;
const MAX_STOPPED = 10;
const LONGEST_ERROR = 1024;

export interface PolicyStatusInput {
  generation: number;
  previous?: PolicyStatus | undefined;
  matched: number;
  /** Number of objects by set of clusters on which the policy runs them. The 50 largest are kept. */
  decisions: readonly { clusters: readonly string[]; objects: number }[];
  error?: Message | undefined;
  /** CamelCase code of the error: InvalidPatch, ProtectedField, UnknownCluster, NoClusterFits… Default: NotApplied. */
  reason?: string | undefined;
  notes?: readonly Message[] | undefined;
  /** Fields of the policy that this version does not implement. */
  notCarriedOut?: readonly string[] | undefined;
  unplaceable?: readonly string[] | undefined;
  unserved?: readonly string[] | undefined;
  /** Selected kinds that the manager may not read on the hub, as `plural.group`. */
  ungranted?: readonly string[] | undefined;
  /** Selected objects that another policy places. */
  lost?: LostObjects | undefined;
  /** Only for an override policy: selected objects on whose clusters no rule applies. */
  withoutCluster?: number | undefined;
  /** Only for an override policy: selected objects that run on no cluster or are frozen. */
  waiting?: number | undefined;
  /** Only for an override policy: objects on which later policies replace all its changes, and one of these policies. */
  superseded?: LostObjects | undefined;
  /** Like `superseded`, but on some clusters only; `to` names the policy and the clusters. */
  partly?: LostObjects | undefined;
  /** Objects with a stopped rollout that holds its slot while others wait. */
  stoppedRollouts?: PolicyStatus["stoppedRollouts"];
  /** Only for an override policy: cluster names in its rules that do not exist. */
  unknownClusters?: readonly string[] | undefined;
}

export interface LostObjects {
  objects: number;
  /** `Kind name` of the policy that places the objects, or most of them. */
  to: string;
  /** Why that policy has precedence. */
  because?: string;
}

/**
 * Computes the status of a policy: its effect, the number of its objects, and their clusters. `lastError` is the
 * present error and disappears with its cause. Returns `input.previous` itself if nothing changes. `now` is in epoch
 * milliseconds.
 */
export function policyStatus(input: PolicyStatusInput, now: number): PolicyStatus {
  const { generation, previous, matched, error } = input;
  const status: PolicyStatus = {
    observedGeneration: generation,
    conditions: conditionsOf([{ type: "Ready", ...readyOf(input) }], previous?.conditions, generation, now),
    matchedObjects: matched,
    ...decisionsOf(input.decisions),
    ...(error === undefined ? {} : { lastError: conditionMessage(error, LONGEST_ERROR) }),
    ...stoppedOf(input.stoppedRollouts),
  };
  return previous !== undefined && sameValue(ownPartsOf(previous), status) ? previous : status;
}

type Said = Omit<Statement, "type">;

function readyOf(input: PolicyStatusInput): Said {
  const { error, reason = "NotApplied", unplaceable = [], unserved = [], notCarriedOut = [], ungranted = [] } = input;
  if (error !== undefined) return no(reason, error);
  if (unplaceable.length > 0)
    return no("KindNotPlaced", { what: "it cannot place objects of kind", where: unplaceable });
  if (unserved.length > 0) {
    const remedy = "correct it, or install its CRD";
    return no("KindNotServed", { what: "the hub does not serve", where: unserved, remedy });
  }
  if (notCarriedOut.length > 0)
    return no("NotCarriedOut", { what: "taken and not carried out by this version:", where: notCarriedOut });
  if (ungranted.length > 0) {
    const remedy = "add to rbac.kinds or install --kinds";
    return no("KindNotGranted", { lead: "on the hub: ", what: "no right to list", where: ungranted, remedy });
  }
  return input.matched === 0 ? unusedOf(input) : inForce(input);
}

const no = (reason: string, message: Message): Said => ({ status: "False", reason, message });
const yes = (reason: string, message: Message): Said => ({ status: "True", reason, message });

function unusedOf({ lost, withoutCluster = 0, waiting = 0, unknownClusters }: PolicyStatusInput): Said {
  if (lost !== undefined)
    return no("LostToOther", { what: `${lost.to} has ${theObjects(lost.objects)}`, ...defined({ why: lost.because }) });
  if (withoutCluster > 0) {
    const runs = withoutCluster === 1 ? "runs" : "run";
    const message = `no rule takes a cluster on which ${theObjects(withoutCluster)} ${runs}`;
    return no("NoClusterMatches", naming(unknownClusters, message));
  }
  if (waiting > 0) {
    const are = waiting === 1 ? "is" : "are";
    return yes("Applied", naming(unknownClusters, `${theObjects(waiting)} ${are} not written to any cluster now`));
  }
  return yes("NoObjectMatches", naming(unknownClusters, "no object matches the resourceSelectors"));
}

/** The message with the unknown clusters that the policy names. */
function naming(unknown: readonly string[] = [], message: string): Message {
  if (unknown.length === 0) return message;
  return { lead: `${message}; `, what: unknownClusterWords(unknown).trimEnd(), where: unknown };
}

function inForce(input: PolicyStatusInput): Said {
  const { matched, notes = [], lost, superseded, partly, unknownClusters } = input;
  if (superseded !== undefined && superseded.objects === matched) {
    return no("Superseded", `${superseded.to} applies later and sets all of it anew for ${theObjects(matched)}`);
  }
  if (notes.length > 0) return yes("PartlyEnforced", notesOf(notes));
  const others = lost === undefined ? "" : `; ${lost.to} has ${lost.objects} more that this policy selects`;
  const again = superseded === undefined ? "" : `; ${superseded.to} sets all of it anew for ${superseded.objects}`;
  const of = partly === undefined || partly.objects === matched ? "" : ` for ${partly.objects}`;
  const some = partly === undefined ? "" : `; ${partly.to}${of}`;
  return yes("Applied", naming(unknownClusters, `${objectsText(matched)}${others}${again}${some}`));
}

function notesOf(notes: readonly Message[]): Message {
  const [first = "", ...others] = notes;
  return others.length === 0 ? first : notes.map(fullMessage).join("; ");
}

function objectsText(objects: number): string {
  return objects === 1 ? "1 object" : `${objects} objects`;
}

function theObjects(objects: number): string {
  return objects === 1 ? "the object that this policy selects" : `the ${objects} objects that this policy selects`;
}

function decisionsOf(decisions: PolicyStatusInput["decisions"]): Pick<PolicyStatus, "decisions"> {
  if (decisions.length === 0) return {};
  const sorted = decisions
    .map(({ clusters, objects }) => ({ clusters: [...clusters], objects }))
    .toSorted((a, b) => b.objects - a.objects || (a.clusters.join() < b.clusters.join() ? -1 : 1));
  return { decisions: sorted.slice(0, MAX_DECISIONS) };
}

/** The first ones by name, so that the list is stable. */
function stoppedOf(stopped: PolicyStatus["stoppedRollouts"] = []): Pick<PolicyStatus, "stoppedRollouts"> {
  if (stopped.length === 0) return {};
  const key = ({ kind, namespace = "", name }: (typeof stopped)[number]): string => `${namespace}/${name}/${kind}`;
  return { stoppedRollouts: stopped.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, MAX_STOPPED) };
}

function ownPartsOf({ decisions, stoppedRollouts, ...stored }: PolicyStatus): Record<string, unknown> {
  return {
    observedGeneration: stored.observedGeneration,
    conditions: stored.conditions?.filter((condition) => condition.type === "Ready"),
    matchedObjects: stored.matchedObjects,
    lastError: stored.lastError,
    ...(decisions?.length === 0 ? {} : { decisions }),
    ...(stoppedRollouts?.length === 0 ? {} : { stoppedRollouts }),
  };
}

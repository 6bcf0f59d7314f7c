import {
  firstFitting,
  listedAfter,
  type PolicyStatus,
  sameValue,
  shortMessage,
  unknownClusterWords,
} from "../../apis/index.ts";
import { conditionsOf, type Statement } from "./conditions.ts";

/** Keeps the status readable when a policy places thousands of objects in as many ways. */
const MAX_DECISIONS = 50;
const MAX_STOPPED = 10;

export interface PolicyStatusInput {
  generation: number;
  previous?: PolicyStatus | undefined;
  /** How many objects the policy applies to. */
  matched: number;
  /** For each set of clusters, how many objects run there because of the policy. At most 50 are kept, the largest. */
  decisions: readonly { clusters: readonly string[]; objects: number }[];
  /** The present error, with the object and the cluster where it shows. */
  error?: string | undefined;
  /** The same in fewer words, the fullest first. */
  shorterError?: readonly string[] | undefined;
  /** CamelCase code of the error: InvalidPatch, ProtectedField, UnknownCluster, NoClusterFits… Default: NotApplied. */
  reason?: string | undefined;
  /** What the policy asks for and the objects or the clusters have no room for. */
  notes?: readonly string[] | undefined;
  /** Fields of the policy that this version does not carry out. */
  notCarriedOut?: readonly string[] | undefined;
  /** Kinds that the policy selects and whose objects it cannot place. */
  unplaceable?: readonly string[] | undefined;
  /** Kinds that the policy selects and that the hub does not serve. */
  unserved?: readonly string[] | undefined;
  /** Kinds that the policy selects and that the manager may not read on the hub, as `plural.group`. */
  ungranted?: readonly string[] | undefined;
  /** Objects that the policy selects too, and that another one has. */
  lost?: LostObjects | undefined;
  /** Of an override: objects that it selects, on whose clusters none of its rules applies. */
  withoutCluster?: number | undefined;
  /** Of an override: objects that it selects and that run nowhere, or are left as they are. */
  waiting?: number | undefined;
  /** Of an override: objects on which later policies set everything that it sets, and one of these policies. */
  superseded?: LostObjects | undefined;
  /** Of an override: objects on which later policies do so on some clusters; `to` says which one, and where. */
  partly?: LostObjects | undefined;
  /** Objects whose rollout has stopped and keeps its place while others wait. */
  stoppedRollouts?: PolicyStatus["stoppedRollouts"];
  /** Of an override: names of clusters in its rules that no cluster has. */
  unknownClusters?: readonly string[] | undefined;
}

export interface LostObjects {
  objects: number;
  /** `Kind name` of the policy that has the objects, or the most of them. */
  to: string;
  /** Why that one goes first. */
  because?: string;
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
    conditions: conditionsOf([{ type: "Ready", ...readyOf(input) }], previous?.conditions, generation, now),
    matchedObjects: matched,
    ...decisionsOf(input.decisions),
    ...(error === undefined ? {} : { lastError: shortMessage(error, 1024) }),
    ...stoppedOf(input.stoppedRollouts),
  };
  return previous !== undefined && sameValue(ownPartsOf(previous), status) ? previous : status;
}

type Said = Omit<Statement, "type">;

function readyOf(input: PolicyStatusInput): Said {
  const {
    error,
    shorterError = [],
    reason = "NotApplied",
    unplaceable = [],
    unserved = [],
    notCarriedOut = [],
  } = input;
  if (error !== undefined) return { status: "False", reason, message: firstFitting([error, ...shorterError]) };
  if (unplaceable.length > 0) {
    const message = listedAfter("it cannot place objects of kind ", unplaceable);
    return { status: "False", reason: "KindNotPlaced", message };
  }
  if (unserved.length > 0) {
    const message = listedAfter("correct it, or install its CRD: the hub does not serve ", unserved);
    return { status: "False", reason: "KindNotServed", message };
  }
  if (notCarriedOut.length > 0) {
    const message = listedAfter("taken and not carried out by this version: ", notCarriedOut);
    return { status: "False", reason: "NotCarriedOut", message };
  }
  return ungrantedOf(input) ?? (input.matched === 0 ? unusedOf(input) : inForce(input));
}

function ungrantedOf({ ungranted: [first, ...others] = [] }: PolicyStatusInput): Said | undefined {
  if (first === undefined) return undefined;
  const names = others.length === 0 ? first : `${first} and ${others.length} more`;
  const asked = [first, ...others].join(",");
  const message = firstFitting([
    `the manager may not list ${names} on the hub: add it to rbac.kinds (Helm), or run \`meridian install --kinds ${asked}\``,
    `no right to list ${names}: rbac.kinds (Helm), or \`meridian install --kinds ${asked}\``,
    `no right on the hub to list ${names}: add it to rbac.kinds or to install --kinds`,
    `grant it on the hub by rbac.kinds or install --kinds: ${first}`,
  ]);
  return { status: "False", reason: "KindNotGranted", message };
}

/** Why the policy applies to nothing. */
function unusedOf({ lost, withoutCluster = 0, waiting = 0, unknownClusters }: PolicyStatusInput): Said {
  if (lost !== undefined) {
    const why = lost.because === undefined ? "" : `: ${lost.because}`;
    return { status: "False", reason: "LostToOther", message: `${lost.to} has ${theObjects(lost.objects)}${why}` };
  }
  if (withoutCluster > 0) {
    const message = `no rule takes a cluster on which ${theObjects(withoutCluster)} ${withoutCluster === 1 ? "runs" : "run"}`;
    const short = `no rule takes a cluster of ${withoutCluster === 1 ? "its object" : "its objects"}`;
    return { status: "False", reason: "NoClusterMatches", message: naming(unknownClusters, message, short) };
  }
  if (waiting > 0) {
    const are = waiting === 1 ? "is" : "are";
    return {
      status: "True",
      reason: "Applied",
      message: naming(
        unknownClusters,
        `${theObjects(waiting)} ${are} not written to any cluster now`,
        "not written now",
      ),
    };
  }
  const message = naming(unknownClusters, "no object matches the resourceSelectors");
  return { status: "True", reason: "NoObjectMatches", message };
}

/** The message with the clusters that the policy names in vain. The short one gives way to a long name. */
function naming(unknown: readonly string[] = [], message: string, short = message): string {
  const [first] = unknown;
  if (first === undefined) return message;
  const words = `; ${unknownClusterWords(unknown)}`;
  const counted = unknown.length === 1 ? first : `${first} and ${unknown.length - 1} more`;
  return firstFitting([
    `${message}${words}${unknown.join(", ")}`,
    `${message}${words}${counted}`,
    listedAfter(`${short}${words}`, unknown),
  ]);
}

function inForce(input: PolicyStatusInput): Said {
  const { matched, notes = [], lost, superseded, partly, unknownClusters } = input;
  if (superseded !== undefined && superseded.objects === matched) {
    const anew = `${superseded.to} applies later and sets all of it anew`;
    const message = firstFitting([`${anew} for ${theObjects(matched)}`, anew]);
    return { status: "False", reason: "Superseded", message };
  }
  if (notes.length > 0) return { status: "True", reason: "PartlyEnforced", message: notes.join("; ") };
  const others = lost === undefined ? "" : `; ${lost.to} has ${lost.objects} more that this policy selects`;
  const again = superseded === undefined ? "" : `; ${superseded.to} sets all of it anew for ${superseded.objects}`;
  const of = partly === undefined || partly.objects === matched ? "" : ` for ${partly.objects}`;
  const some = partly === undefined ? "" : `; ${partly.to}${of}`;
  const message = naming(unknownClusters, `${objectsText(matched)}${others}${again}${some}`, objectsText(matched));
  return { status: "True", reason: "Applied", message };
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

/** The first by their names, so that the same ones stay listed. */
function stoppedOf(stopped: PolicyStatus["stoppedRollouts"] = []): Pick<PolicyStatus, "stoppedRollouts"> {
  if (stopped.length === 0) return {};
  const key = ({ kind, namespace = "", name }: (typeof stopped)[number]): string => `${namespace}/${name}/${kind}`;
  return { stoppedRollouts: stopped.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)).slice(0, MAX_STOPPED) };
}

function ownPartsOf(stored: PolicyStatus): Record<string, unknown> {
  return {
    observedGeneration: stored.observedGeneration,
    conditions: stored.conditions?.filter((condition) => condition.type === "Ready"),
    matchedObjects: stored.matchedObjects,
    decisions: stored.decisions?.length === 0 ? undefined : stored.decisions,
    lastError: stored.lastError,
    stoppedRollouts: stored.stoppedRollouts?.length === 0 ? undefined : stored.stoppedRollouts,
  };
}

import type {
  Contact,
  End,
  FederatedStatus,
  MemberAddress,
  MemberCondition,
  ObjectRef,
  RolloutStatus,
} from "../apis/index.ts";
import type { Failure, Target, Why } from "../desiredstate/types.ts";
import type { Health } from "../interpreter/types.ts";

/** What is known of one member object: of one that is wanted, or of one that is to go. */
export interface RowView {
  ref: ObjectRef;
  role: "rendered" | "dependency";
  /** Undefined when the member object is to go. */
  desiredHash?: string;
  /** Undefined when no member object was seen; empty when it has no hash annotation. */
  observedHash?: string;
  /** Not seen, and not all of its kind is known there: it may be there all the same. */
  isUnseen?: true;
  /** It was seen, and the member does not serve its kind any more: nothing new of it is heard. */
  outOfSight?: Why;
  /** The member object has the desired hash, and all desired fields are still Meridian's. */
  inSync: boolean;
  health?: Health;
  conditions?: readonly MemberCondition[];
  addresses?: readonly MemberAddress[];
  /** Of its containers, as it stands there. */
  images?: readonly string[];
  /** Of the member object as it stands there, where the placement asks for the sum of all. */
  status?: Readonly<Record<string, unknown>>;
  isStatusOld?: true;
  /** Of a member object that is being deleted: what holds it; empty where no finalizer does. */
  finalizers?: readonly string[];
  /** The work that is asked for has come to its end there, whether or not anything is left of the object. */
  ended?: { run: string; end: End };
  /** Why a member object that is to go stays for now, where that may take long. */
  stays?: { reason: string; message: string };
  /** Why the object's policy leaves a dependency as it is, which another object would have changed. */
  kept?: Why;
  /** Why the last write failed; cleared by a write that succeeds. `final`: no retry before something changes. */
  failure?: Failure;
}

export interface ClusterView {
  name: string;
  region?: string;
  contact: Contact;
  /** Epoch milliseconds: the rows are of then, since contact was lost for a moment that is not worth a word. */
  lastContact?: number;
  rows: RowView[];
  /**
   * The hub's record names the cluster, and nobody has seen yet that nothing of the object is left there: then the status goes on to name
   * the cluster, though no target and no row do.
   */
  mayRemain?: boolean;
  /** Why nobody can see, or take away, what may be left there, where a person has to change that. */
  stays?: Why;
}

export interface StatusInput {
  generation: number;
  /** Class of controllers that owns the object. */
  ownerClass: string;
  /** Class of controllers that the object names: the one that is to own it. */
  namedClass: string;
  /** The object is being deleted. */
  deleting: boolean;
  /** RFC 3339 time of the deletion. */
  deletedAt?: string | undefined;
  /** The finalizers of others that the object has on the hub. */
  heldBy?: readonly string[];
  /** Whether the deletion has taken longer on that cluster than deletions take. */
  isOverdue?: (cluster: string) => boolean;
  previous: FederatedStatus | undefined;
  /** Undefined while the object has not been planned. */
  target: Target | undefined;
  /** Why the object as it is now could not be planned; `target` is then what was planned before, if anything was. */
  failure?: Why | undefined;
  /** What admission would have said of the object as it is now: why it would have refused it. Undefined where admission judges none of its kind. */
  validated?: { refusal: Why | undefined } | undefined;
  /** What came of the sum of the members' statuses; undefined where none is asked for. */
  sum?: { refusal: Why | undefined } | undefined;
  /** Undefined where the policy rolls nothing out in stages. */
  rollout?: RolloutStatus | undefined;
  podSelector: string | undefined;
  /** The object holds manifests: what an entry says of one of them names it. */
  isBundle?: boolean;
  /** Kinds of which something of it may be on clusters, where nothing else says it: as {@link recordedKindText}, in alphabetical order. */
  kinds?: readonly string[] | undefined;
  /** One for every cluster of the target and for every other cluster on which something of this owner is, or may be. */
  clusters: ClusterView[];
}

/** `Before`: the object serves as was asked for before, and nobody can say yet whether it does as is asked for now. */
export type Availability = "Yes" | "Before" | "No";

export type Activity = "Applying" | "RollingOut" | "Removing";

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

/** Facts about one member object, wanted or to be removed. */
export interface RowView {
  ref: ObjectRef;
  role: "rendered" | "dependency";
  /** Undefined if the member object should be removed. */
  desiredHash?: string;
  /** Undefined if the member object was not seen; empty if it has no hash annotation. */
  observedHash?: string;
  /** The member object was not seen, but may exist: its kind is not fully observed on the cluster. */
  isUnobserved?: true;
  /** Set if the member object was seen, but the member no longer serves its kind: there is no further news of the object. */
  outOfSight?: Why;
  /** The member object has the desired hash, and all desired fields are still Meridian's. */
  inSync: boolean;
  health?: Health;
  conditions?: readonly MemberCondition[];
  addresses?: readonly MemberAddress[];
  images?: readonly string[];
  /** Full status of the member object, if the placement asks for the sum of all. */
  status?: Readonly<Record<string, unknown>>;
  isStatusOld?: true;
  /** Only while the member object is being deleted: the finalizers that hold it; empty if there are none. */
  finalizers?: readonly string[];
  /** The requested run has finished on this cluster, whether or not the object still exists. */
  ended?: { run: string; end: End };
  /** Why an unwanted member object stays for now, if that may take long. */
  stays?: Why;
  /** Why the policy keeps a dependency unchanged although another object would change it. */
  kept?: Why;
  /** Why the last write failed; cleared by a write that succeeds. `final`: no retry before something changes. */
  failure?: Failure;
}

export interface ClusterView {
  name: string;
  region?: string;
  contact: Contact;
  /** Epoch milliseconds of the rows. Set if contact was lost only for a short moment, which is not reported. */
  lastContact?: number;
  rows: RowView[];
  /** Copies may remain, since their absence is not confirmed: the status keeps naming the cluster. */
  mayRemain?: boolean;
  /** Why possible copies on the cluster cannot be seen or removed, if a person must act. */
  stays?: Why;
}

export interface StatusInput {
  generation: number;
  ownerClass: string;
  /** Controller class that the object names, and that should own it. */
  namedClass: string;
  deleting: boolean;
  deletedAt?: string | undefined;
  heldBy?: readonly string[];
  isOverdue?: (cluster: string) => boolean;
  previous: FederatedStatus | undefined;
  target: Target | undefined;
  /** Why the present object could not be planned. `target` is then the previous plan, if any. */
  failure?: Why | undefined;
  /** Result of the admission checks; undefined if admission does not check the kind. */
  validated?: { refusal: Why | undefined } | undefined;
  /** Result of summing up the member statuses; undefined if no sum is requested. */
  sum?: { refusal: Why | undefined } | undefined;
  rollout?: RolloutStatus | undefined;
  podSelector: string | undefined;
  /** The object holds manifests, so messages name the manifest. */
  isBundle?: boolean;
  /** Kinds of possible copies on clusters, if nothing else records them; format of {@link recordedKindText}, sorted. */
  kinds?: readonly string[] | undefined;
  /** One view for each cluster of the target, and for each other cluster with certain or possible copies. */
  clusters: ClusterView[];
}

/** `Before`: the object serves in its previous form; whether the present form serves is unknown. */
export type Availability = "Yes" | "Before" | "No";

export type Activity = "Applying" | "RollingOut" | "Removing";

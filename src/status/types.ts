import type { Contact, FederatedStatus, ObjectRef } from "../apis/index.ts";
import type { Target } from "../desiredstate/types.ts";
import type { Health } from "../interpreter/types.ts";

export type { Contact };

/** What is known of one desired or lingering member object. */
export interface RowView {
  ref: ObjectRef;
  role: "rendered" | "dependency";
  /** Undefined when the object is to go. */
  desiredHash?: string;
  /** Undefined when it has not been seen there; empty when it is there without a hash. */
  observedHash?: string;
  /** Desired hash seen and all fields still ours. */
  inSync: boolean;
  health?: Health;
  /** The last attempt that did not succeed; cleared by success. `final` is not retried until something changes. */
  failure?: { reason: string; message: string; final: boolean };
}

export interface ClusterView {
  name: string;
  region?: string;
  contact: Contact;
  rows: RowView[];
}

export interface StatusInput {
  generation: number;
  /** Class of the managers that carry the object, and the one that it names; the default class when absent. */
  carrier?: string;
  wanted?: string;
  /** The object is being deleted. */
  deleting: boolean;
  previous: FederatedStatus | undefined;
  plan: Target | undefined;
  podSelector: string | undefined;
  /** One for every cluster of the plan and for every other cluster where objects of this owner linger. */
  clusters: ClusterView[];
}

import type { FederatedObjectRow, ObjectIdentity, WaitRow } from "../types.ts";
import type { Tallied } from "./cells.ts";
import type { Pair } from "./pairs.ts";

/** What the feed says of one object on one cluster. Times are epoch milliseconds. */
export interface PlacedFacts {
  cluster: string;
  region?: string;
  state: string;
  reason?: string;
  message?: string;
  ready: number;
  desired: number;
  since?: number;
  /** Undefined: current. */
  observedAt?: number;
  stale: boolean;
  /** The message with names and numbers replaced. Set if the placed object is in trouble. */
  shape?: string;
}

/** What the feed says of one hub object. Times are epoch milliseconds. */
export interface ObjectFacts extends Omit<FederatedObjectRow, keyof ObjectIdentity | "since" | "waits" | "observedAt"> {
  identity: ObjectIdentity;
  since?: number;
  waits: readonly WaitRow[];
  observedAt?: number;
  /** The last change of the generation that was seen. */
  changed?: { generation: number; at: number };
  /** Shape of the message of an object in trouble of which no copy is, such as an object that no policy places. */
  shape?: string;
  /** Sorted by cluster. */
  placed: readonly PlacedFacts[];
}

/** A placed object in the table. Never changed, but for its place in the index. */
export interface PlacedValue extends Tallied {
  readonly entry: Entry;
  readonly cluster: string;
  readonly region: string | undefined;
  readonly state: string;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly observedAt: number | undefined;
  readonly stale: boolean;
  readonly shape: string | undefined;
}

/** A hub object in the table, with all that is placed of it. Never changed, but for its place in the index. */
export interface ObjectValue extends Tallied, Pick<ObjectFacts, Same> {
  readonly entry: Entry;
  readonly pair: Pair;
  readonly placed: readonly PlacedValue[];
}

type Same =
  | "identity"
  | "uid"
  | "generation"
  | "policy"
  | "state"
  | "reason"
  | "message"
  | "clusters"
  | "worst"
  | "change"
  | "waits"
  | "shape"
  | "observedAt"
  | "stale"
  | "labels"
  | "createdAt"
  | "changed";

/** Stands for a hub object as long as it exists. */
export interface Entry {
  readonly key: string;
  value: ObjectValue | undefined;
}

/** A cluster in the table. */
export interface ClusterValue {
  readonly name: string;
  readonly region?: string;
  readonly state: string;
  readonly reason?: string;
  readonly message?: string;
  /** Epoch milliseconds, as the other times. */
  readonly lastContact?: number;
  readonly kubernetesVersion?: string;
  readonly since?: number;
  readonly stale: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

export function objectKey({ group, kind, namespace = "", name }: ObjectIdentity): string {
  return `${group}/${kind}/${namespace}/${name}`;
}

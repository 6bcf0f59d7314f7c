import { sameValue } from "../../apis/index.ts";
import { compareText, type ObjectIdentity } from "../types.ts";
import { Cells } from "./cells.ts";
import { ChangeLog, type Change } from "./changeLog.ts";
import { type Chunks, Order } from "./order.ts";
import { type Pair, Pairs } from "./pairs.ts";
import { type TransitionBounds, type TransitionFacts, Transitions } from "./transitions.ts";
import {
  type ClusterValue,
  type Entry,
  objectKey,
  type ObjectFacts,
  type ObjectValue,
  type PlacedFacts,
  type PlacedValue,
} from "./values.ts";

export interface TableOptions {
  /** Epoch milliseconds. */
  now: () => number;
  logCapacity?: number;
  transitions?: TransitionBounds;
}

/** Changes that readers see together. */
export interface Commit {
  objects?: readonly ObjectFacts[];
  deleted?: readonly ObjectIdentity[];
  clusters?: readonly ClusterValue[];
  deletedClusters?: readonly string[];
  transitions?: readonly TransitionFacts[];
}

/** The rows of the fleet, as of the last commit. Rows are never changed, so that a snapshot stays as it is. */
export class Table {
  readonly objects = new Cells<ObjectValue>();
  /** Whatever the cluster: most questions name none, and cells of single clusters would be many. */
  readonly placed = new Cells<PlacedValue>();
  /** By cluster and region, whatever the policy. */
  readonly places = new Cells<PlacedValue>("place");
  readonly transitions: Transitions;
  readonly log: ChangeLog;
  readonly #now: () => number;
  readonly #pairs = new Pairs();
  readonly #order = new Order();
  readonly #entries = new Map<string, Entry>();
  readonly #clusters = new Map<string, ClusterValue>();
  readonly #strings = new Map<string, string>();
  readonly #listeners = new Set<() => void>();
  #version: number;

  constructor({ now, logCapacity, transitions }: TableOptions) {
    this.#now = now;
    this.#version = now();
    this.log = new ChangeLog(this.#version, logCapacity);
    this.transitions = new Transitions(transitions);
  }

  /** Called after each commit that changed anything. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  commit({ objects = [], deleted = [], clusters = [], deletedClusters = [], transitions = [] }: Commit): void {
    const start = this.log.end;
    const version = Math.max(this.#now(), this.#version + 1);
    const note = (change: Change): void => this.log.append({ ...change, version });
    for (const facts of objects) this.#set(facts, note);
    for (const identity of deleted) this.#delete(identity, note);
    for (const cluster of clusters) this.#setCluster(cluster, note);
    for (const name of deletedClusters) this.#setCluster({ name }, note);
    for (const facts of transitions) {
      const pair = facts.object === undefined ? undefined : this.#pairOf(facts.object);
      const transition = pair === undefined ? facts : { ...facts, pair };
      this.transitions.add(transition);
      note({ of: "transition", transition });
    }
    if (this.log.end === start) return;
    this.#version = version;
    for (const listener of this.#listeners) listener();
  }

  /**
   * The version of the present rows: a time in milliseconds, and greater for every commit. Time goes on without a
   * commit, so that versions do not tell how often rows change that the reader may not read.
   */
  get version(): number {
    this.#version = Math.max(this.#now(), this.#version);
    return this.#version;
  }

  object(identity: ObjectIdentity): ObjectValue | undefined {
    return this.#entries.get(objectKey(identity))?.value;
  }

  get size(): number {
    return this.#entries.size;
  }

  cluster(name: string): ClusterValue | undefined {
    return this.#clusters.get(name);
  }

  clusters(): Iterable<ClusterValue> {
    return this.#clusters.values();
  }

  pairs(): Iterable<Pair> {
    return this.#pairs.all();
  }

  snapshot(): Chunks {
    return this.#order.snapshot();
  }

  /** The pair of an object that may be gone. */
  #pairOf(identity: ObjectIdentity): Pair {
    const known = this.object(identity)?.pair;
    if (known !== undefined) return known;
    const pair = this.#pairs.take(identity);
    this.#pairs.release(pair);
    return pair;
  }

  #set(facts: ObjectFacts, note: (change: Change) => void): void {
    const key = objectKey(facts.identity);
    let entry = this.#entries.get(key);
    const before = entry?.value;
    if (entry === undefined) this.#entries.set(key, (entry = { key, value: undefined }));
    const pair = before?.pair ?? this.#pairs.take(facts.identity);
    const keeps = before !== undefined && before.policy === facts.policy;
    const placed = this.#placedOf(entry, facts.placed, before);
    const after = valueOf(entry, pair, { ...facts, ...unchangedParts(before, facts) }, placed);
    if (before !== undefined) {
      if (before.placed === placed && sameObject(before, after)) return;
      this.objects.remove(before);
      const kept = new Set(keeps ? placed : []);
      for (const row of before.placed) if (!kept.has(row)) this.#unlist(row);
    }
    for (const row of placed) if (row.cell === undefined) this.#list(after, row);
    const { state, reason = "", policy = "", shape = "" } = after;
    this.objects.add(after, { pair, state, reason, policy, shape, cluster: "", region: "" });
    entry.value = after;
    this.#order.set(after);
    note({ of: "object", before, after });
  }

  #delete(identity: ObjectIdentity, note: (change: Change) => void): void {
    const key = objectKey(identity);
    const entry = this.#entries.get(key);
    const before = entry?.value;
    if (entry === undefined || before === undefined) return;
    this.#entries.delete(key);
    entry.value = undefined;
    this.objects.remove(before);
    for (const row of before.placed) this.#unlist(row);
    this.#order.delete(before.identity);
    this.#pairs.release(before.pair);
    note({ of: "object", before, after: undefined });
  }

  #list(object: ObjectValue, row: PlacedValue): void {
    const { state, reason = "", shape = "" } = row;
    const { pair, policy = "" } = object;
    this.placed.add(row, { pair, state, reason, policy, shape, cluster: "", region: "" });
    const { cluster, region = "" } = row;
    this.places.add(row, { pair, state, reason, policy: "", shape, cluster, region });
  }

  #unlist(row: PlacedValue): void {
    this.placed.remove(row);
    this.places.remove(row);
  }

  #setCluster(after: ClusterValue | { name: string }, note: (change: Change) => void): void {
    const before = this.#clusters.get(after.name);
    const value = "state" in after ? after : undefined;
    if (sameValue(before, value)) return;
    if (value === undefined) this.#clusters.delete(after.name);
    else this.#clusters.set(after.name, value);
    note({ of: "cluster", name: after.name, before, after: value });
  }

  /** The rows of the object; each that did not change is the same value, and so is the list. */
  #placedOf(entry: Entry, facts: readonly PlacedFacts[], before: ObjectValue | undefined): readonly PlacedValue[] {
    const known = before?.placed ?? [];
    let at = 0;
    let isSame = known.length === facts.length;
    const placed = facts.map((fact): PlacedValue => {
      while (at < known.length && compareText((known[at] as PlacedValue).cluster, fact.cluster) < 0) at++;
      const old = known[at];
      if (old !== undefined && samePlaced(old, fact)) return old;
      isSame = false;
      return this.#placedValue(entry, fact);
    });
    return isSame && before !== undefined ? known : placed;
  }

  #placedValue(entry: Entry, fact: PlacedFacts): PlacedValue {
    return {
      entry,
      cluster: this.#interned(fact.cluster),
      region: this.#interned(fact.region),
      state: this.#interned(fact.state),
      reason: this.#interned(fact.reason),
      message: this.#interned(fact.message),
      ready: fact.ready,
      desired: fact.desired,
      since: fact.since,
      observedAt: fact.observedAt,
      stale: fact.stale,
      shape: this.#interned(fact.shape),
      cell: undefined,
      at: 0,
      placeCell: undefined,
      placeAt: 0,
    };
  }

  /** Equal texts share one string: a reason or a message often stands in thousands of rows. */
  #interned<S extends string | undefined>(text: S): S {
    if (text === undefined) return text;
    const known = this.#strings.get(text);
    if (known !== undefined) return known as S;
    // The table of strings is only for sharing, so that it may begin anew at any time.
    if (this.#strings.size >= MOST_STRINGS) this.#strings.clear();
    this.#strings.set(text, text);
    return text;
  }
}

const MOST_STRINGS = 65_536;

const UNLISTED = { cell: undefined, at: 0, placeCell: undefined, placeAt: 0 };

function valueOf(entry: Entry, pair: Pair, facts: ObjectFacts, placed: readonly PlacedValue[]): ObjectValue {
  return { ...facts, since: facts.since, entry, pair, placed, ...UNLISTED };
}

/** Parts that did not change keep their identity, so that readers of changes compare no contents. */
function unchangedParts(before: ObjectValue | undefined, facts: ObjectFacts): Partial<ObjectFacts> {
  if (before === undefined) return {};
  return {
    ...(sameValue(before.labels, facts.labels) ? { labels: before.labels } : {}),
    ...(sameValue(before.waits, facts.waits) ? { waits: before.waits } : {}),
    identity: before.identity,
  };
}

const PLACED_FIELDS = [
  "cluster",
  "region",
  "state",
  "reason",
  "message",
  "ready",
  "desired",
  "since",
  "observedAt",
  "stale",
  "shape",
] as const;

function samePlaced(row: PlacedValue, fact: PlacedFacts): boolean {
  return PLACED_FIELDS.every((field) => row[field] === fact[field]);
}

const OBJECT_FIELDS = [
  "uid",
  "generation",
  "policy",
  "state",
  "reason",
  "message",
  "ready",
  "desired",
  "since",
  "observedAt",
  "stale",
  "createdAt",
  "shape",
] as const;
const OBJECT_PARTS = ["clusters", "worst", "change", "waits", "labels", "changed"] as const;

function sameObject(a: ObjectValue, b: ObjectValue): boolean {
  return (
    OBJECT_FIELDS.every((field) => a[field] === b[field]) && OBJECT_PARTS.every((part) => sameValue(a[part], b[part]))
  );
}

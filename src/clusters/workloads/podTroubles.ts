import { defined, type KubeObject } from "../../apis/index.ts";
import { type PodTrouble, podTrouble } from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock, isForbidden, isMisbehaviour, listPages, type ObjectList, PODS } from "../../runtime/index.ts";
import { type MemberObject, type MemberObjects, type ObservedObject } from "../model/index.ts";
import type { MemberSession } from "../types.ts";

export interface PodTroublesOptions {
  session: MemberSession;
  objects: Pick<MemberObjects, "onChange" | "get" | "setTrouble">;
  clock: Clock;
  logger: Logger;
}

/** Most pods that start normally are ready by then. */
const FIRST_READ_MS = 3_000;
/** For a workload that stays unhealthy. */
const LONGEST_BETWEEN_MS = 60_000;
/** After a change of a workload without known trouble, mostly by pods that start normally. */
const CHANGED_READ_MS = 15_000;
/** Workloads that become due within this pause are read together. */
const BETWEEN_READS_MS = 200;
/** A read comes early by this fraction of its delay, with others of the same time slot. */
const EARLY = 1 / 4;
/** Cost of a read, as a delay of the next one beyond SPENT_AT_ONCE_MS: a member in a large rollout is read slowly. */
const READ_COSTS_MS = 5_000;
const POD_COSTS_MS = 100;
const SPENT_AT_ONCE_MS = 50_000;
/** Desired pods of the workloads in one request. */
const PODS_TOGETHER = 250;
/** Pods of a workload without a desired count. */
const USUAL_PODS = 10;
/** Characters of the selector values in one request: they are part of the URL, whose length proxies limit. */
const LONGEST_VALUES = 2_000;
/** After a forbidden read, whose permission may be granted later. */
const REFUSED_FOR_MS = 600_000;
/** Pods in one page when one workload is read alone, up to the first page with trouble. */
const PAGE = 20;
const PAGE_TOGETHER = 100;
const PAGES = 5;
/** Longest duration of one read; a hundred pods normally take a second. */
const LONGEST_MS = 60_000;
/** `key=value`, the form of nearly all selector requirements. */
const EQUALS = /^([^\s=,!]+)=([^\s=,!]*)$/;

interface Pending {
  uid: string;
  /** A new hash means new content, so the known trouble is outdated. */
  hash: string | undefined;
  reads: number;
  /** Unready replicas at the last change; undefined for kinds without replicas. */
  unready: number | undefined;
  /** Too many pods to be read together with other workloads. */
  alone: boolean;
  /** Monotonic milliseconds; undefined while the read waits for its turn or is under way. */
  dueAt: number | undefined;
  timer: Disposable | undefined;
}

type Label = readonly [key: string, value: string];
type Labels = readonly [first: Label, ...others: Label[]];

interface Turn {
  key: string;
  pending: Pending;
  observed: ObservedObject;
  /** Undefined: its pods must be read alone. */
  labels: Labels | undefined;
}

/**
 * Finds out why pods of an unhealthy workload do not run, during one session, for {@link MemberObjects.setTrouble}. Pods
 * are not watched: they do not carry our label, and a member has many. A hundred at most are read, one read at a time for
 * all due workloads of a namespace, and again with growing delays.
 */
export class PodTroubles {
  readonly #options: PodTroublesOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #due = new Set<string>();
  #reading = false;
  /** Pods in the current read so far. */
  #pods = 0;
  /** When all reads so far are paid for, in monotonic milliseconds. */
  #paidAt = Number.NEGATIVE_INFINITY;
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PodTroublesOptions) {
    this.#options = options;
    const subscription = options.objects.onChange((object) => this.#consider(object));
    const end = (): void => {
      subscription[Symbol.dispose]();
      for (const key of [...this.#pending.keys()]) this.#forget(key);
    };
    options.session.signal.addEventListener("abort", end, { once: true });
  }

  #consider(object: MemberObject): void {
    if (this.#options.session.signal.aborted) return;
    const { key, observed } = object;
    if (!isToAskAbout(observed)) {
      this.#forget(key);
      return;
    }
    const known = this.#pending.get(key);
    const unready = unreadyOf(observed);
    if (known === undefined || known.uid !== observed.uid || known.hash !== observed.hash) {
      this.#forget(key);
      const { uid, hash } = observed;
      const pending = { uid, hash, reads: 0, unready, alone: false, dueAt: undefined, timer: undefined };
      this.#pending.set(key, pending);
      this.#schedule(key, pending, FIRST_READ_MS);
      return;
    }
    const isBetter = unready !== undefined && known.unready !== undefined && unready < known.unready;
    known.unready = unready;
    if (isBetter && object.trouble === undefined) return;
    const { clock } = this.#options;
    // The known trouble may be outdated.
    const soon = object.trouble === undefined ? CHANGED_READ_MS : FIRST_READ_MS;
    if (known.dueAt !== undefined && known.dueAt - clock.monotonic() > soon) this.#schedule(key, known, soon);
  }

  #schedule(key: string, pending: Pending, ms: number): void {
    const { clock } = this.#options;
    pending.timer?.[Symbol.dispose]();
    pending.dueAt = clock.monotonic() + ms;
    pending.timer = clock.after(ms, () => {
      pending.dueAt = undefined;
      pending.timer = undefined;
      this.#due.add(key);
      if (!this.#reading) void this.#readAll();
    });
  }

  #forget(key: string): void {
    this.#pending.get(key)?.timer?.[Symbol.dispose]();
    this.#pending.delete(key);
    this.#due.delete(key);
  }

  async #readAll(): Promise<void> {
    const { session, clock } = this.#options;
    this.#reading = true;
    try {
      await clock.sleep(BETWEEN_READS_MS, session.signal);
      for (const first of this.#due) {
        const turns = this.#takeTurns(first);
        if (turns.length === 0) continue;
        this.#pods = 0;
        await this.#read(turns);
        await clock.sleep(this.#pauseMs(), session.signal);
      }
    } catch (error) {
      if (!session.signal.aborted) throw error;
    } finally {
      this.#reading = false;
    }
  }

  #pauseMs(): number {
    const now = this.#options.clock.monotonic();
    this.#paidAt = Math.max(this.#paidAt, now) + Math.max(READ_COSTS_MS, this.#pods * POD_COSTS_MS);
    return Math.max(BETWEEN_READS_MS, this.#paidAt - now - SPENT_AT_ONCE_MS);
  }

  /** Takes the workload, and others whose pods fit into the same request, out of the due ones. */
  #takeTurns(first: string): Turn[] {
    const turn = this.#turnOf(first);
    this.#due.delete(first);
    if (turn === undefined) return [];
    const turns = [turn];
    if (turn.labels === undefined) return turns;
    const [[label, { length }]] = turn.labels;
    let pods = podsOf(turn.observed);
    let characters = length;
    for (const workload of this.#due) {
      const other = this.#turnOf(workload);
      if (other === undefined || other.observed.ref.namespace !== turn.observed.ref.namespace) continue;
      if (other.labels?.[0][0] !== label) continue;
      pods += podsOf(other.observed);
      characters += other.labels[0][1].length;
      if (pods > PODS_TOGETHER || characters > LONGEST_VALUES) break;
      this.#due.delete(workload);
      turns.push(other);
    }
    return turns;
  }

  #turnOf(key: string): Turn | undefined {
    const pending = this.#pending.get(key);
    const observed = this.#options.objects.get(key)?.observed;
    if (pending === undefined || !isToAskAbout(observed)) return undefined;
    return { key, pending, observed, labels: pending.alone ? undefined : labelsOf(observed) };
  }

  async #read(turns: readonly Turn[]): Promise<void> {
    const { session, clock, logger } = this.#options;
    const again = new Set<string>();
    if (clock.monotonic() >= this.#refusedUntil) {
      try {
        for (const key of await this.#ask(turns)) again.add(key);
      } catch (err) {
        if (session.signal.aborted) return;
        if (isForbidden(err) || isMisbehaviour(err)) this.#refusedUntil = clock.monotonic() + REFUSED_FOR_MS;
        logger.debug(
          { cluster: session.cluster, err, objects: turns.map(({ key }) => key) },
          "the pods of a workload could not be read",
        );
      }
    }
    for (const { key, pending } of turns) {
      // The workload may have become healthy or been replaced meanwhile.
      if (this.#pending.get(key) !== pending) continue;
      if (again.has(key)) {
        pending.alone = true;
        this.#due.add(key);
        continue;
      }
      pending.reads += 1;
      this.#schedule(key, pending, this.#againInMs(pending));
    }
  }

  #againInMs({ reads }: Pending): number {
    const now = this.#options.clock.monotonic();
    const ms = Math.min(LONGEST_BETWEEN_MS, FIRST_READ_MS * 2 ** Math.min(reads, 8));
    const share = ms * EARLY;
    return Math.floor((now + ms) / share) * share - now;
  }

  /** Not of a workload that changed meanwhile. */
  #report({ key, observed }: Turn, trouble: PodTrouble | undefined): void {
    const { objects } = this.#options;
    const now = objects.get(key);
    if (now?.observed?.uid === observed.uid && now.observed.hash === observed.hash) objects.setTrouble(now, trouble);
  }

  /** Returns the keys of the workloads that must be read again, alone. */
  async #ask(turns: readonly Turn[]): Promise<string[]> {
    const [first] = turns;
    if (first === undefined) return [];
    const { observed, labels } = first;
    if (turns.length > 1 && labels !== undefined)
      return await this.#askTogether(turns, observed.ref.namespace, labels[0][0]);
    this.#report(first, await this.#troubleOf(observed));
    return [];
  }

  /** Reads page by page until a page shows trouble. */
  async #troubleOf({ ref, podSelector = "" }: ObservedObject): Promise<PodTrouble | undefined> {
    for await (const { items } of this.#pagesOf(ref.namespace, podSelector, PAGE)) {
      const trouble = podTrouble(ref, items);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  /** Workloads that share the first label's key. Returns those without trouble so far if pods were left unread. */
  async #askTogether(turns: readonly Turn[], namespace: string | undefined, key: string): Promise<string[]> {
    const left = new Map(turns.flatMap((turn) => (turn.labels === undefined ? [] : [[turn, turn.labels] as const])));
    const values = new Set([...left.values()].map(([[, value]]) => value));
    const selector = `${key} in (${[...values].join(",")})`;
    let isWhole = false;
    for await (const page of this.#pagesOf(namespace, selector, PAGE_TOGETHER)) {
      isWhole = page.continue === undefined;
      const byValue = Map.groupBy(page.items, ({ metadata }) => metadata.labels?.[key]);
      for (const [turn, labels] of left) {
        const selected = byValue.get(labels[0][1])?.filter((pod) => hasLabels(pod, labels));
        const trouble = podTrouble(turn.observed.ref, selected ?? []);
        if (trouble === undefined) continue;
        this.#report(turn, trouble);
        left.delete(turn);
      }
      if (left.size === 0) return [];
    }
    if (!isWhole) return [...left.keys()].map((turn) => turn.key);
    for (const turn of left.keys()) this.#report(turn, undefined);
    return [];
  }

  async *#pagesOf(namespace: string | undefined, labelSelector: string, limit: number): AsyncGenerator<ObjectList> {
    const { client, signal } = this.#options.session;
    const selection = { client, type: PODS, labelSelector, ...defined({ namespace }) };
    for await (const page of listPages(selection, { limit, longestMs: LONGEST_MS, mostPages: PAGES, signal })) {
      this.#pods += page.items.length;
      yield page;
    }
  }
}

/** Undefined when the selector has other requirements than `key=value`. */
function labelsOf({ podSelector = "" }: ObservedObject): Labels | undefined {
  const labels: Label[] = [];
  for (const part of podSelector.split(",")) {
    const [, key, value] = EQUALS.exec(part) ?? [];
    if (key === undefined || value === undefined) return undefined;
    labels.push([key, value]);
  }
  const [first, ...others] = labels;
  return first === undefined ? undefined : [first, ...others];
}

function hasLabels({ metadata }: KubeObject, labels: readonly Label[]): boolean {
  return labels.every(([key, value]) => metadata.labels?.[key] === value);
}

function podsOf({ health: { replicas } }: ObservedObject): number {
  return Math.max(1, replicas?.desired ?? USUAL_PODS);
}

function unreadyOf({ health: { replicas } }: ObservedObject): number | undefined {
  return replicas === undefined ? undefined : replicas.desired - replicas.ready;
}

/** The pods of the workload may show more than its status. A healthy workload has no `podSelector`. */
function isToAskAbout(observed: ObservedObject | undefined): observed is ObservedObject {
  return observed?.podSelector !== undefined && !observed.deleting;
}

import { defined, type KubeObject } from "../../apis/index.ts";
import { type PodTrouble, podTrouble } from "../../interpreter/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock, isForbidden, isMisbehaviour, listPages, type ObjectList, PODS } from "../../runtime/index.ts";
import { type MemberObject, type MemberObjects, type ObservedObject } from "../model/index.ts";
import type { MemberSession } from "../types.ts";

export interface PodTroublesOptions {
  session: MemberSession;
  objects: MemberObjects;
  clock: Clock;
  logger: Logger;
}

/** Pods that start as they should are ready by then, mostly. */
const FIRST_READ_MS = 3_000;
/** A workload that stays in trouble is asked about less and less often. */
const LONGEST_BETWEEN_MS = 60_000;
/** One of which nothing was found is asked about again so soon after a change: most changes are of pods that start as they should. */
const CHANGED_READ_MS = 15_000;
/** Before each read of one member, whatever it is about: so long, too, the workloads of which the turn comes at once wait for each other. */
const BETWEEN_READS_MS = 200;
/** A read comes up to such a share of its time early, with those of others whose time falls into the same share. */
const EARLY = 1 / 4;
/**
 * What a read costs: so long the next one waits, but for what may be spent at once. A member in the middle of something large, such as a rollout
 * of everything, is read slowly, so that the reads cost little beside the rollout.
 */
const READ_COSTS_MS = 5_000;
const POD_COSTS_MS = 100;
const SPENT_AT_ONCE_MS = 50_000;
/** Workloads are asked about by one request as long as they should have no more pods than this together. */
const PODS_TOGETHER = 250;
/** …where a workload does not say how many it should have. */
const USUAL_PODS = 10;
/** Characters of the values by which their pods are selected: the values stand in the request's address, which proxies bound. */
const LONGEST_VALUES = 2_000;
/** Whoever may not read pods now may be allowed to later. */
const REFUSED_FOR_MS = 600_000;
const PAGE = 20;
const PAGE_TOGETHER = 100;
const PAGES = 5;
/** A hundred pods take a second; nobody waits for the rest where they take a minute. */
const LONGEST_MS = 60_000;
/** What a selector asks of one label, in the form in which nearly all ask. */
const EQUALS = /^([^\s=,!]+)=([^\s=,!]*)$/;

interface Pending {
  uid: string;
  hash: string | undefined;
  reads: number;
  /** Replicas that were not ready when the workload changed last; undefined for kinds without replicas. */
  unready: number | undefined;
  /** Its pods were too many to be read together with those of others. */
  alone: boolean;
  /** Monotonic milliseconds; undefined while the read waits for its turn or is under way. */
  dueAt: number | undefined;
  timer: Disposable | undefined;
}

type Label = readonly [key: string, value: string];
/** At least one. */
type Labels = readonly [first: Label, ...others: Label[]];

/** A workload whose turn it is. */
interface Turn {
  key: string;
  pending: Pending;
  observed: ObservedObject;
  /** What selects its pods, where these may be read together with those of others. */
  labels: Labels | undefined;
}

/**
 * Finds out why pods of an unhealthy workload do not run, during one session. Pods are not watched: they do not carry our label, and a member has
 * many of them. So the pods of a workload are read, a hundred at most, when the workload has not been healthy for some seconds, and again, less
 * and less often, for as long as that lasts. One read of a member at a time; workloads of a namespace whose turn has come are read together, so that
 * a member on which nothing starts is asked a few times and not once for each workload.
 *
 * A member that does not let Meridian read pods is no trouble: then the workload's own status is all that is said.
 */
export class PodTroubles {
  readonly #options: PodTroublesOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #due = new Set<string>();
  #reading = false;
  /** That the read under way has brought so far. */
  #pods = 0;
  /** When all that was read is paid for, in monotonic milliseconds. */
  #paidAt = Number.NEGATIVE_INFINITY;
  #refusedUntil = Number.NEGATIVE_INFINITY;

  constructor(options: PodTroublesOptions) {
    this.#options = options;
    options.session.signal.addEventListener(
      "abort",
      () => {
        for (const key of [...this.#pending.keys()]) this.#forget(key);
      },
      { once: true },
    );
  }

  /** Considers a member object that has changed. Cheap when the object is healthy, or is no workload. */
  consider(object: MemberObject): void {
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
    // Pods that become ready bring no trouble.
    if (isBetter && object.trouble === undefined) return;
    const { clock } = this.#options;
    // Something happens there: what was found may not be so any more, or there may be something to find.
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
      // The end of the session is the only thing that interrupts the pause.
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

  /** Takes out of what is due that workload, and those whose pods can be asked for by the same request. */
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
      // The workload may be healthy by now, or another one.
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

  /** Unless the workload is another one by now. */
  #tell({ key, observed }: Turn, trouble: PodTrouble | undefined): void {
    const { objects } = this.#options;
    const now = objects.get(key);
    if (now?.observed?.uid === observed.uid && now.observed.hash === observed.hash) objects.tell(now, trouble);
  }

  /** Tells of each workload what its pods say. Answers the keys of those that have to be asked about again, alone. */
  async #ask(turns: readonly Turn[]): Promise<string[]> {
    const [first] = turns;
    if (first === undefined) return [];
    const { observed, labels } = first;
    if (turns.length > 1 && labels !== undefined)
      return await this.#askTogether(turns, observed.ref.namespace, labels[0][0]);
    this.#tell(first, await this.#troubleOf(observed));
    return [];
  }

  /** Reads page by page, until a page tells of trouble. */
  async #troubleOf({ ref, podSelector = "" }: ObservedObject): Promise<PodTrouble | undefined> {
    for await (const { items } of this.#pagesOf(ref.namespace, podSelector, PAGE)) {
      const trouble = podTrouble(ref, items);
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  }

  /**
   * Reads the pods of several workloads, and tells of each as soon as there is trouble. Answers the keys of those of which there is none as far as
   * was read, where there are more pods than that. `key`: of the first label, by which all of them are selected.
   */
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
        this.#tell(turn, trouble);
        left.delete(turn);
      }
      if (left.size === 0) return [];
    }
    if (!isWhole) return [...left.keys()].map((turn) => turn.key);
    for (const turn of left.keys()) this.#tell(turn, undefined);
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

/** The labels that select the pods of a workload; undefined where its selector asks for more than values of labels. */
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

/** How many pods the workload should have. */
function podsOf({ health: { replicas } }: ObservedObject): number {
  return Math.max(1, replicas?.desired ?? USUAL_PODS);
}

function unreadyOf({ health: { replicas } }: ObservedObject): number | undefined {
  return replicas === undefined ? undefined : replicas.desired - replicas.ready;
}

/** Whether the pods of a workload may say more than the workload does. */
function isToAskAbout(observed: ObservedObject | undefined): observed is ObservedObject {
  return observed?.podSelector !== undefined && !observed.deleting;
}

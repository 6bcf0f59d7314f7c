import { type Contact, type KubeObject, refKey } from "../../apis/index.ts";
import { type MemberSession, type OwnedPods, type PodOwner, readOwnedPods } from "../../clusters/index.ts";
import type { PlannerView } from "../../controllers/index.ts";
import { EVENTS, listPages, objectPath, PODS } from "../../runtime/index.ts";
import { objectKey } from "../table/index.ts";
import { compareText, type ObjectIdentity } from "../types.ts";
import { asReadError, MemberReadError } from "./failures.ts";
import { eventSummary, type EventSummary, podSummary, type PodSummary, uidOfEvent } from "./summaries.ts";

export type Session = Pick<MemberSession, "client" | "discovery" | "signal">;

export interface MemberTarget {
  object: ObjectIdentity;
  cluster: string;
}

export interface LogOptions {
  /** May be left out if there is one pod. */
  pod?: string;
  /** May be left out if the pod has one container, or names its default one. */
  container?: string;
  /** Undefined: no bound but the bytes of an answer. */
  tailLines?: number;
  sinceSeconds?: number;
  /** RFC 3339, in whole seconds. */
  sinceTime?: string;
  /** Each line begins with its time. */
  timestamps: boolean;
  follow: boolean;
  /** The log of the run before the last restart. */
  previous: boolean;
  /** The member may be silent for so long. */
  idleTimeoutMs: number;
}

export interface OpenLog {
  pod: string;
  container: string;
  /** To be read once, or to be ended with `return`. */
  bytes: AsyncGenerator<Uint8Array, void, undefined>;
}

export interface MemberSource {
  pods(target: MemberTarget, signal: AbortSignal): Promise<{ items: PodSummary[]; isWhole: boolean }>;
  /** Of the object, its pods, and all objects in between; the last ones first. */
  events(target: MemberTarget, signal: AbortSignal): Promise<{ items: EventSummary[]; isWhole: boolean }>;
  log(target: MemberTarget, options: LogOptions, signal: AbortSignal): Promise<OpenLog>;
}

export interface MemberReadsOptions {
  /** Undefined while the member is out of contact. */
  sessionOf: (cluster: string) => Session | undefined;
  contactOf: (cluster: string) => Contact;
  view: Pick<PlannerView, "assignments" | "observations">;
}

const PAGE = 500;
const PAGES = 4;
const LONGEST_MS = 10_000;
const MOST_EVENTS = 200;
const MOST_NAMED = 10;
const DEFAULT_CONTAINER = "kubectl.kubernetes.io/default-container";

/** Reads on members by their stored connections. */
export class MemberReads implements MemberSource {
  readonly #options: MemberReadsOptions;

  constructor(options: MemberReadsOptions) {
    this.#options = options;
  }

  async pods(target: MemberTarget, signal: AbortSignal): Promise<{ items: PodSummary[]; isWhole: boolean }> {
    return this.#read(target, "pods", signal, async (session, within) => {
      const { pods, isWhole } = await this.#podsOf(target, session, within);
      return { items: pods.map(podSummary), isWhole };
    });
  }

  async events(target: MemberTarget, signal: AbortSignal): Promise<{ items: EventSummary[]; isWhole: boolean }> {
    return this.#read(target, "events", signal, async (session, within) => {
      const { uids, isWhole } = await this.#podsOf(target, session, within);
      const namespaces = new Set(this.#ownersOf(target).map(({ ref }) => ref.namespace));
      const found: EventSummary[] = [];
      let areAll = isWhole;
      for (const namespace of namespaces) {
        if (namespace === undefined) continue;
        const selection = { client: session.client, type: EVENTS, namespace };
        const options = { limit: PAGE, mostPages: PAGES, longestMs: LONGEST_MS, signal: within };
        let next: string | undefined;
        for await (const page of listPages(selection, options)) {
          next = page.continue;
          found.push(...page.items.filter((event) => uids.has(uidOfEvent(event))).map(eventSummary));
        }
        areAll &&= (next ?? "") === "";
      }
      const latest = found.toSorted((a, b) => compareText(b.lastSeen ?? "", a.lastSeen ?? ""));
      return { items: latest.slice(0, MOST_EVENTS), isWhole: areAll && latest.length <= MOST_EVENTS };
    });
  }

  async log(target: MemberTarget, options: LogOptions, signal: AbortSignal): Promise<OpenLog> {
    const { cluster } = target;
    return this.#read(target, "pods", signal, async (session, within) => {
      const pod = podNamed(await this.#podsOf(target, session, within), options.pod, target);
      const container = containerOf(pod, options.container);
      const { name, namespace } = pod.metadata;
      const path = `${objectPath(PODS, namespace, name, "log")}?${logQuery(container, options).toString()}`;
      const bytes = session.client.stream(path, { signal: within, idleTimeoutMs: options.idleTimeoutMs });
      return { pod: name, container, bytes: withReadErrors(bytes, cluster) };
    });
  }

  async #read<T>(
    { cluster }: MemberTarget,
    what: string,
    signal: AbortSignal,
    read: (session: Session, within: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const session = this.#options.sessionOf(cluster);
    if (session === undefined) {
      const { reason = "ClusterUnreachable" } = this.#options.contactOf(cluster);
      throw new MemberReadError("Unreachable", `cluster ${cluster} is out of contact (${reason}); ask again later`);
    }
    try {
      return await read(session, AbortSignal.any([signal, session.signal]));
    } catch (error) {
      signal.throwIfAborted();
      throw asReadError(error, cluster, what);
    }
  }

  async #podsOf(target: MemberTarget, session: Session, signal: AbortSignal): Promise<OwnedPods> {
    return readOwnedPods(session, this.#ownersOf(target), signal);
  }

  /** The copies that the worker has seen, and that name the object as their owner. */
  #ownersOf({ object, cluster }: MemberTarget): PodOwner[] {
    const { assignments, observations } = this.#options.view;
    const owner = objectKey(object);
    const owners: PodOwner[] = [];
    for (const { cluster: place, key, ref, rows } of assignments.of(owner)) {
      if (place !== cluster || rows.get(owner)?.role !== "rendered") continue;
      const present = observations.get(cluster, key)?.present;
      if (present?.owner !== undefined && refKey(present.owner) === owner) owners.push({ ref, uid: present.uid });
    }
    return owners;
  }
}

function podNamed({ pods }: OwnedPods, name: string | undefined, { object, cluster }: MemberTarget): KubeObject {
  const whose = `${object.kind} ${object.name} on cluster ${cluster}`;
  const found = name === undefined ? (pods.length === 1 ? pods[0] : undefined) : pods.find(isNamed(name));
  if (found !== undefined) return found;
  if (pods.length === 0) throw new MemberReadError("NotFound", `${whose} has no pod`);
  const names = pods.slice(0, MOST_NAMED).map(({ metadata }) => metadata.name);
  const choice = `${names.join(", ")}${pods.length > names.length ? " and others" : ""}`;
  if (name === undefined)
    throw new MemberReadError("BadRequest", `${whose} has ${pods.length} pods; name one: ${choice}`);
  throw new MemberReadError("NotFound", `${whose} has no pod of that name; there are ${choice}`);
}

function isNamed(name: string): (pod: KubeObject) => boolean {
  return ({ metadata }) => metadata.name === name;
}

function containerOf(pod: KubeObject, name: string | undefined): string {
  const { containers } = podSummary(pod);
  const names = containers.map((one) => one.name);
  const main = containers.filter(({ isInit }) => isInit !== true);
  const usual = pod.metadata.annotations?.[DEFAULT_CONTAINER] ?? "";
  const chosen = name ?? (names.includes(usual) ? usual : main.length === 1 ? main[0]?.name : undefined);
  if (chosen !== undefined && names.includes(chosen)) return chosen;
  throw new MemberReadError("BadRequest", `name a container of pod ${pod.metadata.name}: ${names.join(", ")}`);
}

function logQuery(container: string, options: LogOptions): URLSearchParams {
  const { tailLines, sinceSeconds, sinceTime, timestamps, follow, previous } = options;
  return new URLSearchParams({
    container,
    ...(tailLines === undefined ? {} : { tailLines: String(tailLines) }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(timestamps ? { timestamps: "true" } : {}),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds: String(sinceSeconds) }),
    ...(follow ? { follow: "true" } : {}),
    ...(previous ? { previous: "true" } : {}),
  });
}

async function* withReadErrors(
  bytes: AsyncGenerator<Uint8Array, void, undefined>,
  cluster: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    yield* bytes;
  } catch (error) {
    throw asReadError(error, cluster, "pods/log");
  }
}

import {
  type KubeObject,
  MANAGED_BY_LABEL,
  type MemberCluster,
  type ObjectRef,
  parseApiVersion,
  refKey,
  refOf,
} from "../../../apis/index.ts";
import {
  copyIn,
  notInVersion,
  readLive,
  rehearse,
  type Rehearsed,
  rehearseRemoval,
  capacityNow,
} from "../../../clusters/index.ts";
import type { ApplyRow, DeleteRow, Observation } from "../../../desiredstate/index.ts";
import { DEPENDENCY_KINDS } from "../../../interpreter/index.ts";
import {
  apiVersionOf,
  type Client,
  Discovery,
  isApiError,
  isForbidden,
  KindNotServedError,
  knownType,
  type ResourceType,
  systemClock,
  listAll,
} from "../../../runtime/index.ts";
import type { CapacityReading } from "../../../scheduler/index.ts";
import { memberSecret, type Reached, reachMember } from "../../member/index.ts";
import { atOnce, describeAnswer } from "../../shared/index.ts";

const PATIENCE_MS = 10_000;

const NOT_REACHED: CapacityReading = { reason: "RoomUnknown", message: "the cluster is not reached from here" };

interface Session {
  reached: Reached;
  discovery: Discovery;
  /** Objects on the member, by {@link refKey}; undefined: there is no such object. */
  live: Map<string, KubeObject | undefined>;
  /** Keys of the dependencies that were read, by the UID of the hub object that owns them. */
  owned: Map<string, string[]>;
}

export interface MembersOptions {
  hub: Client;
  hubId: string;
  systemNamespace: string;
  signal: AbortSignal;
}

/**
 * What members have, and what they would make of a write, by the credentials that the hub stores. A member that cannot
 * be asked is named in `notes`; then the last state that the hub has heard counts.
 */
export class Members implements AsyncDisposable {
  /** Limits of the answer, one sentence each. */
  readonly notes = new Set<string>();
  readonly #options: MembersOptions;
  readonly #sessions = new Map<string, Session>();
  #mayRead = true;

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  async reach(clusters: readonly MemberCluster[]): Promise<void> {
    // The first connection shows if the person may read Secrets at all.
    const [first, ...rest] = clusters;
    if (first === undefined) return;
    await this.#open(first);
    if (this.#mayRead) await atOnce(rest, (cluster) => this.#open(cluster));
  }

  isReached(cluster: string): boolean {
    return this.#sessions.has(cluster);
  }

  async read(cluster: string, refs: readonly ObjectRef[]): Promise<void> {
    await this.#asking(cluster, async (session) => {
      const { live, reached } = session;
      const unknown = new Map(refs.map((ref) => [refKey(ref), ref]));
      for (const key of live.keys()) unknown.delete(key);
      await atOnce([...unknown], async ([key, ref]) => {
        const type = await this.#typeOn(session, ref);
        live.set(key, type === undefined ? undefined : await readLive(reached.client, type, ref, this.#options.signal));
      });
    });
  }

  /** Reads the dependencies in a namespace once. If a target was not carried out, no other source knows them. */
  async readDependencies(cluster: string, namespace: string): Promise<void> {
    const { hubId, signal } = this.#options;
    const labelSelector = `${MANAGED_BY_LABEL}=${hubId}`;
    await this.#asking(cluster, ({ live, owned, reached: { client } }) =>
      atOnce(DEPENDENCY_KINDS, async (kind) => {
        const selection = { client, type: knownType(kind), namespace, labelSelector };
        const listed = await listAll(selection, { signal }).catch(denied);
        for (const item of listed ?? []) {
          const found = { ...item, apiVersion: apiVersionOf(kind), kind: kind.kind };
          const key = refKey(refOf(found));
          live.set(key, found);
          const { uid } = copyIn(cluster, found)?.present?.owner ?? {};
          if (uid !== undefined) owned.set(uid, [...(owned.get(uid) ?? []), key]);
        }
      }),
    );
  }

  /** Gives the member up when it cannot be asked. */
  async #asking(cluster: string, ask: (session: Session) => Promise<unknown>): Promise<void> {
    const session = this.#sessions.get(cluster);
    if (session === undefined) return;
    try {
      await ask(session);
    } catch (error) {
      this.#options.signal.throwIfAborted();
      await this.#giveUp(cluster, error);
    }
  }

  copies(cluster: string, refs: readonly ObjectRef[], uid = ""): Observation[] {
    const { live, owned } = this.#sessions.get(cluster) ?? {};
    const keys = new Set([...refs.map((ref) => refKey(ref)), ...(owned?.get(uid) ?? [])]);
    return [...keys].flatMap((key) => {
      const found = live?.get(key);
      return found === undefined ? [] : (copyIn(cluster, found) ?? []);
    });
  }

  seen(): Observation[] {
    return [...this.#sessions].flatMap(([cluster, { live }]) =>
      [...live.values()].flatMap((found) => (found === undefined ? [] : (copyIn(cluster, found) ?? []))),
    );
  }

  /** Free capacity on the nodes of these clusters, if they were reached. */
  async capacities(clusters: readonly MemberCluster[]): Promise<Map<string, CapacityReading>> {
    const capacities = new Map<string, CapacityReading>();
    await atOnce(clusters, async ({ metadata: { name: cluster }, spec: { namespaces } }) => {
      const session = this.#sessions.get(cluster);
      const { signal } = this.#options;
      capacities.set(
        cluster,
        session === undefined
          ? NOT_REACHED
          : await capacityNow({ cluster, client: session.reached.client, namespaces, signal }),
      );
    });
    return capacities;
  }

  /** Undefined if the member was not reached. */
  async rehearse(row: ApplyRow): Promise<Rehearsed | undefined> {
    const session = this.#sessions.get(row.cluster);
    if (session === undefined) return undefined;
    const { hubId, systemNamespace, signal } = this.#options;
    const type = await this.#typeOn(session, row.ref);
    if (type === undefined)
      return { kind: "Refused", reason: "KindNotServed", message: `the member does not serve ${row.ref.kind}` };
    if (type.version !== parseApiVersion(row.ref.apiVersion).version)
      return { kind: "Refused", reason: "KindNotServed", message: notInVersion(row.ref, type) };
    const { client } = session.reached;
    return await rehearse({ client, hubId, systemNamespace, signal }, type, row, session.live.get(refKey(row.ref)));
  }

  /** Undefined if the member would delete it, or was not reached. */
  async rehearseRemoval(row: DeleteRow): Promise<Rehearsed | undefined> {
    const session = this.#sessions.get(row.cluster);
    const type = session === undefined ? undefined : await this.#typeOn(session, row.ref);
    if (session === undefined || type === undefined) return undefined;
    return await rehearseRemoval({ client: session.reached.client, signal: this.#options.signal }, type, row);
  }

  async #open(cluster: MemberCluster): Promise<void> {
    const { hub, systemNamespace } = this.#options;
    const { name } = cluster.metadata;
    if (cluster.spec.connection.pull !== undefined) {
      this.notes.add(`${name} is reached by nobody from here: what is there is as the hub last heard of it.`);
      return;
    }
    const signal = AbortSignal.any([this.#options.signal, AbortSignal.timeout(PATIENCE_MS)]);
    try {
      const isLocal = cluster.spec.connection.local !== undefined;
      const secret = isLocal ? undefined : await memberSecret(name, cluster, systemNamespace, hub, signal);
      const reached = await reachMember(name, cluster, secret, {}, hub, signal);
      if (reached === undefined) {
        this.notes.add(`The hub has no credentials of ${name}: what is there is as the hub last heard of it.`);
        return;
      }
      const discovery = new Discovery(reached.client, systemClock);
      this.#sessions.set(name, { reached, discovery, live: new Map(), owned: new Map() });
    } catch (error) {
      this.#options.signal.throwIfAborted();
      if (isForbidden(error) && isAboutSecrets(error)) {
        this.#mayRead = false;
        this.notes.add(
          `You may not read the Secrets of members in namespace ${systemNamespace} of the hub: the members are not asked, what is there is as the hub last heard of it, and fields are compared with what the hub sends now.`,
        );
        return;
      }
      await this.#giveUp(name, error);
    }
  }

  async #giveUp(cluster: string, error: unknown): Promise<void> {
    const session = this.#sessions.get(cluster);
    this.#sessions.delete(cluster);
    await session?.reached[Symbol.asyncDispose]();
    this.notes.add(
      `${cluster} cannot be asked (${describeAnswer(error)}): what is there is as the hub last heard of it.`,
    );
  }

  /** In the version of the object, or else in the version that the member prefers. */
  async #typeOn({ discovery }: Session, { apiVersion, kind }: ObjectRef): Promise<ResourceType | undefined> {
    const { group, version } = parseApiVersion(apiVersion);
    try {
      await discovery.list();
      return discovery.resolveCached({ group, version, kind }) ?? (await discovery.resolve({ group, kind }));
    } catch (error) {
      if (error instanceof KindNotServedError) return undefined;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    await Promise.all(sessions.map(({ reached }) => reached[Symbol.asyncDispose]()));
  }
}

/** Undefined: the account may not list the objects. */
function denied(error: unknown): undefined {
  if (isForbidden(error)) return undefined;
  throw error;
}

function isAboutSecrets(error: unknown): boolean {
  return isApiError(error) && /secrets/.test(error.message);
}

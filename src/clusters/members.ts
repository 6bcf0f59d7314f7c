import { type ObjectRef, parseApiVersion } from "../apis/index.ts";
import { type LostField, shortMessage } from "../interpreter/index.ts";
import type { Logger, Metrics, Tracer } from "../observability/index.ts";
import {
  type Clock,
  CONFIGMAPS,
  DEPLOYMENTS,
  NAMESPACES,
  type ResourceType,
  SECRETS,
  SERVICES,
} from "../runtime/index.ts";
import type { Contact } from "../apis/index.ts";
import { NOT_YET_KNOWN } from "./connection.ts";
import { Lane } from "./lane.ts";
import { MemberLink } from "./memberLink.ts";
import type { NamespaceCustody } from "./namespaceJanitor.ts";
import type { DesiredStateTable, Entry } from "./table.ts";
import type { MemberSession, PoolListener } from "./types.ts";
import { WriteShares } from "./writeShares.ts";

/** What applications become, and so what is watched on a cluster. */
const RENDERED: readonly ResourceType[] = [DEPLOYMENTS, SERVICES];
/** And what they refer to: that is carried to members, but never to the hub, where it comes from. */
const CARRIED: readonly ResourceType[] = [...RENDERED, CONFIGMAPS, SECRETS];

export interface MembersOptions {
  table: DesiredStateTable;
  hubId: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  metrics: Metrics;
  tracer: Tracer;
  /** Whether everything on the hub that this deletion rests on is known, and the cluster's objects are not to be left alone. */
  deletesAllowed: (deletion: Deletion) => boolean;
  /** Whether a member object that no plan asks for is this manager's to remove. */
  mayRemove: (entry: Entry) => boolean;
  /** Which namespaces that Meridian made on members may go, as far as the hub knows. */
  namespaces: NamespaceCustody;
  /** A namespace that Meridian made stays on that member, since nobody can say what is in it. */
  namespaceKept: (cluster: string, namespace: string, why: string) => void;
  /** Hub objects whose status says that something of them is on that member. */
  reported: (cluster: string) => Iterable<string>;
  healed: (entry: Entry, drift: readonly LostField[]) => void;
  /** What is known of a cluster as a whole changed: contact, or whether its objects are all known. */
  clusterChanged: (cluster: string) => void;
}

/** What a deletion on a member would take away. */
export interface Deletion {
  cluster: string;
  /** Undefined for what is in no namespace. */
  namespace: string | undefined;
  /** The hub objects that it may belong to. */
  owners: Iterable<string>;
}

interface Member {
  lane: Lane;
  contact: Contact;
  link: MemberLink | undefined;
}

/** Without a reason: nobody has tried yet, which is no news about the cluster. */
const UNTRIED: Contact = { ok: false };
const UNKNOWN_CLUSTER: Contact = {
  ok: false,
  reason: "ClusterUnknown",
  message: "there is no MemberCluster of that name",
};

/** The members as the rest of Meridian sees them: for each one a lane, and while a session lasts its watches. */
export class Members implements PoolListener, AsyncDisposable {
  readonly #options: MembersOptions;
  readonly #members = new Map<string, Member>();
  readonly #shares = new WriteShares(() => this.#members.size);

  constructor(options: MembersOptions) {
    this.#options = options;
  }

  sessionStarted(session: MemberSession): void {
    const member = this.#member(session.cluster);
    const { table, hubId, clock, logger, random } = this.#options;
    const link = new MemberLink({
      session,
      table,
      hubId,
      clock,
      random,
      logger,
      kinds: session.local ? RENDERED : [...CARRIED, NAMESPACES],
      typeOf,
      deletesAllowed: (namespace) => this.#deletesAllowed({ cluster: session.cluster, namespace, owners: [] }),
      custody: this.#options.namespaces,
      reported: this.#options.reported,
      namespaceKept: (namespace, why) => this.#options.namespaceKept(session.cluster, namespace, why),
      synced: () => {
        member.lane.lookAtAll();
        this.#options.clusterChanged(session.cluster);
      },
      sightChanged: () => this.#options.clusterChanged(session.cluster),
      metrics: this.#options.metrics,
    });
    member.link = link;
    member.lane.attach(link.writer);
    session.signal.addEventListener(
      "abort",
      () => {
        if (member.link !== link) return;
        member.link = undefined;
        member.lane.detach();
      },
      { once: true },
    );
    link.start();
  }

  contactChanged(cluster: string, contact: Contact): void {
    const member = this.#member(cluster);
    member.contact = !contact.ok && contact.reason === NOT_YET_KNOWN ? UNTRIED : contact;
    if (contact.ok) member.link?.retryWatches();
    member.lane.setContact(contact.ok);
    if (contact.ok) member.link?.gateOpened();
    this.#options.clusterChanged(cluster);
  }

  clusterRemoved(cluster: string): void {
    const member = this.#members.get(cluster);
    this.#members.delete(cluster);
    if (member !== undefined) void member.lane[Symbol.asyncDispose]();
    this.#options.table.forgetCluster(cluster, this.#options.clock.monotonic());
    this.#options.metrics.forgetCluster(cluster);
    this.#options.clusterChanged(cluster);
  }

  /** Whether a cluster is heard of: it answers, and its watches bring what happens there. */
  contact(cluster: string): Contact {
    const member = this.#members.get(cluster);
    if (member === undefined) return UNKNOWN_CLUSTER;
    const blind = member.contact.ok ? member.link?.blindness : undefined;
    if (blind === undefined) return member.contact;
    return { ok: false, lastContact: blind.since, reason: "NotObserved", message: shortMessage(blind.message) };
  }

  /** Every object of ours on that member is known, and the member answers. */
  isSynced(cluster: string): boolean {
    const member = this.#members.get(cluster);
    return member?.link?.isSynced === true && this.contact(cluster).ok;
  }

  /** Neither reached nor given up yet, or reached but not looked through. */
  isUndetermined(cluster: string): boolean {
    const member = this.#members.get(cluster);
    if (member === undefined || member.contact === UNTRIED) return true;
    return member.contact.ok && member.link?.isSynced !== true && member.link?.hasFailed !== true;
  }

  /** Why objects of one kind are not known though the member answers; undefined when they are. */
  syncFailure(cluster: string, ref: ObjectRef): string | undefined {
    return this.#members.get(cluster)?.link?.syncFailure(ref);
  }

  entryChanged(entry: Entry): void {
    const member = this.#members.get(entry.cluster);
    if (member === undefined) return;
    member.lane.look(entry);
    if (entry.desired === undefined && entry.observed === undefined) member.link?.objectGone(entry.ref);
  }

  /** Sets how long ago each cluster was last heard of; a cluster in contact is current. For each scrape. */
  tellStaleness(): void {
    const { clock, metrics } = this.#options;
    for (const [name, { contact }] of this.#members) {
      if (contact.ok) metrics.setStatusStaleness(name, 0);
      else if (contact.lastContact !== undefined)
        metrics.setStatusStaleness(name, (clock.now() - contact.lastContact) / 1000);
    }
  }

  /** A gate opened: what was held may go on, in one namespace or in all. */
  lookAtAll(namespace?: string): void {
    for (const member of this.#members.values()) {
      member.lane.lookAtAll(namespace);
      member.link?.gateOpened();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#members.values()].map((member) => member.lane[Symbol.asyncDispose]()));
  }

  #deletesAllowed(deletion: Deletion): boolean {
    return this.isSynced(deletion.cluster) && this.#options.deletesAllowed(deletion);
  }

  #mayRemove(entry: Entry): boolean {
    const { cluster, ref, links } = entry;
    return this.#deletesAllowed({ cluster, namespace: ref.namespace, owners: links }) && this.#options.mayRemove(entry);
  }

  #member(cluster: string): Member {
    let member = this.#members.get(cluster);
    if (member === undefined) {
      member = { lane: this.#lane(cluster), contact: UNTRIED, link: undefined };
      this.#members.set(cluster, member);
    }
    return member;
  }

  #lane(cluster: string): Lane {
    const { table, clock, random, logger, metrics, tracer, healed } = this.#options;
    return new Lane({
      cluster,
      table,
      clock,
      random,
      metrics,
      tracer,
      healed,
      logger: logger.child({ cluster }),
      mayRemove: (entry) => this.#mayRemove(entry),
      suspect: () => this.#members.get(cluster)?.link?.suspect(),
      share: () => this.#shares.of(cluster),
      working: (working) => this.#shares.setWorking(cluster, working),
    });
  }
}

const BY_KIND = new Map([...CARRIED, NAMESPACES].map((type) => [`${type.group}/${type.kind}`, type]));

function typeOf(ref: ObjectRef): ResourceType | undefined {
  return BY_KIND.get(`${parseApiVersion(ref.apiVersion).group}/${ref.kind}`);
}

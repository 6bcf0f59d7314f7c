import { type FederatedStatus, type KubeObject, type ObjectRef, refKey } from "../../src/apis/index.ts";
import { DEMOAPPLICATIONS, DEPLOYMENTS } from "../../src/runtime/index.ts";
import type { TestCluster } from "../integration/federation/testCluster.ts";
import { imageOf, isAvailable, isMeridians, isReachable, ownerOf, readiness, serves, workloadsOn } from "./copies.ts";
import type { Write } from "./playWire.ts";
import { type Scenery, WITH_STATUS } from "./scenery.ts";
import { named, wordsOfWrite } from "./words.ts";

/** How long a status may call a copy Available that is not: a watch, an observation and a write of the status. */
const STALE_MS = 15_000;

/** What holds at every moment of every play, whatever happens. Broken rules are collected, with time and words. */
export class Invariants {
  readonly broken: string[] = [];
  /** Members on which a rollout may change a copy at the same time; undefined: no rollout. */
  atOnce: number | undefined;
  readonly #play: Scenery;
  readonly #flying = new Map<string, Write>();
  /** Since when an entry says Available of a copy that is not. */
  readonly #falseSince = new Map<string, number>();
  /** UIDs of copies that were available once. A copy that gets more replicas later still serves meanwhile. */
  readonly #arrived = new Set<string>();
  /** Image with which the copy of a member was available last. */
  readonly #settled = new Map<string, string>();

  constructor(play: Scenery) {
    this.#play = play;
  }

  /** A write leaves the manager. */
  sent(write: Write): void {
    if (write.cluster === "hub") return;
    const key = keyOf(write);
    if (this.#flying.has(key)) this.#breaks(`two writes at once: ${write.cluster} ${wordsOfWrite(write)}`);
    this.#flying.set(key, write);
    if (write.verb !== "delete" || write.plural === "namespaces") return;
    if (!this.#isDecided(write)) this.#breaks(`no Delete row: ${write.cluster} ${wordsOfWrite(write)}`);
  }

  /** A write arrives at the server. */
  arrives(write: Write): void {
    if (write.cluster === "hub" || write.verb !== "delete" || write.plural !== DEPLOYMENTS.plural) return;
    const copy = this.#play.members.get(write.cluster)?.find(DEPLOYMENTS, write.namespace, write.name);
    if (copy === undefined || !isAvailable(copy)) return;
    const owner = ownerOf(copy);
    const { hub, members } = this.#play;
    if (owner?.kind !== "DemoApplication") return;
    const app = hub.find(DEMOAPPLICATIONS, owner.namespace, owner.name);
    if (app === undefined || app.metadata.deletionTimestamp !== undefined) return;
    const isWanted = this.#play
      .decisionsNow(refKey(owner))
      .some(({ verb, ref }) => verb === "Apply" && ref.kind === "Deployment");
    const others = [...members].filter(([name]) => name !== write.cluster);
    const isElsewhere = others.some(([, member]) => {
      const other = member.find(DEPLOYMENTS, write.namespace, write.name);
      return (
        other !== undefined && (isAvailable(other) || (serves(other) && this.#arrived.has(other.metadata.uid ?? "")))
      );
    });
    if (isWanted && !isElsewhere) this.#breaks(`the last available copy goes: ${write.cluster} ${wordsOfWrite(write)}`);
  }

  /** The manager got the answer. */
  answered(write: Write): void {
    this.#flying.delete(keyOf(write));
  }

  /** Asked whenever anything has happened. */
  check(): void {
    for (const type of WITH_STATUS) for (const object of this.#play.hub.list(type)) this.#checkStatus(object);
    for (const app of this.#play.hub.list(DEMOAPPLICATIONS)) this.#checkAvailable(app);
    for (const [, member] of this.#play.members)
      for (const copy of member.list(DEPLOYMENTS).filter(isAvailable)) this.#arrived.add(copy.metadata.uid ?? "");
    if (this.atOnce !== undefined) this.#checkRollout(this.atOnce);
  }

  /** Workloads of Meridian on a member, with their readiness. */
  workloadsOn(member: TestCluster): [kind: string, name: string, words: string][] {
    return workloadsOn(member)
      .filter(isMeridians)
      .map((workload) => {
        const { kind, metadata } = workload;
        const name = named({ kind, ...metadata } as ObjectRef).slice(kind.length + 1);
        return [kind, name, readiness(workload)];
      });
  }

  #checkStatus({ kind, metadata, ...object }: KubeObject): void {
    const { conditions = [], clusters = [], observedGeneration = 0 } = (object["status"] ?? {}) as FederatedStatus;
    const { generation } = metadata;
    const about = `${kind} ${metadata.name}`;
    for (const { type, observedGeneration: of = 0, message } of conditions) {
      if (generation !== undefined && kind !== "ResourceBinding" && of > generation)
        this.#breaks(`${about}: ${type} speaks of a generation that does not exist`);
      if (message.length > 120) this.#breaks(`${about}: the message of ${type} has ${message.length} characters`);
    }
    if (generation !== undefined && kind === "DemoApplication" && observedGeneration > generation)
      this.#breaks(`${about}: observedGeneration is ahead`);
    for (const { name, message = "" } of clusters)
      if (message.length > 512) this.#breaks(`${about}: the message of ${name} has ${message.length} characters`);
  }

  #checkAvailable({ metadata, ...app }: KubeObject): void {
    const { clusters = [] } = (app["status"] ?? {}) as FederatedStatus;
    for (const [name, member] of this.#play.members) {
      const key = `${metadata.namespace}/${metadata.name} ${name}`;
      const says = clusters.find((entry) => entry.name === name)?.state;
      const copy = member.find(DEPLOYMENTS, metadata.namespace, metadata.name);
      if (says !== "Available" || !isReachable(member) || (copy !== undefined && isAvailable(copy))) {
        this.#falseSince.delete(key);
        continue;
      }
      const since = this.#falseSince.get(key) ?? this.#play.now;
      this.#falseSince.set(key, since);
      if (this.#play.now - since > STALE_MS) this.#breaks(`the status calls ${key} Available, which it is not`);
    }
  }

  #checkRollout(atOnce: number): void {
    const moving = [...this.#play.members].filter(([name, member]) => {
      const copy = member.list(DEPLOYMENTS).find(isMeridians);
      if (copy === undefined || !isReachable(member)) return false;
      const image = imageOf(copy);
      if (isAvailable(copy)) this.#settled.set(name, image);
      return this.#settled.get(name) !== image;
    });
    if (moving.length > atOnce) this.#breaks(`more than ${atOnce} at once: ${moving.map(([name]) => name).join(", ")}`);
  }

  #isDecided({ cluster, namespace, name, body }: Write): boolean {
    const { uid } = (body as { preconditions?: { uid?: string } }).preconditions ?? {};
    return this.#play
      .everyDecisionNow()
      .some(
        (one) =>
          one.verb === "Delete" &&
          one.cluster === cluster &&
          one.ref.name === name &&
          one.ref.namespace === namespace &&
          one.uid === uid,
      );
  }

  #breaks(words: string): void {
    const told = `${words}, ${Math.round(this.#play.sinceStart)} ms after the beginning`;
    if (!this.broken.some((one) => one.startsWith(words))) this.broken.push(told);
  }
}

function keyOf({ cluster, plural, namespace, name }: Write): string {
  return [cluster, plural, namespace, name].join("/");
}

import { type KubeObject, type ObjectRef, refKey } from "../../src/apis/index.ts";
import {
  type Client,
  type ClusterConfig,
  kubeconfigFor,
  MEMBERCLUSTERS,
  NotLeaderError,
  PLACEMENTS,
  type ResourceType,
  SECRETS,
} from "../../src/runtime/index.ts";
import { InProcessClient } from "../integration/federation/inProcessClient.ts";
import type { TestCluster } from "../integration/federation/testCluster.ts";
import type { Reply } from "../integration/federation/wire.ts";
import { type Chance, ORDERLY } from "./chance.ts";
import { endState } from "./endState.ts";
import { Invariants } from "./invariants.ts";
import { type Decision, type Pipeline, startPipeline, SYSTEM } from "./pipeline.ts";
import { type Actor, PlayLog } from "./playLog.ts";
import { PlayWire, type Write } from "./playWire.ts";
import { type Scenery, WITH_STATUS } from "./scenery.ts";
import type { Theatre } from "./theatre.ts";
import { Workloads } from "./workloads.ts";
import { decisionWords, named, statusWords, type Told, wordsOfWrite } from "./words.ts";

/** Regions of the members, by name; others have none. */
export const REGIONS: Record<string, string> = { a: "north", b: "south", c: "west", d: "north" };
const START_MS = 10_000;
const QUIET_MS = 10_000;
const REST_MS = 60_000;
const LONGEST_MS = 30 * 60_000;

type Object = { object(): KubeObject } | KubeObject;

/** The clusters of a play. */
export interface Cast {
  /** Joined before the log begins. */
  members: readonly string[];
  /** Members run the controllers of the sandbox; else pods only look as if they ran. */
  controllers: boolean;
}

/** A member that refuses writes: the answer, as an API server gives it. */
export interface Refusal {
  plural: string;
  verb?: Write["verb"];
  code: number;
  reason: string;
  message: string;
}

/**
 * The planner, the workers and the status of one manager, with a hub and members, on a clock that stands still while
 * anybody works. Whatever happens becomes a line of the log, and is checked against the invariants.
 */
export class Play implements Scenery {
  readonly hub: TestCluster;
  readonly members = new Map<string, TestCluster>();
  readonly log: PlayLog;
  readonly invariants: Invariants;
  readonly #theatre: Theatre;
  readonly #chance: Chance;
  readonly #hasControllers: boolean;
  readonly #workloads = new Map<string, Workloads>();
  readonly #pipelines = new Map<string, { pipeline: Pipeline; loseLease: () => void }>();
  readonly #refusals = new Map<string, Refusal>();
  readonly #decisions = new Map<string, ReadonlyMap<string, Decision>>();
  readonly #changed = new Set<string>();
  readonly #statuses = new Map<string, Told>();
  readonly #copies = new Map<string, string>();
  readonly #worked = new Map<string, string>();
  readonly #versions = new Map<string, string>();
  #startedAt = 0;
  readonly #disturbances: (() => Promise<void>)[] = [];
  /** Monotonic time of the last write that reached a server. */
  #lastWrite = 0;

  private constructor(theatre: Theatre, hub: TestCluster, chance: Chance, hasControllers: boolean) {
    this.#theatre = theatre;
    this.#hasControllers = hasControllers;
    this.#chance = chance;
    this.hub = hub;
    this.log = new PlayLog(() => theatre.clock.monotonic());
    this.invariants = new Invariants(this);
  }

  /** With these members joined and ready. The log begins after that. */
  static async open(theatre: Theatre, { members, controllers }: Cast, chance: Chance = ORDERLY): Promise<Play> {
    theatre.clock.random = undefined;
    const play = new Play(theatre, await theatre.hub(), chance, controllers);
    const { clock } = theatre;
    for (const name of members) await play.join(name);
    await theatre.pass(60_000 - (clock.now() % 60_000));
    clock.random = chance.random;
    await play.startManager();
    await play.pass(START_MS);
    play.beginLog();
    return play;
  }

  /** Forgets the log so far: what comes before is the set-up of the play. */
  beginLog(): void {
    this.log.begin(this.#theatre.clock.now());
    this.#startedAt = this.now;
  }

  get now(): number {
    return this.#theatre.clock.monotonic();
  }

  member(name: string): TestCluster {
    const member = this.members.get(name);
    if (member === undefined) throw new Error(`there is no member ${name}`);
    return member;
  }

  /** What a person does: the words for the log, and the deed. */
  async user(words: string, deed: () => Promise<unknown>): Promise<void> {
    this.log.paragraph();
    this.log.add("user", words);
    await deed();
    await this.#observe();
    this.#disturb();
  }

  apply(words: string, type: ResourceType, object: Object): Promise<void> {
    const plain = "object" in object && typeof object.object === "function" ? object.object() : (object as KubeObject);
    return this.user(`${words}`, () => this.hub.apply(type, plain));
  }

  merge(words: string, type: ResourceType, name: string, patch: object): Promise<void> {
    const namespace = type.namespaced ? "default" : undefined;
    return this.user(words, () => this.hub.merge(type, namespace, name, patch as Parameters<TestCluster["merge"]>[3]));
  }

  delete(words: string, type: ResourceType, name: string): Promise<void> {
    return this.user(words, () => this.hub.delete(type, type.namespaced ? "default" : undefined, name));
  }

  /** Something happens to a cluster. */
  async fault(words: string, cluster: string, deed: (server: TestCluster) => unknown): Promise<void> {
    this.log.paragraph();
    this.log.add("fault", words, { of: cluster });
    await deed(cluster === "hub" ? this.hub : this.member(cluster));
    await this.#observe();
    this.#disturb();
  }

  /** Pods that start from now on never get ready; false: they all do. */
  async stickPods(cluster: string, stuck = true): Promise<void> {
    const words = stuck ? "pods that start from now on do not get ready" : "pods get ready again";
    await this.fault(words, cluster, (server) => {
      server.faults.set({ podsStuck: stuck ? true : undefined });
      if (!stuck) this.#workloads.get(cluster)?.recheck();
    });
  }

  /** One pod of the Deployment is lost. */
  losePod(cluster: string, name: string): Promise<void> {
    return this.fault(`a pod of Deployment ${name} is lost`, cluster, () =>
      this.#workloads.get(cluster)?.losePod(name),
    );
  }

  cutOff(cluster: string, partition: "reset" | "silent" = "reset"): Promise<void> {
    const words = partition === "reset" ? "is cut off" : "answers no more";
    return this.fault(words, cluster, (server) => server.faults.set({ partition }));
  }

  comeBack(cluster: string): Promise<void> {
    return this.fault("is back", cluster, (server) => server.faults.set({ partition: undefined }));
  }

  /** From now on the cluster refuses such requests; undefined: no longer. */
  refuse(words: string, cluster: string, refusal: Refusal | undefined): Promise<void> {
    return this.fault(words, cluster, () => {
      if (refusal === undefined) this.#refusals.delete(cluster);
      else this.#refusals.set(cluster, refusal);
    });
  }

  async join(name: string, spec: object = {}): Promise<void> {
    const member = await this.#theatre.member(name, this.#hasControllers);
    this.members.set(name, member);
    if (!this.#hasControllers) this.#workloads.set(name, new Workloads(member, this.#theatre.clock));
    const kubeconfig = kubeconfigFor({ cluster: "member", server: urlOf(name), token: member.adminToken });
    await this.hub.apply(SECRETS, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name, namespace: SYSTEM },
      data: { kubeconfig: Buffer.from(kubeconfig).toString("base64") },
    });
    const region = REGIONS[name];
    await this.hub.create(MEMBERCLUSTERS, {
      apiVersion: "federation.paas.cmft.com/v1alpha1",
      kind: "MemberCluster",
      metadata: { name, labels: region === undefined ? {} : { "topology.kubernetes.io/region": region } },
      spec: { connection: { kubeconfigSecretRef: { name, key: "kubeconfig" } }, deletionPolicy: "Orphan", ...spec },
    });
  }

  async startManager(...classes: string[]): Promise<void> {
    let isLeader = true;
    const guard = (): void => {
      if (!isLeader) throw new NotLeaderError("the Lease is not held");
    };
    const { clock } = this.#theatre;
    const authorization = async (): Promise<string> => `Bearer ${this.hub.adminToken}`;
    const pipeline = await startPipeline({
      client: this.#client("hub", () => this.hub, { authorization }, guard),
      clientFor: (config) => this.#memberClient(config, guard),
      hubId: this.hub.uid,
      clock,
      random: this.#chance.random ?? (() => 0.5),
      classes,
      onEvent: (event) => this.#noteEvent(event),
      onErrorLog: (line) => this.log.add("event", `error in the manager's log: ${line}`),
      onDecisions: (owner) => void this.#changed.add(owner),
    });
    this.#pipelines.set(classes.join(), { pipeline, loseLease: () => (isLeader = false) });
  }

  async stopManager(...classes: string[]): Promise<void> {
    const running = this.#pipelines.get(classes.join());
    if (running === undefined) throw new Error("no such manager runs");
    let ended = false;
    running.pipeline.stop();
    const end = running.pipeline.ended.finally(() => (ended = true));
    for (let steps = 0; !ended && steps < 1_000; steps++) await this.#step(this.now + 50);
    await end;
    this.#pipelines.delete(classes.join());
    // A new manager decides everything again: the same decision is no news.
    this.#changed.clear();
  }

  async restart(words = "the manager stops, and another one starts"): Promise<void> {
    this.log.paragraph();
    this.log.add("fault", words);
    await this.stopManager();
    await this.startManager();
  }

  /** The manager loses its Lease, and stops while another one leads already. */
  async changeLeader(): Promise<void> {
    this.log.paragraph();
    this.log.add("fault", "the leader loses its Lease; another replica leads at once");
    const old = this.#pipelines.get("");
    if (old === undefined) throw new Error("no manager runs");
    old.loseLease();
    this.#pipelines.set("old", old);
    await this.startManager();
    await this.pass(2_000);
    await this.stopManager("old");
  }

  /** Lets the time go on. */
  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    while (await this.#step(end));
  }

  /** Lets the time go on until nothing was written, and nothing worth a line, for ten seconds. */
  settle(): Promise<void> {
    return this.#untilQuietFor(QUIET_MS);
  }

  /** As {@link settle}, for longer than any retry of a write waits that matters. A play that never rests fails. */
  rest(): Promise<void> {
    return this.#untilQuietFor(REST_MS);
  }

  async #untilQuietFor(ms: number): Promise<void> {
    const begin = this.now;
    const last = (): number => Math.max(begin, this.log.lastAt, this.#lastWrite);
    while (this.now < last() + ms) {
      if (this.now > begin + LONGEST_MS) throw new Error(`the play does not come to rest\n${this.log.text}`);
      await this.#step(last() + ms);
    }
  }

  /** Stops everything. */
  async close(): Promise<void> {
    for (const classes of [...this.#pipelines.keys()]) await this.stopManager(...classes.split(",").filter(Boolean));
    this.#theatre.clock.random = undefined;
  }

  /** What there is in the end. */
  endState(): string {
    return endState(this);
  }

  decisions(): Decision[] {
    return [...this.#decisions.values()].flatMap((all) => [...all.values()]);
  }

  /** Decisions as they are at this moment. */
  decisionsNow(owner: string): Decision[] {
    return [...this.#pipelines.values()].flatMap(({ pipeline }) => pipeline.decisionsOf(owner));
  }

  /** Every decision as it is at this moment. */
  everyDecisionNow(): Decision[] {
    return [...new Set([...this.#decisions.keys(), ...this.#changed])].flatMap((owner) => this.decisionsNow(owner));
  }

  get sinceStart(): number {
    return this.now - this.#startedAt;
  }

  async #step(end: number): Promise<boolean> {
    await this.#observe();
    const fired = this.#theatre.clock.fireNext(end);
    await this.#observe();
    for (let next = this.#disturbances.shift(); next !== undefined; next = this.#disturbances.shift()) await next();
    return fired;
  }

  /** Waits until nobody works, and notes what is new. */
  async #observe(): Promise<void> {
    await this.#theatre.quiet();
    for (const [name, workloads] of this.#workloads) {
      if (this.#worked.get(name) === this.member(name).version) continue;
      workloads.notice();
      await this.#theatre.quiet();
      this.#worked.set(name, this.member(name).version);
    }
    const isDecided = this.#changed.size > 0;
    this.#observeDecisions();
    const isHubNew = this.#isNew("hub", this.hub);
    if (isHubNew) this.#observeStatuses();
    const changed = [...this.members].filter(([name, member]) => this.#isNew(name, member));
    for (const [name, member] of changed) this.#observeCopies(name, member);
    if (isHubNew || isDecided || changed.length > 0) this.invariants.check();
  }

  #isNew(name: string, { version }: TestCluster): boolean {
    if (this.#versions.get(name) === version) return false;
    this.#versions.set(name, version);
    return true;
  }

  #observeDecisions(): void {
    for (const owner of this.#changed) {
      const before = this.#decisions.get(owner) ?? new Map<string, Decision>();
      const present = this.decisionsNow(owner);
      const after = new Map(present.map((decision) => [`${decision.cluster} ${refKey(decision.ref)}`, decision]));
      this.#decisions.set(owner, after);
      const about = [...before.values(), ...after.values()][0]?.owner;
      for (const words of decisionWords(before, after))
        this.log.add("planner", `${about === undefined ? owner : named(about)}: ${words}`);
    }
    this.#changed.clear();
  }

  #observeStatuses(): void {
    const seen = new Set<string>();
    for (const type of WITH_STATUS) {
      for (const object of this.hub.list(type)) {
        const { metadata, kind } = object;
        const about = named({ kind, ...metadata } as ObjectRef);
        seen.add(about);
        const before = this.#statuses.get(about);
        const status = (object["status"] ?? {}) as Told;
        if (before === status) continue;
        this.#statuses.set(about, status);
        const words = statusWords(before ?? {}, status);
        if (words.length > 0) this.log.add("status", [about, ...words]);
      }
    }
    for (const about of this.#statuses.keys()) {
      if (seen.has(about)) continue;
      this.#statuses.delete(about);
      this.log.add("status", `${about} is gone from the hub`);
    }
  }

  /** Readiness of the copies on a member. */
  #observeCopies(name: string, member: TestCluster): void {
    const seen = new Set<string>();
    for (const [kind, about, words] of this.invariants.workloadsOn(member)) {
      const key = `${name} ${kind} ${about}`;
      seen.add(key);
      if (this.#copies.get(key) === words) continue;
      this.#copies.set(key, words);
      this.log.add("cluster", `${kind} ${about}: ${words}`, { of: name, about: key });
    }
    for (const key of this.#copies.keys()) {
      if (!key.startsWith(`${name} `) || seen.has(key)) continue;
      this.#copies.delete(key);
      this.log.add("cluster", `${key.slice(name.length + 1)} is gone`, { of: name, about: key });
    }
  }

  #noteEvent(event: KubeObject): void {
    // The status tells the same.
    if (/^Rollout(Cluster|Stage)$/.test(String(event["reason"]))) return;
    const { type, reason, note, regarding } = event as unknown as Record<string, string> & { regarding: ObjectRef };
    this.log.add("event", `${type} ${reason} of ${named(regarding)}: ${note}`);
  }

  /** With a seed: connections break, and the manager may start anew, some time after a person or a fault did something. */
  #disturb(): void {
    for (const { afterMs, what } of this.#chance.disturbances([...this.members.keys()])) {
      this.#theatre.clock.after(afterMs, () => {
        this.#disturbances.push(async () => {
          if (what === "restart") {
            if (this.#pipelines.has("")) await this.restart();
            return;
          }
          const cluster = what.cluster === "hub" ? this.hub : this.members.get(what.cluster);
          if (what.relist) cluster?.faults.compact();
          cluster?.breakConnections();
        });
      });
    }
  }

  #memberClient({ server, credentials }: ClusterConfig, guard: () => void): Client {
    const name = [...this.members.keys()].find((one) => urlOf(one) === server);
    if (name === undefined) throw new Error(`no member at ${server}`);
    return this.#client(name, () => this.member(name), credentials, guard);
  }

  #client(
    cluster: string,
    server: () => TestCluster,
    credentials: Pick<ClusterConfig["credentials"], "authorization">,
    guard: () => void,
  ): Client {
    const { clock } = this.#theatre;
    const wire = new PlayWire({
      cluster,
      server,
      clock,
      latency: () => this.#chance.latency(cluster === "hub"),
      refuse: (_request, write) => this.#refusal(cluster, write),
      onSend: (write) => this.invariants.sent(write),
      onArrival: (write) => {
        this.invariants.arrives(write);
        this.#lastWrite = this.now;
      },
      onAnswer: (write, reply) => {
        this.invariants.answered(write);
        const [actor, of] = actorOf(write);
        if (actor !== undefined) this.log.add(actor, wordsOfWrite(write, reply), of === undefined ? {} : { of });
      },
    });
    return new InProcessClient({ cluster, wire, credentials, clock, guard });
  }

  #refusal(cluster: string, write: Write | undefined): Reply | undefined {
    const refusal = this.#refusals.get(cluster);
    if (refusal === undefined || write?.plural !== refusal.plural) return undefined;
    if (refusal.verb !== undefined && refusal.verb !== write.verb) return undefined;
    const { code, reason, message } = refusal;
    const body = JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason, message, code });
    return { kind: "Whole", status: code, headers: { "content-type": "application/json" }, body };
  }
}

const urlOf = (name: string): string => `https://${name}.test:6443`;

/** Statuses are told by their changes; statuses of policies are not told. */
function actorOf({ cluster, subresource, plural }: Write): [actor?: Actor, of?: string] {
  if (cluster !== "hub") return ["worker", cluster];
  return subresource === "status" || plural === PLACEMENTS.plural ? [] : ["planner"];
}

import {
  ACCEPT_CLUSTER_UID_ANNOTATION,
  type Contact,
  defined,
  fullMessage,
  type KubeObject,
  type MemberCluster,
  sameValue,
  timestamp,
} from "../../apis/index.ts";
import { type EventRecorder, logContext, type Logger, type Recoveries } from "../../observability/index.ts";
import type { Client, Clock, ClusterConfig } from "../../runtime/index.ts";
import type { EndedTrouble } from "../../status/index.ts";
import { AnsweringRecord } from "./answering.ts";
import { ClusterAccess, type HubAsMember } from "./clusterAccess.ts";
import {
  type ConnectionEvent,
  type ConnectionState,
  initialState,
  NOT_YET_KNOWN,
  type ProbeTiming,
  sameContact,
  transition,
} from "./connection.ts";
import {
  CredentialsReader,
  type IdentityClaim,
  type IdentityVerdict,
  isTokenRenewal,
  judgeIdentity,
  type MemberCredentials,
  renewalPlan,
  sameCredentials,
  type SecretSource,
  TokenRenewer,
  type TokenRequester,
} from "../credentials/index.ts";
import { MemberReport } from "./memberReport.ts";
import { latencyOf } from "./memberStatus.ts";
import { probe } from "./probe.ts";
import { ProbeLoop } from "./probeLoop.ts";
import type { MemberSession, PoolListener } from "../types.ts";

const PROBE_TIMEOUT_MS = 3_000;

export interface MemberConnectionOptions {
  hub: Client;
  hubLocal: HubAsMember;
  systemNamespace: string;
  allowExec: boolean;
  clock: Clock;
  random: () => number;
  timing: ProbeTiming;
  logger: Logger;
  recorder: Pick<EventRecorder, "record"> | undefined;
  recoveries: Recoveries | undefined;
  listener: Pick<PoolListener, "sessionStarted" | "paceOf">;
  clientFor: (config: ClusterConfig, cluster: string) => Client;
  requestToken: TokenRequester;
  onStatusWritten: (object: KubeObject) => void;
  onStatusFailed: () => void;
  secrets: SecretSource;
  /** Identity claims of all MemberClusters, including this one. */
  claims: () => Iterable<IdentityClaim>;
  /** Called when this cluster's claim may have changed. */
  claimChanged: (cluster: string) => void;
  contactChanged: (cluster: string, contact: Contact) => void;
}

/** Carries out the effects of the state machine in connection.ts, for one MemberCluster. */
export class MemberConnection {
  readonly cluster: string;
  readonly #options: MemberConnectionOptions;
  readonly #logger: Logger;
  readonly #report: MemberReport;
  readonly #renewer: TokenRenewer;
  readonly #reader: CredentialsReader;
  /** Background work; ends soon after its access. */
  readonly #pending = new Set<Promise<void>>();
  #object: MemberCluster;
  /** Write the status of the MemberCluster, and renew its token. */
  #owned: boolean;
  #state: ConnectionState = initialState();
  #credentials: MemberCredentials | undefined;
  #access: ClusterAccess | undefined;
  #loop: ProbeLoop<ConnectionEvent | undefined> | undefined;
  #session: { session: MemberSession; end: AbortController } | undefined;
  #observedUid: string | undefined;
  readonly #answering: AnsweringRecord;
  #started = false;
  readonly #end = new AbortController();

  constructor(object: MemberCluster, owned: boolean, options: MemberConnectionOptions) {
    const cluster = object.metadata.name;
    this.#owned = owned;
    const { hub, clock, random, systemNamespace, requestToken } = options;
    const logger = options.logger.child(logContext(undefined, { cluster }));
    this.cluster = cluster;
    this.#answering = new AnsweringRecord(latencyOf(object.status));
    this.#object = object;
    this.#options = options;
    this.#logger = logger;
    this.#reader = new CredentialsReader({
      cluster,
      allowExec: options.allowExec,
      clock,
      logger,
      secrets: options.secrets,
      signal: this.#end.signal,
      onRead: (credentials) => this.#use(credentials),
    });
    const common = { cluster, hub, clock, logger };
    this.#report = new MemberReport({
      ...common,
      onContact: (before, contact) => this.#recordContact(before, contact),
      owned: () => this.#owned,
      onWritten: options.onStatusWritten,
      onFailed: options.onStatusFailed,
    });
    this.#report.heard(this.#state.contact);
    this.#report.take(object);
    this.#renewer = new TokenRenewer({
      ...common,
      systemNamespace,
      random,
      requestToken,
      onOutcome: (outcome) => {
        if (outcome.renewed)
          this.#record("Normal", "TokenRenewed", "RenewToken", `the token is valid until ${outcome.expiresAt}`);
        else this.#record("Warning", "TokenNotRenewed", "RenewToken", outcome.message);
      },
    });
  }

  get #closed(): boolean {
    return this.#end.signal.aborted;
  }

  get contact(): Contact {
    return this.#state.contact;
  }

  get session(): MemberSession | undefined {
    return this.#session?.session;
  }

  get objectUid(): string | undefined {
    return this.#object.metadata.uid;
  }

  get secretName(): string | undefined {
    return this.#object.spec.connection.kubeconfigSecretRef?.name;
  }

  get claim(): IdentityClaim {
    const { metadata, spec } = this.#object;
    return {
      cluster: this.cluster,
      local: spec.connection.local !== undefined,
      createdAt: metadata.creationTimestamp ?? "",
      recordedUid: this.#report.recordedUid,
      acceptedUid: metadata.annotations?.[ACCEPT_CLUSTER_UID_ANNOTATION],
      observedUid: this.#observedUid,
    };
  }

  /** Begins to connect. Called when Secrets can be read. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.reconfigure();
  }

  update(object: MemberCluster, owned: boolean): void {
    const changedHands = owned !== this.#owned;
    const isRescoped = !sameValue(object.spec.namespaces, this.#object.spec.namespaces);
    this.#owned = owned;
    this.#object = object;
    this.#report.take(object);
    if (isRescoped && this.#credentials !== undefined) this.#connectAnew(this.#credentials);
    this.reconfigure();
    this.rejudge();
    if (changedHands && this.#credentials !== undefined) this.#followToken(this.#credentials);
    // Another manager may just have recorded the identity. A new probe finds out at once.
    if (!owned && this.#session === undefined) this.#loop?.schedule(0);
    if (this.#started) this.#report.changed();
  }

  /** Reads the credentials again if their source has changed. */
  reconfigure(): void {
    if (!this.#started || this.#closed) return;
    this.#track(this.#reader.read(this.#object.spec.connection));
  }

  /** Judges the last answer again. */
  rejudge(): void {
    if (this.#access === undefined || this.#observedUid === undefined) return;
    this.#dispatch({ kind: "Judged", verdict: this.#judge() });
  }

  /** Ends every activity. Nothing is reported after this. */
  close(): void {
    if (this.#closed) return;
    this.#end.abort(new Error(`the connection to ${this.cluster} is closed`));
    this.#endSession("the connection is closed");
    this.#giveUpAccess();
    this.#renewer[Symbol.dispose]();
    this.#report[Symbol.dispose]();
  }

  /** Resolves when all background work has ended, after {@link close}. */
  async closed(): Promise<void> {
    await Promise.all([...this.#pending, this.#renewer.settled(), this.#report.settled()]);
  }

  #use(next: MemberCredentials): void {
    const before = this.#credentials;
    this.#credentials = next;
    if (before === undefined || !sameCredentials(before, next)) this.#connect(before, next);
    this.#followToken(next);
  }

  #connect(before: MemberCredentials | undefined, next: MemberCredentials): void {
    const isRenewal = before?.kind === "Kubeconfig" && next.kind === "Kubeconfig" && isTokenRenewal(before, next);
    if (this.#access !== undefined && isRenewal) {
      this.#access.renew(next.config);
      this.#loop?.schedule(0);
      return;
    }
    this.#connectAnew(next);
  }

  #connectAnew(next: MemberCredentials): void {
    // The old session ends before its client is closed, so that closed requests do not count as failures.
    this.#endSession("the credentials or the namespaces that they reach have changed");
    this.#observedUid = undefined;
    this.#report.contactSettled();
    this.#giveUpAccess();
    if (next.kind === "Unusable") {
      this.#dispatch({ kind: "Unusable", reason: next.reason, message: next.message });
      return;
    }
    const { namespaces } = this.#object.spec;
    const { clock, hubLocal, clientFor } = this.#options;
    const parts = { cluster: this.cluster, namespaces, clock, logger: this.#logger };
    const access = new ClusterAccess(next, { ...parts, hubLocal, clientFor });
    this.#access = access;
    this.#loop = new ProbeLoop({
      clock,
      probe: () => this.#probe(access),
      settle: (event) => this.#settle(access, event),
    });
    this.#dispatch({ kind: "Configured" });
  }

  #giveUpAccess(): void {
    const access = this.#access;
    const loop = this.#loop;
    this.#access = undefined;
    this.#loop = undefined;
    loop?.[Symbol.dispose]();
    if (access === undefined) return;
    this.#track(access[Symbol.asyncDispose]());
    if (loop !== undefined) this.#track(loop.settled());
  }

  #followToken(credentials: MemberCredentials): void {
    const followed = credentials.kind === "Kubeconfig" ? credentials : undefined;
    this.#renewer.follow(this.#owned ? followed : undefined, this.#access?.client);
    const plan = followed && renewalPlan(followed.secret.annotations, followed.claims);
    this.#report.find({
      credentials:
        plan === undefined ? null : { expiresAt: timestamp(plan.expiresAt), renewAt: timestamp(plan.renewAt) },
    });
  }

  #dispatch(event: ConnectionEvent): void {
    if (this.#closed) return;
    const { clock, random, timing } = this.#options;
    const before = this.#state.contact;
    const { state, effects } = transition(this.#state, event, { now: clock.now(), random: random(), timing });
    this.#state = state;
    for (const effect of effects) {
      switch (effect.kind) {
        case "StartSession":
          this.#startSession(effect.uid);
          break;
        case "EndSession":
          this.#endSession(state.contact.reason ?? "the cluster is another one");
          break;
        case "Probe":
          this.#loop?.schedule(effect.afterMs);
          break;
      }
    }
    if (!sameContact(before, state.contact)) this.#contactChanged(before, state.contact);
  }

  #contactChanged(before: Contact, contact: Contact): void {
    const { reason, message } = contact;
    if (contact.ok) {
      this.#logger.info("contact made");
      this.#renewer.retry();
      this.#access?.expireInventory();
    } else {
      this.#answering.reset();
      this.#logger.warn({ event_reason: reason, message }, before.ok ? "contact lost" : "no contact");
    }
    this.#options.contactChanged(this.cluster, contact);
    this.#report.heard(contact);
  }

  #recordContact(before: Contact, { ok, reason = "ClusterUnreachable", message = "" }: Contact): void {
    if (!ok && before.reason !== NOT_YET_KNOWN) this.#record("Warning", reason, "Probe", fullMessage(message));
    const loss = ok ? this.#report.lossBefore(before) : undefined;
    if (loss !== undefined) this.#ended(loss);
  }

  #startSession(uid: string): void {
    const access = this.#access;
    if (access === undefined) return;
    const end = new AbortController();
    const { client, discovery, local, namespaces } = access;
    const session: MemberSession = {
      ...{ cluster: this.cluster, client, discovery, clusterUid: uid, local, namespaces, signal: end.signal },
      suspect: () => {
        if (!end.signal.aborted) this.#dispatch({ kind: "Suspicion" });
      },
    };
    this.#session = { session, end };
    this.#options.listener.sessionStarted(session);
  }

  #endSession(why: string): void {
    const ended = this.#session;
    this.#session = undefined;
    ended?.end.abort(new Error(`the session with ${this.cluster} has ended: ${why}`));
  }

  /** Undefined when the access has ended meanwhile. */
  async #probe(access: ClusterAccess): Promise<ConnectionEvent | undefined> {
    const credentials = this.#credentials;
    const { clock } = this.#options;
    const askedAt = clock.monotonic();
    const outcome = await probe(access.client, {
      clock,
      timeoutMs: PROBE_TIMEOUT_MS,
      identity: access.identity,
      tokenExpiresAt: credentials?.kind === "Kubeconfig" ? credentials.claims?.expiresAt : undefined,
      signal: access.signal,
    });
    if (access !== this.#access) return undefined;
    if (outcome.kind === "Failed") return outcome;
    this.#measure(clock.monotonic() - askedAt);
    if (access.fault !== undefined) return { kind: "Failed", failure: access.fault };
    const { uid } = outcome;
    if (this.#observedUid !== uid) {
      this.#observedUid = uid;
      this.#options.claimChanged(this.cluster);
    }
    if (this.#judge().kind === "Accepted" && this.#report.recordedUid !== uid) {
      const failure = await this.#recordIdentity(access, uid);
      if (access !== this.#access) return undefined;
      if (failure !== undefined) return failure;
    }
    return { kind: "Answered", uid, verdict: this.#judge() };
  }

  /** Takes the duration of a probe, which is cheap, as the latency of network and API server. */
  #measure(ms: number): void {
    const next = this.#answering.take({ ms, pace: this.#options.listener.paceOf(this.cluster) });
    if (next === undefined) return;
    const { begun, ended } = this.#report.answering(next);
    for (const { reason, message } of begun) this.#record("Warning", reason, "Probe", fullMessage(message));
    for (const one of ended) this.#ended(one);
    this.#report.find(next);
  }

  #settle(access: ClusterAccess, event: ConnectionEvent | undefined): void {
    if (event === undefined || access !== this.#access) return;
    this.#report.contactSettled();
    this.#dispatch(event);
    const isWanted = this.#state.phase === "Connected" || access.fault !== undefined;
    if (isWanted && access.inventoryIsDue) this.#track(this.#takeInventory(access));
  }

  #judge(): IdentityVerdict {
    return judgeIdentity(this.claim, this.#options.claims());
  }

  /** Records the UID before anything is written, so that the next manager accepts no other cluster at that address. */
  async #recordIdentity(access: ClusterAccess, uid: string): Promise<ConnectionEvent | undefined> {
    if (this.#state.session !== undefined) {
      const message = "the accepted UID is being written down";
      this.#dispatch({ kind: "Judged", verdict: { kind: "Refused", reason: "ClusterIdentityChanged", message } });
    }
    const found = await access.takeInventory();
    if (access !== this.#access) return undefined;
    if (access.fault !== undefined) return { kind: "Failed", failure: access.fault };
    if (await this.#report.recordIdentity(uid, found)) {
      this.#options.claimChanged(this.cluster);
      return undefined;
    }
    const message = this.#owned
      ? "the cluster's UID could not be written to the status on the hub"
      : "the manager that owns this MemberCluster has not written its UID yet";
    return { kind: "Failed", failure: { reason: "IdentityNotRecorded", message, abrupt: false } };
  }

  async #takeInventory(access: ClusterAccess): Promise<void> {
    const before = access.fault;
    const found = await access.takeInventory();
    if (access !== this.#access) return;
    if (found !== undefined) this.#report.find(found);
    // The next probe turns the changed fault into a change of contact.
    if ((before === undefined) !== (access.fault === undefined)) this.#loop?.schedule(0);
  }

  #record(type: "Normal" | "Warning", reason: string, action: string, note: string): void {
    if (this.#owned) this.#options.recorder?.record({ regarding: this.#ref, type, reason, action, note });
  }

  #ended(trouble: Omit<EndedTrouble, "object">): void {
    if (this.#owned) this.#options.recoveries?.ended([{ object: this.#ref, ...trouble }]);
  }

  get #ref(): EndedTrouble["object"] {
    const { apiVersion, kind, metadata } = this.#object;
    const { name, uid } = metadata;
    return { apiVersion, kind, name, ...defined({ uid }) };
  }

  #track(work: Promise<void>): void {
    const tracked = work
      .catch((err: unknown) => {
        if (!this.#closed)
          this.#logger.error({ err, event_reason: "ConnectionError" }, "unexpected error in the connection");
      })
      .finally(() => this.#pending.delete(tracked));
    this.#pending.add(tracked);
  }
}

import { type Contact, sameValue, timestamp } from "../../apis/index.ts";
import { logContext, type Logger } from "../../observability/index.ts";
import { type ClusterFindings, type ConnectionSettings, type CredentialStore, sameContact } from "../../ports/index.ts";
import type { Client, Clock, ClusterConfig } from "../../runtime/index.ts";
import { AnsweringRecord } from "./answering.ts";
import { ClusterAccess, type HubAsMember } from "./clusterAccess.ts";
import type { ClusterReporting } from "./clusterReporter.ts";
import {
  type ConnectionEvent,
  type ConnectionState,
  initialState,
  type ProbeTiming,
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
  TokenRenewer,
  type TokenRequester,
} from "../credentials/index.ts";
import { probe } from "./probe.ts";
import { ProbeLoop } from "./probeLoop.ts";
import type { MemberSession, PoolListener } from "../types.ts";

const PROBE_TIMEOUT_MS = 3_000;

export interface MemberConnectionOptions {
  hubLocal: HubAsMember;
  allowExec: boolean;
  clock: Clock;
  random: () => number;
  timing: ProbeTiming;
  logger: Logger;
  listener: Pick<PoolListener, "sessionStarted" | "paceOf">;
  clientFor: (config: ClusterConfig, cluster: string) => Client;
  requestToken: TokenRequester;
  secrets: Pick<CredentialStore, "get" | "lookUp" | "renew">;
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
  readonly #report: ClusterReporting;
  readonly #renewer: TokenRenewer;
  readonly #reader: CredentialsReader;
  /** Background work; ends soon after its access. */
  readonly #pending = new Set<Promise<void>>();
  #settings: ConnectionSettings;
  /** UID in the status of the MemberCluster, by the last settings or the last answer. */
  #recordedUid: string | undefined;
  /** The contact has to be reported even if it does not change: the hub's side anticipates contact with the identity. */
  #contactIsDue = false;
  #state: ConnectionState = initialState();
  #credentials: MemberCredentials | undefined;
  #access: ClusterAccess | undefined;
  #loop: ProbeLoop<ConnectionEvent | undefined> | undefined;
  #session: { session: MemberSession; end: AbortController } | undefined;
  #observedUid: string | undefined;
  readonly #answering: AnsweringRecord;
  #started = false;
  readonly #end = new AbortController();

  constructor(settings: ConnectionSettings, report: ClusterReporting, options: MemberConnectionOptions) {
    const { cluster } = settings;
    const { clock, random, requestToken, secrets } = options;
    const logger = options.logger.child(logContext(undefined, { cluster }));
    this.cluster = cluster;
    this.#answering = new AnsweringRecord(settings.latencyMs);
    this.#settings = settings;
    this.#recordedUid = settings.recordedUid;
    this.#report = report;
    this.#options = options;
    this.#logger = logger;
    this.#reader = new CredentialsReader({
      cluster,
      allowExec: options.allowExec,
      clock,
      logger,
      secrets,
      signal: this.#end.signal,
      onRead: (credentials) => this.#use(credentials),
    });
    this.#renewer = new TokenRenewer({
      ...{ cluster, secrets, clock, logger, random, requestToken },
      onOutcome: (renewal) => report.send({ kind: "TokenRenewal", renewal }),
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
    return this.#settings.uid;
  }

  get secretName(): string | undefined {
    return this.#settings.connection.kubeconfigSecretRef?.name;
  }

  get claim(): IdentityClaim {
    const { connection, createdAt = "", acceptedUid } = this.#settings;
    return {
      cluster: this.cluster,
      local: connection.local !== undefined,
      createdAt,
      recordedUid: this.#recordedUid,
      acceptedUid,
      observedUid: this.#observedUid,
    };
  }

  /** Begins to connect. Called when Secrets can be read. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.reconfigure();
  }

  update(settings: ConnectionSettings): void {
    const { owned, namespaces, recordedUid } = settings;
    const changedHands = owned !== this.#settings.owned;
    const isRescoped = !sameValue(namespaces, this.#settings.namespaces);
    this.#settings = settings;
    this.#recordedUid = recordedUid;
    if (isRescoped && this.#credentials !== undefined) this.#connectAnew(this.#credentials);
    this.reconfigure();
    this.rejudge();
    if (changedHands && this.#credentials !== undefined) this.#followToken(this.#credentials);
    // Another manager may just have recorded the identity. A new probe finds out at once.
    if (!owned && this.#session === undefined) this.#loop?.schedule(0);
  }

  /** Reads the credentials again if their source has changed. */
  reconfigure(): void {
    if (!this.#started || this.#closed) return;
    this.#track(this.#reader.read(this.#settings.connection));
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
  }

  /** Resolves when all background work has ended, after {@link close}. */
  async closed(): Promise<void> {
    await Promise.all([...this.#pending, this.#renewer.settled()]);
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
    this.#reportDueContact();
    this.#giveUpAccess();
    if (next.kind === "Unusable") {
      this.#dispatch({ kind: "Unusable", reason: next.reason, message: next.message });
      return;
    }
    const { namespaces } = this.#settings;
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
    this.#renewer.follow(this.#settings.owned ? followed : undefined, this.#access?.client);
    const plan = followed && renewalPlan(followed.secret.annotations, followed.claims);
    this.#found({
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
    this.#reportContact();
  }

  #reportContact(): void {
    this.#contactIsDue = false;
    this.#report.send({ kind: "Contact", contact: this.contact });
  }

  #reportDueContact(): void {
    if (this.#contactIsDue) this.#reportContact();
  }

  #found(findings: ClusterFindings): void {
    this.#report.send({ kind: "Findings", findings });
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
    if (this.#judge().kind === "Accepted" && this.#recordedUid !== uid) {
      const failure = await this.#recordIdentity(access, uid);
      if (access !== this.#access) return undefined;
      if (failure !== undefined) return failure;
    }
    return { kind: "Answered", uid, verdict: this.#judge() };
  }

  /** Takes the duration of a probe, which is cheap, as the latency of network and API server. */
  #measure(ms: number): void {
    const answering = this.#answering.take({ ms, pace: this.#options.listener.paceOf(this.cluster) });
    if (answering !== undefined) this.#report.send({ kind: "Answering", answering });
  }

  #settle(access: ClusterAccess, event: ConnectionEvent | undefined): void {
    if (event === undefined || access !== this.#access) return;
    this.#dispatch(event);
    this.#reportDueContact();
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
    const findings = await access.takeInventory();
    if (access !== this.#access) return undefined;
    if (access.fault !== undefined) return { kind: "Failed", failure: access.fault };
    this.#contactIsDue = true;
    const answer = await this.#report.recordIdentity({ uid, findings });
    if (answer === "Recorded") {
      this.#recordedUid = uid;
      this.#options.claimChanged(this.cluster);
      return undefined;
    }
    const message =
      answer === "Refused"
        ? "the cluster's UID could not be written to the status on the hub"
        : "the manager that owns this MemberCluster has not written its UID yet";
    return { kind: "Failed", failure: { reason: "IdentityNotRecorded", message, abrupt: false } };
  }

  async #takeInventory(access: ClusterAccess): Promise<void> {
    const before = access.fault;
    const found = await access.takeInventory();
    if (access !== this.#access) return;
    if (found !== undefined) this.#found(found);
    // The next probe turns the changed fault into a change of contact.
    if ((before === undefined) !== (access.fault === undefined)) this.#loop?.schedule(0);
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

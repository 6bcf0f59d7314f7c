import { type Contact, sameValue } from "../../apis/index.ts";
import { logContext, type Logger } from "../../observability/index.ts";
import { type ConnectionSettings, type CredentialStore, sameContact } from "../../ports/index.ts";
import type { Client, Clock, ClusterConfig } from "../../runtime/index.ts";
import { BackgroundWork } from "./backgroundWork.ts";
import { ClusterAccess, type HubAsMember } from "./clusterAccess.ts";
import type { ClusterReporting } from "./clusterReporter.ts";
import { ConnectionCredentials } from "./connectionCredentials.ts";
import { ConnectionNews } from "./connectionNews.ts";
import { ObservedIdentity } from "./observedIdentity.ts";
import { OpenSession } from "./openSession.ts";
import {
  type ConnectionEvent,
  type ConnectionState,
  initialState,
  type ProbeTiming,
  transition,
} from "./connection.ts";
import {
  type IdentityClaim,
  isTokenRenewal,
  type MemberCredentials,
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
  readonly #credentials: ConnectionCredentials;
  /** Background work; ends soon after its access. */
  readonly #work: BackgroundWork;
  readonly #identity: ObservedIdentity;
  readonly #news: ConnectionNews;
  readonly #session: OpenSession;
  #settings: ConnectionSettings;
  #state: ConnectionState = initialState();
  #access: ClusterAccess | undefined;
  #loop: ProbeLoop<ConnectionEvent | undefined> | undefined;
  #started = false;
  readonly #end = new AbortController();

  constructor(settings: ConnectionSettings, report: ClusterReporting, options: MemberConnectionOptions) {
    const { cluster } = settings;
    const { clock, random, requestToken, secrets } = options;
    const logger = options.logger.child(logContext(undefined, { cluster }));
    this.cluster = cluster;
    this.#settings = settings;
    this.#identity = new ObservedIdentity(settings, options);
    this.#news = new ConnectionNews(report, logger, settings.latencyMs);
    this.#session = new OpenSession(cluster);
    this.#report = report;
    this.#options = options;
    this.#logger = logger;
    this.#work = new BackgroundWork((err) => {
      if (!this.#end.signal.aborted)
        logger.error({ err, event_reason: "ConnectionError" }, "unexpected error in the connection");
    });
    this.#credentials = new ConnectionCredentials({
      ...{ cluster, allowExec: options.allowExec, clock, random, logger, secrets, requestToken, report },
      signal: this.#end.signal,
      changed: (before, next) => this.#connect(before, next),
      renewing: () => (this.#settings.owned ? this.#access?.client : undefined),
    });
  }

  get contact(): Contact {
    return this.#state.contact;
  }

  get session(): MemberSession | undefined {
    return this.#session.session;
  }

  get objectUid(): string | undefined {
    return this.#settings.uid;
  }

  get secretName(): string | undefined {
    return this.#settings.connection.kubeconfigSecretRef?.name;
  }

  get claim(): IdentityClaim {
    return this.#identity.claim;
  }

  /** Begins to connect. Called when Secrets can be read. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.reconfigure();
  }

  update(settings: ConnectionSettings): void {
    const { owned, namespaces } = settings;
    const changedHands = owned !== this.#settings.owned;
    const isRescoped = !sameValue(namespaces, this.#settings.namespaces);
    this.#settings = settings;
    this.#identity.update(settings);
    const { current } = this.#credentials;
    if (isRescoped && current !== undefined) this.#connectAnew(current);
    this.reconfigure();
    this.rejudge();
    if (changedHands) this.#credentials.followToken();
    // Another manager may just have recorded the identity. A new probe finds out at once.
    if (!owned && this.session === undefined) this.#loop?.schedule(0);
  }

  /** Reads the credentials again if their source has changed. */
  reconfigure(): void {
    if (!this.#started || this.#end.signal.aborted) return;
    this.#work.track(this.#credentials.read(this.#settings.connection));
  }

  /** Judges the last answer again. */
  rejudge(): void {
    if (this.#access === undefined || !this.#identity.isObserved) return;
    this.#dispatch({ kind: "Judged", verdict: this.#identity.judge() });
  }

  /** Ends every activity. Nothing is reported after this. */
  close(): void {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new Error(`the connection to ${this.cluster} is closed`));
    this.#session.end("the connection is closed");
    this.#giveUpAccess();
    this.#credentials[Symbol.dispose]();
  }

  /** Resolves when all background work has ended, after {@link close}. */
  async closed(): Promise<void> {
    await Promise.all([this.#work.settled(), this.#credentials.settled()]);
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
    this.#session.end("the credentials or the namespaces that they reach have changed");
    this.#identity.forget();
    this.#news.reportDueContact(this.contact);
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
    this.#work.track(access[Symbol.asyncDispose]());
    if (loop !== undefined) this.#work.track(loop.settled());
  }

  #dispatch(event: ConnectionEvent): void {
    if (this.#end.signal.aborted) return;
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
          this.#session.end(state.contact.reason ?? "the cluster is another one");
          break;
        case "Probe":
          this.#loop?.schedule(effect.afterMs);
          break;
      }
    }
    if (!sameContact(before, state.contact)) this.#contactChanged(before, state.contact);
  }

  #contactChanged(before: Contact, contact: Contact): void {
    if (contact.ok) {
      this.#credentials.retryRenewal();
      this.#access?.expireInventory();
    }
    this.#options.contactChanged(this.cluster, contact);
    this.#news.contactChanged(before, contact);
  }

  #startSession(uid: string): void {
    if (this.#access === undefined) return;
    const suspect = (): void => this.#dispatch({ kind: "Suspicion" });
    this.#options.listener.sessionStarted(this.#session.start(this.#access, uid, suspect));
  }

  /** Undefined when the access has ended meanwhile. */
  async #probe(access: ClusterAccess): Promise<ConnectionEvent | undefined> {
    const { clock } = this.#options;
    const askedAt = clock.monotonic();
    const outcome = await probe(access.client, {
      clock,
      timeoutMs: PROBE_TIMEOUT_MS,
      identity: access.identity,
      tokenExpiresAt: this.#credentials.tokenExpiresAt,
      signal: access.signal,
    });
    if (access !== this.#access) return undefined;
    if (outcome.kind === "Failed") return outcome;
    this.#news.measured(clock.monotonic() - askedAt, this.#options.listener.paceOf(this.cluster));
    if (access.fault !== undefined) return { kind: "Failed", failure: access.fault };
    const { uid } = outcome;
    this.#identity.observe(uid);
    if (this.#identity.isToRecord(uid)) {
      const failure = await this.#recordIdentity(access, uid);
      if (access !== this.#access) return undefined;
      if (failure !== undefined) return failure;
    }
    return { kind: "Answered", uid, verdict: this.#identity.judge() };
  }

  #settle(access: ClusterAccess, event: ConnectionEvent | undefined): void {
    if (event === undefined || access !== this.#access) return;
    this.#dispatch(event);
    this.#news.reportDueContact(this.contact);
    const isWanted = this.#state.phase === "Connected" || access.fault !== undefined;
    if (isWanted && access.inventoryIsDue) this.#work.track(this.#takeInventory(access));
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
    this.#news.contactIsDue();
    const answer = await this.#report.recordIdentity({ uid, findings });
    if (answer === "Recorded") {
      this.#identity.recorded(uid);
      return undefined;
    }
    return notRecorded(answer);
  }

  async #takeInventory(access: ClusterAccess): Promise<void> {
    const before = access.fault;
    const found = await access.takeInventory();
    if (access !== this.#access) return;
    if (found !== undefined) this.#news.found(found);
    // The next probe turns the changed fault into a change of contact.
    if ((before === undefined) !== (access.fault === undefined)) this.#loop?.schedule(0);
  }
}

function notRecorded(answer: "Refused" | "NotOwner"): ConnectionEvent {
  const message =
    answer === "Refused"
      ? "the cluster's UID could not be written to the status on the hub"
      : "the manager that owns this MemberCluster has not written its UID yet";
  return { kind: "Failed", failure: { reason: "IdentityNotRecorded", message, abrupt: false } };
}

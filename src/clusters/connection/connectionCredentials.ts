import { type MemberClusterSpec, timestamp } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { CredentialStore } from "../../ports/index.ts";
import type { Client, Clock } from "../../runtime/index.ts";
import {
  CredentialsReader,
  type MemberCredentials,
  renewalPlan,
  sameCredentials,
  TokenRenewer,
  type TokenRequester,
} from "../credentials/index.ts";
import type { ClusterReporting } from "./clusterReporter.ts";

export interface ConnectionCredentialsOptions {
  cluster: string;
  /** Allow kubeconfigs with exec credential plugins. */
  allowExec: boolean;
  clock: Clock;
  random: () => number;
  logger: Logger;
  secrets: Pick<CredentialStore, "get" | "lookUp" | "renew">;
  requestToken: TokenRequester;
  report: ClusterReporting;
  /** The end of the connection. */
  signal: AbortSignal;
  /** Called with other credentials than before, before their token is followed. */
  changed: (before: MemberCredentials | undefined, next: MemberCredentials) => void;
  /** The client that renews the token; undefined if another manager does that. */
  renewing: () => Client | undefined;
}

/** The credentials of one connection: read from their Secret, and their token renewed in time. */
export class ConnectionCredentials implements Disposable {
  readonly #options: ConnectionCredentialsOptions;
  readonly #reader: CredentialsReader;
  readonly #renewer: TokenRenewer;
  #current: MemberCredentials | undefined;

  constructor(options: ConnectionCredentialsOptions) {
    const { cluster, allowExec, clock, random, logger, secrets, requestToken, report, signal } = options;
    this.#options = options;
    this.#reader = new CredentialsReader({
      ...{ cluster, allowExec, clock, logger, secrets, signal },
      onRead: (credentials) => this.#use(credentials),
    });
    this.#renewer = new TokenRenewer({
      ...{ cluster, secrets, clock, logger, random, requestToken },
      onOutcome: (renewal) => report.send({ kind: "TokenRenewal", renewal }),
    });
  }

  get current(): MemberCredentials | undefined {
    return this.#current;
  }

  /** Epoch milliseconds. */
  get tokenExpiresAt(): number | undefined {
    return this.#current?.kind === "Kubeconfig" ? this.#current.claims?.expiresAt : undefined;
  }

  /** Reads the credentials again if their source has changed. */
  read(connection: MemberClusterSpec["connection"]): Promise<void> {
    return this.#reader.read(connection);
  }

  /** Renews the token from now on if this manager has to, and reports when the token ends. */
  followToken(): void {
    const credentials = this.#current;
    if (credentials === undefined) return;
    const { report, renewing } = this.#options;
    const followed = credentials.kind === "Kubeconfig" ? credentials : undefined;
    this.#renewer.follow(followed, renewing());
    const plan = followed && renewalPlan(followed.secret.annotations, followed.claims);
    const ends = plan && { expiresAt: timestamp(plan.expiresAt), renewAt: timestamp(plan.renewAt) };
    report.send({ kind: "Findings", findings: { credentials: ends ?? null } });
  }

  /** Tries at once what has failed. */
  retryRenewal(): void {
    this.#renewer.retry();
  }

  /** Resolves when no renewal is under way. */
  settled(): Promise<void> {
    return this.#renewer.settled();
  }

  [Symbol.dispose](): void {
    this.#renewer[Symbol.dispose]();
  }

  #use(next: MemberCredentials): void {
    const before = this.#current;
    this.#current = next;
    if (before === undefined || !sameCredentials(before, next)) this.#options.changed(before, next);
    this.followToken();
  }
}

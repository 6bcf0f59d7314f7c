import type { MemberClusterSpec } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import type { CredentialStore, MemberSecret } from "../../ports/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { type MemberCredentials, readCredentials } from "./credentials.ts";

const RETRY_MS = 2_000;

export interface CredentialsReaderOptions {
  cluster: string;
  allowExec: boolean;
  clock: Clock;
  logger: Logger;
  secrets: Pick<CredentialStore, "get" | "lookUp">;
  signal: AbortSignal;
  onRead: (credentials: MemberCredentials) => void;
}

/** `connection`: `spec.connection` as JSON. */
interface Source {
  connection: string;
  secret: MemberSecret | undefined;
}

/** Reads the credentials of one cluster again whenever its MemberCluster or its Secret has changed. */
export class CredentialsReader {
  readonly #options: CredentialsReaderOptions;
  #source: Source | undefined;

  constructor(options: CredentialsReaderOptions) {
    this.#options = options;
  }

  /** Never rejects. */
  async read(connection: MemberClusterSpec["connection"]): Promise<void> {
    const { cluster, allowExec, secrets, signal, onRead } = this.#options;
    const name = connection.kubeconfigSecretRef?.name;
    const secret = name === undefined ? undefined : secrets.get(name);
    const source = { connection: JSON.stringify(connection), secret };
    if (signal.aborted || (this.#source?.connection === source.connection && this.#source.secret === source.secret))
      return;
    this.#source = source;
    // The watch of the Secrets may be behind that of the MemberClusters.
    if (name !== undefined && secret === undefined && !(await this.#isMissing(name, source))) return;
    onRead(readCredentials(cluster, connection, secret, allowExec));
  }

  /** Also false when the source has changed meanwhile. */
  async #isMissing(name: string, source: Source): Promise<boolean> {
    const { secrets, signal, logger, clock } = this.#options;
    while (!signal.aborted && this.#source === source) {
      try {
        const found = await secrets.lookUp(name, signal);
        return found === undefined && this.#source === source;
      } catch (err) {
        if (signal.aborted) break;
        logger.warn(
          { err, event_reason: "SecretNotRead" },
          "the Secret of the cluster could not be read; trying again",
        );
        await clock.sleep(RETRY_MS, signal).catch(() => undefined);
      }
    }
    return false;
  }
}

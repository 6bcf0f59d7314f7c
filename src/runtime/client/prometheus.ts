import { readFileSync } from "node:fs";
import { isRefusedHost, trimEnd } from "../../apis/index.ts";
import { type Clock, TransportError } from "../core/index.ts";
import { hostOf, staticCredentials, tokenFileCredentials } from "../credentials/index.ts";
import { type BodyReader, Transport } from "../transport/index.ts";

/** A server that the administrator of a cluster allows Meridian to query. */
export interface PrometheusConfig {
  /** By {@link checkedPrometheus}. */
  url: string;
  /** PEM. Default: the authorities of the system. */
  caFile?: string;
  /** Read again when the file changes. Needs https. */
  tokenFile?: string;
}

export interface PrometheusAnswer {
  status: number;
  body: string;
}

/** Up to the last byte of the answer. A gate queries again. */
const TIMEOUT_MS = 10_000;
/** Bytes. A query with a longer answer is no gate. */
const LONGEST_ANSWER = 1 << 20;

/** http or https, a host, an optional port and path. Throws an Error whose message says what is wrong. */
export function checkedPrometheus(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:"))
    throw new Error("An address looks like https://prometheus.monitoring.svc:9090.");
  if (`${url.search}${url.hash}${url.username}${url.password}` !== "")
    throw new Error("The address may hold a host, a port and a path only.");
  if (isRefusedHost(hostOf(url))) throw new Error("Link-local and metadata addresses are never asked.");
  return trimEnd(url.href, "/");
}

/** Sends instant queries. Certificates are verified, redirects not followed, metadata addresses refused. */
export class Prometheus implements AsyncDisposable {
  readonly #transport: Transport;

  /** Throws if `caFile` cannot be read. */
  constructor({ url, caFile, tokenFile }: PrometheusConfig, clock: Clock) {
    const credentials = tokenFile === undefined ? staticCredentials({}) : tokenFileCredentials(tokenFile, clock);
    const caData = caFile === undefined ? {} : { caData: readFileSync(caFile, "utf8") };
    this.#transport = new Transport({ server: url, currentNamespace: "", credentials, ...caData }, { maxSockets: 4 });
  }

  /** Rejects with a TransportError, a CredentialsError, or the reason of the signal. */
  async query(query: string, signal: AbortSignal): Promise<PrometheusAnswer> {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const either = AbortSignal.any([signal, late]);
    try {
      return await this.#send(query, either);
    } catch (error) {
      if (late.aborted && !signal.aborted)
        throw new TransportError(
          "Timeout",
          `${this.#transport.host} did not answer within ${TIMEOUT_MS / 1000} s`,
          error,
        );
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#transport[Symbol.asyncDispose]();
  }

  async #send(query: string, signal: AbortSignal): Promise<PrometheusAnswer> {
    // A long query does not fit into a URL.
    const { status, body } = await this.#transport.stream({
      method: "POST",
      path: "/api/v1/query",
      accept: "application/json",
      contentType: "application/x-www-form-urlencoded",
      body: new URLSearchParams({ query, timeout: `${TIMEOUT_MS / 1000}s` }).toString(),
      signal,
    });
    return { status, body: await this.#read(body, signal) };
  }

  async #read(body: BodyReader, signal: AbortSignal): Promise<string> {
    const chunks: Buffer[] = [];
    let size = 0;
    try {
      for (;;) {
        const chunk = await this.#transport.readFrom(body, signal);
        if (chunk === undefined) return Buffer.concat(chunks).toString("utf8");
        size += chunk.length;
        if (size > LONGEST_ANSWER)
          throw new TransportError("TooLarge", `the answer has more than ${LONGEST_ANSWER >> 20} MiB`);
        chunks.push(chunk);
      }
    } finally {
      body.close();
    }
  }
}

import { renewCommand, type KubeObject } from "../../apis/index.ts";
import {
  type Client,
  type Clock,
  CredentialsError,
  type ApiError,
  isApiError,
  isForbidden,
  isTransportError,
  NAMESPACES,
  ServerHistory,
  type TransportError,
  type TransportReason,
} from "../../runtime/index.ts";
import { shortMessage, shortName } from "../../apis/index.ts";
import type { ProbeFailure } from "./connection.ts";

/** Probes a cluster. Failure messages hold no local ports and times, so that a status with them is stable. */

export type ProbeOutcome = { kind: "Answered"; uid: string } | { kind: "Failed"; failure: ProbeFailure };

export interface ProbeOptions {
  clock: Clock;
  timeoutMs: number;
  /** Epoch milliseconds; tells an expired token from a rejected one. */
  tokenExpiresAt?: number | undefined;
  /** Kept from one probe to the next. */
  identity: IdentityReading;
  signal: AbortSignal;
}

/**
 * `mayList`: the UID comes from a list, whose resourceVersion shows when a server went back in time. Not every account
 * may list namespaces.
 */
export interface IdentityReading {
  mayList: boolean;
}

/** A timer that is late by this much shows that this process was delayed. The answer may be in the socket already. */
const LATE_MS = 250;

class ProbeTimeoutError extends Error {
  override readonly name = "ProbeTimeoutError";
}

/** Requests `/readyz` and the UID of kube-system concurrently. Rejects only when the signal aborts. */
export async function probe(client: Client, options: ProbeOptions): Promise<ProbeOutcome> {
  const { clock, timeoutMs, signal } = options;
  signal.throwIfAborted();
  const attempt = new AbortController();
  const onAbort = (): void => attempt.abort(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  using timers = new DisposableStack();
  const due = clock.monotonic() + timeoutMs;
  const { address = "the server" } = client;
  const expire = () =>
    attempt.abort(new ProbeTimeoutError(`${shortName(address, 80)} did not answer within ${timeoutMs / 1000} s`));
  timers.use(
    clock.after(timeoutMs, () => {
      const late = clock.monotonic() - due;
      if (late < LATE_MS) expire();
      else timers.use(clock.after(Math.min(late, timeoutMs), expire));
    }),
  );
  try {
    const [, namespace] = await Promise.all([
      client.raw("GET", "/readyz", { signal: attempt.signal, accept: "text/plain, application/json" }),
      readIdentity(client, options.identity, attempt.signal),
    ]);
    return identified(namespace);
  } catch (error) {
    signal.throwIfAborted();
    return { kind: "Failed", failure: explainFailure(error, client.cluster, options) };
  } finally {
    signal.removeEventListener("abort", onAbort);
    attempt.abort(OVER);
  }
}

/** Created once, since an Error costs more than a probe. */
const OVER = new Error("the probe is over");

async function readIdentity(
  client: Client,
  reading: IdentityReading,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  if (reading.mayList) {
    const noteVersion = ServerHistory.of(client).expect();
    try {
      const { items, resourceVersion } = await client.list(NAMESPACES, {
        fieldSelector: "metadata.name=kube-system",
        limit: 1,
        metadataOnly: true,
        signal,
      });
      noteVersion(resourceVersion);
      return items.find(({ metadata }) => metadata.name === "kube-system");
    } catch (error) {
      if (!isForbidden(error)) throw error;
      reading.mayList = false;
    }
  }
  // The cache suffices, since the UID never changes.
  return client.get(NAMESPACES, undefined, "kube-system", { metadataOnly: true, resourceVersion: "0", signal });
}

function identified(namespace: KubeObject | undefined): ProbeOutcome {
  const uid = namespace?.metadata.uid;
  if (uid !== undefined && uid !== "") return { kind: "Answered", uid };
  return { kind: "Failed", failure: failed("NotReady", "the namespace kube-system has no UID") };
}

function failed(reason: ProbeFailure["reason"], message: string, abrupt = false): ProbeFailure {
  return { reason, message, abrupt };
}

const TRANSPORT: Record<TransportReason, ProbeFailure> = {
  ConnectionRefused: failed("ClusterUnreachable", "connection refused", true),
  ConnectionReset: failed("ClusterUnreachable", "connection reset", true),
  Unreachable: failed("ClusterUnreachable", "no route to the server", true),
  Timeout: failed("ClusterUnreachable", "no answer in time"),
  DNS: failed("ClusterUnreachable", "the server's name does not resolve"),
  TLS: failed("CertificateInvalid", "the server's certificate is not trusted"),
  Aborted: failed("ClusterUnreachable", "connection closed", true),
  TooSlow: failed("ClusterUnreachable", "the answer takes too long"),
  Protocol: failed("ClusterUnreachable", "the answer is not one of an API server"),
  TooLarge: failed("ClusterUnreachable", "the answer is too long for one of an API server"),
};

export function explainFailure(
  error: unknown,
  cluster: string,
  { clock, tokenExpiresAt }: Pick<ProbeOptions, "clock" | "tokenExpiresAt">,
): ProbeFailure {
  if (error instanceof ProbeTimeoutError) return { ...TRANSPORT.Timeout, message: error.message };
  if (isTransportError(error)) return explainTransport(error);
  if (isApiError(error)) {
    const renew = `run \`${renewCommand(cluster)}\``;
    if (error.status === 401) {
      if (tokenExpiresAt === undefined || tokenExpiresAt > clock.now())
        return failed("CredentialsRejected", `the server does not accept the credentials (401): ${renew}`);
      const when = `${new Date(tokenExpiresAt).toISOString().slice(0, 16)}Z`;
      return failed("CredentialsExpired", `the token expired at ${when}: ${renew}`);
    }
    if (error.status === 403) return failed("Forbidden", `its account may not get namespace kube-system: ${renew}`);
    return failed("NotReady", notReady(error));
  }
  const message = withoutNumbers(error instanceof Error ? error.message : String(error));
  if (!(error instanceof CredentialsError)) return failed("ClusterUnreachable", message);
  return failed(error.reason === "Refused" ? "AddressRefused" : "InvalidKubeconfig", message);
}

function explainTransport(error: TransportError): ProbeFailure {
  const { reason, message, endpoint } = error;
  const known = TRANSPORT[reason];
  if (endpoint !== undefined) return { ...known, message: shortMessage(withoutNumbers(message)) };
  // The original message tells what is wrong with the certificate: expired, wrong host, or unknown authority.
  return reason === "TLS" ? { ...known, message: withoutNumbers(message) } : known;
}

/** Message with as many of the failing checks as fit. */
function notReady({ status, failedChecks }: ApiError): string {
  for (let shown = failedChecks.length; shown > 0; shown -= 1) {
    const more = failedChecks.length - shown;
    const text = `/readyz: failing checks: ${failedChecks.slice(0, shown).join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
    if (shown === 1 || shortMessage(text) === text) return shortMessage(text);
  }
  return `the server is not ready (HTTP ${status})`;
}

/** Removes local ports and times, which differ each time. */
function withoutNumbers(message: string): string {
  return message
    .replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z?/g, "")
    .replace(/:\d{2,5}\b/g, "")
    .replace(/\s+/g, " ")
    .trim();
}

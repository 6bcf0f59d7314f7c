import { DEFAULT_SYSTEM_NAMESPACE } from "../../apis/index.ts";
import { redactText } from "../../observability/index.ts";
import {
  CredentialsError,
  isAnonymous,
  isApiError,
  isForbidden,
  isServerTrouble,
  isTransportError,
  isUnauthorized,
  type TransportReason,
} from "../../runtime/index.ts";
import type { Terminal } from "./terminal.ts";
import { describeWhere, type Whereabouts, whereaboutsOf } from "./whereabouts.ts";

/** Exit codes of the process. */
export const EXIT = { ok: 0, found: 1, error: 2, timeout: 3 } as const;

/** For the reference page. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "done, and everything is well",
  found: "done, and found something: changes, something unhealthy, or something left over",
  error: "an error, or wrong usage; one line on standard error says what to do",
  timeout: "not finished in time",
};

/** Ends a command. The message says what to do, and is printed without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.error;
  }
}

/** Returns the exit code. */
export function reportError(
  error: unknown,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
  { stack }: { stack: boolean },
): number {
  terminal.err(`meridian: ${signal.aborted ? "interrupted" : describeError(error)}\n`);
  if (stack && error instanceof Error) terminal.err(`${error.stack ?? ""}\n`);
  return error instanceof CommandError ? error.exitCode : EXIT.error;
}

/** One line about a failure: the problem, the place, and what to do. */
export function describeError(error: unknown): string {
  return lineOf(error, (failure) => sentenceOf(failure, whereaboutsOf(failure)));
}

/** As {@link describeError}, for a text that has named the cluster already. */
export function describeAnswer(error: unknown): string {
  return lineOf(error, (failure) => sentenceOf(failure, undefined));
}

function lineOf(error: unknown, describe: (failure: unknown) => string): string {
  const text =
    error instanceof CommandError
      ? error.message + (error.cause instanceof Error ? `: ${describe(error.cause)}` : "")
      : describe(error);
  return onOneLine(redactText(text));
}

/** Code of an error of Node: `ENOENT`, say. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export function onOneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

function sentenceOf(error: unknown, where: Whereabouts | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  if (where === undefined) return message + hintFor(error);
  const cluster = describeWhere(where);
  if (isTransportError(error) && error.reason === "Protocol") return notKubernetes(where, message);
  if (isTransportError(error)) return `${cluster} was not reached: ${message}; ${remedyFor(error.reason, where)}`;
  if (error instanceof CredentialsError) return `${cluster}: ${message}; put that right, or ${where.otherwise}`;
  if (!isApiError(error)) return `${cluster}: ${message}`;
  // A Go server sends this answer to a plain http request on an https port.
  if (error.status === 400 && isPlain(where)) return `${cluster} answers: ${message}; ${speakHttps(where)}`;
  if (isUnauthorized(error))
    return `${cluster} does not accept the credentials: ${message}; log in again, or ${where.otherwise}`;
  if (isAnonymous(error))
    return `${cluster} takes you for nobody (system:anonymous): the kubeconfig's user gives no token, client certificate or exec, and API servers do not look at username and password; add one, or ${where.otherwise}`;
  if (isForbidden(error))
    return `${cluster} refuses: ${message}; ${elsewhere(message)}ask its administrator for this right, or ${where.otherwise}`;
  if (isServerTrouble(error)) return `${cluster} cannot answer now: ${message}; try again in a moment`;
  return `${cluster} answers: ${message}${webhookRemedy(message)}`;
}

/** The person may have forgotten to name a namespace. */
function elsewhere(message: string): string {
  const [, verb = "", namespace = ""] = /cannot (\w+) resource .* in the namespace "([^"]+)"/.exec(message) ?? [];
  const isChosen = ["get", "list", "watch"].includes(verb) && !/^kube-|-system$/.test(namespace);
  return isChosen ? "give -n NAMESPACE of one that your rights reach, " : "";
}

export function notKubernetes(where: Whereabouts, message: string): string {
  return `${describeWhere(where)} does not answer as a Kubernetes API server: ${message}; ${isPlain(where) ? speakHttps(where) : `correct the server in that kubeconfig, or ${where.otherwise}`}`;
}

/** Advice if the hub could not call Meridian's webhooks; else empty. */
export function webhookRemedy(message: string): string {
  if (!/failed calling webhook "[^"]*paas\.cmft\.com"/.test(message)) return "";
  const [, namespace = DEFAULT_SYSTEM_NAMESPACE] = /https:\/\/[\w-]+\.([\w-]+)\.svc\b/.exec(message) ?? [];
  return `; no manager answers the hub's webhooks: see whether one runs (\`kubectl get pods -n ${namespace}\`), or start one (\`meridian manager --webhooks --webhook-url https://HOST:9443\`)`;
}

const isPlain = ({ server }: Whereabouts): boolean => server.startsWith("http:");
const speakHttps = ({ otherwise }: Whereabouts): string =>
  `if the server speaks https, write https:// in that kubeconfig, or ${otherwise}`;

function remedyFor(reason: TransportReason, where: Whereabouts): string {
  const { otherwise } = where;
  if (reason === "ConnectionReset" && isPlain(where)) return speakHttps(where);
  if (reason === "TLS") return `correct server and certificates in that kubeconfig, or ${otherwise}`;
  if (reason === "DNS") return `correct the server in that kubeconfig, or ${otherwise}`;
  return `check that it runs and that this machine can reach it, or ${otherwise}`;
}

function hintFor(error: unknown): string {
  if (!isApiError(error)) return "";
  if (isUnauthorized(error))
    return " (the credentials of the kubeconfig were not accepted: log in again, or choose another --context)";
  if (isForbidden(error)) return " (this needs more rights on the cluster than the kubeconfig's user has)";
  return "";
}

import { redactText } from "../observability/index.ts";
import { isApiError, isForbidden, isUnauthorized } from "../runtime/index.ts";
import type { Terminal } from "./terminal.ts";

/** What the process ends with. */
export const EXIT = { ok: 0, found: 1, error: 2, timeout: 3 } as const;

/** What each exit code says to people; the reference page is generated from these. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "done, and all is well",
  found: "done, and something was found: something unhealthy, or left over",
  error: "an error, or wrong usage; one line on standard error says what to do",
  timeout: "not finished in time",
};

/** Ends a command. The message says what to do; it is printed without a stack. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.exitCode = options.exitCode ?? EXIT.error;
  }
}

/** Says on the terminal why a command failed, and returns what the process ends with. */
export function reportError(
  error: unknown,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
  { stack }: { stack: boolean },
): number {
  terminal.err(`meridian: ${signal.aborted ? "interrupted" : describeError(error)}\n`);
  if (stack && error instanceof Error) terminal.err(`${error.stack ?? ""}\n`);
  return error instanceof CommandError ? error.exitCode : EXIT.error;
}

/** The line that a person reads when a command failed. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const cause = error instanceof CommandError && error.cause instanceof Error ? `: ${error.cause.message}` : "";
  const hint = hintFor(error instanceof CommandError ? error.cause : error);
  return onOneLine(redactText(`${message}${cause}${hint}`));
}

export function onOneLine(text: string): string {
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => line !== "").join(" ");
}

function hintFor(error: unknown): string {
  if (!isApiError(error)) return "";
  if (isUnauthorized(error))
    return " (the credentials of the kubeconfig were not accepted: log in again, or choose another --context)";
  if (isForbidden(error)) return " (this needs more rights on the cluster than the kubeconfig's user has)";
  return "";
}

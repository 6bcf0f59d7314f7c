import { constants } from "node:os";

export interface SignalContext extends Disposable {
  /** Aborted by the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  dispose(): void;
}

export interface SignalSource {
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  off(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  exit(code: number): void;
}

export class ShutdownError extends Error {
  override readonly name = "ShutdownError";
}

/** One Ctrl-C may arrive twice: from the terminal, and from npm, which forwards its own signal. */
const ONE_KEYSTROKE_MS = 300;

/** The first SIGTERM or SIGINT aborts the signal; the second ends the process at once (exit code 143 or 130). */
export function signalContext(
  source: SignalSource = process,
  monotonic: () => number = () => performance.now(),
): SignalContext {
  const controller = new AbortController();
  let firstAt = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (!controller.signal.aborted) {
      firstAt = monotonic();
      controller.abort(new ShutdownError(`stopped by ${name}`));
    } else if (monotonic() - firstAt >= ONE_KEYSTROKE_MS) source.exit(128 + constants.signals[name]);
  };
  source.on("SIGTERM", onSignal);
  source.on("SIGINT", onSignal);
  const dispose = (): void => {
    source.off("SIGTERM", onSignal);
    source.off("SIGINT", onSignal);
  };
  return { signal: controller.signal, dispose, [Symbol.dispose]: dispose };
}

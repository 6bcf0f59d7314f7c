import { ageText } from "../../apis/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { EXIT, namesText, type Terminal } from "../shared/index.ts";
import { changesOf, type HubView, type LiveContent, rowsOf } from "../live/index.ts";
import { causesOf, fullNameOf, isHealthy, type StatusReport } from "../view/index.ts";

export interface Waiting {
  view: Pick<HubView, "onChange">;
  /** The present state of what is waited for. */
  report: () => StatusReport;
  terminal: Terminal;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Changes come in bursts. */
const SETTLE_MS = 50;

/** Prints a line for each change until all is well. Returns the exit code: 0, or 3 when the time is over. */
export async function untilWell({ view, report, terminal, timeoutMs, signal }: Waiting): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  using stack = new DisposableStack();
  let before = contentOf(report());
  let settling: Disposable | undefined;
  terminal.out(`${beginning(report())}\n`);
  const check = (): void => {
    settling = undefined;
    const now = report();
    const after = contentOf(now);
    for (const line of changesOf(before, after, systemClock.now())) terminal.out(`${line}\n`);
    before = after;
    if (isHealthy(now)) resolve(EXIT.ok);
  };
  stack.use(view.onChange(() => (settling ??= systemClock.after(SETTLE_MS, check))));
  stack.defer(() => settling?.[Symbol.dispose]());
  stack.use(systemClock.after(timeoutMs, () => resolve(EXIT.timeout)));
  // Keeps the process alive while only an idle watch is open.
  const alive = setInterval(() => undefined, 60_000);
  stack.defer(() => clearInterval(alive));
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  stack.defer(() => signal.removeEventListener("abort", onAbort));
  if (signal.aborted) onAbort();
  check();
  const code = await promise;
  if (code === EXIT.ok) terminal.out("all is well\n");
  else terminal.err(`meridian: not well after ${ageText(timeoutMs)}: ${missing(report())}\n`);
  return code;
}

function contentOf(report: StatusReport): LiveContent {
  return { causes: causesOf(report), rows: rowsOf(report, []), ended: [] };
}

function beginning(report: StatusReport): string {
  return isHealthy(report) ? "nothing to wait for" : `waiting for ${missing(report)}`;
}

/** `default/shop (ImagePullBackOff), cluster eu-1 (ClusterUnreachable)`. */
function missing({ objects, clusters }: StatusReport): string {
  const named = (name: string, reason: string): string => (reason === "" ? name : `${name} (${reason})`);
  return namesText([
    ...objects.filter(({ healthy }) => !healthy).map((object) => named(fullNameOf(object), object.reason)),
    ...clusters
      .filter(({ ready, deleting }) => ready !== "True" || deleting)
      .map(({ name, reason }) => named(`cluster ${name}`, reason)),
  ]);
}

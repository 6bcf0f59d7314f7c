import { durationMs } from "../../../apis/index.ts";
/** What somebody wants to go wrong with a cluster, in the words of an annotation. Pure. */

/** On a MemberCluster of the quickstart's hub: breaks that cluster. Taking it away mends it. */
export const FAULT_ANNOTATION = "sandbox.paas.cmft.com/fault";

/** What an annotation asks for; the fields of {@link FaultPlan.settings} are those of the sandbox's faults. */
export interface FaultPlan {
  crash: boolean;
  settings: {
    partition?: "silent" | "reset" | "refuse";
    latencyMs?: number;
    errorRate?: number;
    throttleRate?: number;
    watchLifetimeMs?: number;
    podDelayMs?: number;
    podsStuck?: boolean;
    clockSkewMs?: number;
  };
}

/** What can be asked for, for a person who asked for something else. */
export const FAULT_WORDS =
  "partition, partition=reset, partition=refuse, crash, latency=500ms, errors=30%, throttle=50%, watches=5s, pods=stuck, pods=20s, clock=-5m";

const DURATION = /^\d{1,15}(\.\d{1,15})?(ms|s|m|h)$/;

/** Reads `partition` or `latency=500ms,errors=10%`. The error is a sentence about the first part that means nothing. */
export function parseFault(text: string): FaultPlan | { error: string } {
  const plan: FaultPlan = { crash: false, settings: {} };
  for (const part of text.split(",")) {
    const [word = "", value] = part.trim().split("=", 2);
    if (!apply(plan, word, value)) return { error: `"${part.trim()}" is no fault; there are ${FAULT_WORDS}` };
  }
  return plan;
}

function apply(plan: FaultPlan, word: string, value: string | undefined): boolean {
  const { settings } = plan;
  switch (word) {
    case "partition":
      if (value !== undefined && value !== "silent" && value !== "reset" && value !== "refuse") return false;
      settings.partition = value ?? "silent";
      return true;
    case "crash":
      plan.crash = true;
      return value === undefined;
    case "latency":
      return take(duration(value), (ms) => (settings.latencyMs = ms));
    case "errors":
      return take(share(value), (rate) => (settings.errorRate = rate));
    case "throttle":
      return take(share(value), (rate) => (settings.throttleRate = rate));
    case "watches":
      return take(duration(value), (ms) => (settings.watchLifetimeMs = ms));
    case "pods":
      if (value === "stuck") settings.podsStuck = true;
      return value === "stuck" || take(duration(value), (ms) => (settings.podDelayMs = ms));
    case "clock":
      return take(signedDuration(value), (ms) => (settings.clockSkewMs = ms));
    default:
      return false;
  }
}

function take(value: number | undefined, keep: (value: number) => void): boolean {
  if (value !== undefined) keep(value);
  return value !== undefined;
}

/** Milliseconds. */
function duration(text = ""): number | undefined {
  return DURATION.test(text) ? durationMs(text) : undefined;
}

function signedDuration(text = ""): number | undefined {
  const ms = duration(text.replace(/^[+-]/, ""));
  return ms !== undefined && text.startsWith("-") ? -ms : ms;
}

/** From 0 to 1. */
function share(text = ""): number | undefined {
  const [, amount] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  const rate = Number(amount) / 100;
  return amount === undefined || rate > 1 ? undefined : rate;
}

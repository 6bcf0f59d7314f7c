import { durationMs } from "../../../apis/index.ts";
/** Faults that a person wants on a cluster, as the text of an annotation. Pure. */

/** Annotation of a MemberCluster on the quickstart's hub: breaks the cluster until it is removed. */
export const FAULT_ANNOTATION = "sandbox.paas.cmft.com/fault";

/** The settings are the fields of the sandbox's faults. */
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

export const FAULT_WORDS =
  "partition, partition=reset, partition=refuse, crash, latency=500ms, errors=30%, throttle=50%, watches=5s, pods=stuck, pods=20s, clock=-5m";

const DURATION = /^\d{1,15}(\.\d{1,15})?(ms|s|m|h)$/;

/** Reads `partition` or `latency=500ms,errors=10%`. */
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

/** In milliseconds. */
function duration(text = ""): number | undefined {
  return DURATION.test(text) ? durationMs(text) : undefined;
}

function signedDuration(text = ""): number | undefined {
  const ms = duration(text.replace(/^[+-]/, ""));
  return ms !== undefined && text.startsWith("-") ? -ms : ms;
}

/** A share from 0 to 1. */
function share(text = ""): number | undefined {
  const [, amount] = /^(\d+(?:\.\d+)?)%$/.exec(text) ?? [];
  const rate = Number(amount) / 100;
  return amount === undefined || rate > 1 ? undefined : rate;
}

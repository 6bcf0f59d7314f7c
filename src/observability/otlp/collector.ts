import { trimEnd } from "../../apis/index.ts";

export const SIGNALS = ["traces", "metrics", "logs"] as const;
export type Signal = (typeof SIGNALS)[number];

export type Environment = Readonly<Record<string, string | undefined>>;

/** The exporter's own errors do not name the wrong setting. */
export function isCollectorAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}

/**
 * Where a signal goes: below `endpoint` if given (empty: nowhere), else where OTEL_EXPORTER_OTLP_* says. Throws an Error
 * with a sentence that names the variable and says what to write.
 */
export function collectorAddress(signal: Signal, endpoint: string | undefined, env: Environment): string | undefined {
  if (endpoint !== undefined) return endpoint === "" ? undefined : below(endpoint, signal);
  const name = `OTEL_EXPORTER_OTLP_${signal.toUpperCase()}_ENDPOINT`;
  const own = addressIn(env, name, `http://host:4318/v1/${signal}`);
  if (own !== undefined) return own;
  const base = addressIn(env, "OTEL_EXPORTER_OTLP_ENDPOINT", "http://host:4318");
  return base === undefined ? undefined : below(base, signal);
}

/** By the list if given, else by the environment. */
export function isSignalWanted(signal: Signal, given: readonly Signal[] | undefined, env: Environment): boolean {
  return given === undefined ? !isTurnedOff(signal, env) : given.includes(signal);
}

/** True if the environment turns the signal off, such as `OTEL_LOGS_EXPORTER=none`. */
function isTurnedOff(signal: Signal, env: Environment): boolean {
  return env[`OTEL_${signal.toUpperCase()}_EXPORTER`]?.trim() === "none";
}

function addressIn(env: Environment, name: string, example: string): string | undefined {
  const address = env[name];
  if (address === undefined || address === "") return undefined;
  if (!isCollectorAddress(address))
    throw new Error(`the environment variable ${name} is '${address}', which is no address: write it as ${example}`);
  return address;
}

function below(base: string, signal: Signal): string {
  return `${trimEnd(base, "/")}/v1/${signal}`;
}

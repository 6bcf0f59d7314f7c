import type { GateAnswer } from "./types.ts";

/** Verdict on the metrics server's answer to the query of a gate. */
export interface GateReply {
  answer: GateAnswer;
  /** Part of a sentence for the status. Never text of the server, which may mention other tenants. */
  why?: string;
}

/**
 * Judges the answer of Prometheus' `/api/v1/query`, which may be anything. The gate passes when every sample is above
 * 0, and fails when one is not. Unknown without a sample, or with one that is not a number, or with a warning.
 */
export function gateReply(status: number, body: string): GateReply {
  const answer = parsed(body);
  if (status === 401 || status === 403) return unknown("Prometheus refuses the manager");
  if (answer?.["errorType"] === "bad_data") return unknown("Prometheus does not understand the query");
  if (answer?.["errorType"] === "timeout") return unknown("the query takes Prometheus too long");
  if (status !== 200 || answer?.["status"] !== "success") return unknown(`Prometheus answered with ${status}`);
  const { warnings } = answer;
  if (Array.isArray(warnings) && warnings.length > 0) return unknown("Prometheus warns that its answer is not whole");
  const samples = samplesOf(answer["data"]);
  if (samples === undefined) return unknown("the query does not give an instant vector or a scalar");
  if (samples.length === 0) return unknown("the query gives no sample");
  if (samples.some((value) => value <= 0)) return { answer: "Failed" };
  if (samples.some(Number.isNaN)) return unknown("the query gives a sample that is not a number");
  return { answer: "Passed" };
}

function unknown(why: string): GateReply {
  return { answer: "Unknown", why };
}

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(body));
  } catch {
    // Not JSON: a proxy in front of Prometheus answered. The HTTP status says enough.
    return undefined;
  }
}

function asRecord(value: unknown): Record<string, unknown> | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/** Undefined if the data is neither a vector nor a scalar, or is malformed. */
function samplesOf(data: unknown): number[] | undefined {
  const { resultType, result } = asRecord(data) ?? {};
  if (!Array.isArray(result)) return undefined;
  if (resultType === "scalar") return allOf([valueOf(result)]);
  if (resultType !== "vector") return undefined;
  return allOf(result.map((one) => valueOf(asRecord(one)?.["value"])));
}

function allOf(values: readonly (number | undefined)[]): number[] | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === values.length ? known : undefined;
}

/** Number in a sample `[time, "value"]`. */
function valueOf(sample: unknown): number | undefined {
  const text: unknown = Array.isArray(sample) ? sample[1] : undefined;
  if (text === "NaN") return Number.NaN;
  if (text === "+Inf" || text === "Inf") return Number.POSITIVE_INFINITY;
  if (text === "-Inf") return Number.NEGATIVE_INFINITY;
  const value = typeof text === "string" && text.trim() !== "" ? Number(text) : Number.NaN;
  return Number.isNaN(value) ? undefined : value;
}

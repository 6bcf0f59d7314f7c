import { timestamp } from "../../apis/index.ts";
import { quoted, timeIn } from "../ask/index.ts";
import type { LogOptions } from "../members/index.ts";
import { badRequest } from "../types.ts";

export type LogRequest = Omit<LogOptions, "idleTimeoutMs"> & { timeoutMs?: number };

const LINES = 100;
const MOST_LINES = 10_000;
const MOST_SECONDS = 31_536_000;
/** A log that is followed ends after this time at the latest. */
export const LONGEST_FOLLOWED_S = 900;
/** Names of pods and containers, as Kubernetes has them. */
const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;
const KNOWN = new Set([
  "pod",
  "container",
  "tailLines",
  "sinceSeconds",
  "sinceTime",
  "timestamps",
  "follow",
  "previous",
  "timeoutSeconds",
  "pretty",
]);

/** @throws {QueryError} 400 that names the parameter */
export function logRequestOf(parameters: URLSearchParams): LogRequest {
  const unknown = [...parameters.keys()].find((name) => !KNOWN.has(name));
  if (unknown !== undefined) throw badRequest(`log has no parameter ${quoted(unknown)}`);
  const [pod, container] = [nameOf(parameters, "pod"), nameOf(parameters, "container")];
  const sinceSeconds = numberOf(parameters, "sinceSeconds", MOST_SECONDS);
  const sinceTime = timeOf(parameters, "sinceTime");
  if (sinceSeconds !== undefined && sinceTime !== undefined)
    throw badRequest("sinceSeconds does not go with sinceTime; leave one of them out");
  const lines = numberOf(parameters, "tailLines", MOST_LINES) ?? (sinceTime === undefined ? LINES : undefined);
  const seconds = numberOf(parameters, "timeoutSeconds", LONGEST_FOLLOWED_S);
  const follow = flagOf(parameters, "follow");
  return {
    ...(pod === undefined ? {} : { pod }),
    ...(container === undefined ? {} : { container }),
    ...(lines === undefined ? {} : { tailLines: lines }),
    ...(sinceTime === undefined ? {} : { sinceTime }),
    ...(sinceSeconds === undefined ? {} : { sinceSeconds }),
    follow,
    timestamps: flagOf(parameters, "timestamps"),
    previous: flagOf(parameters, "previous"),
    ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }),
  };
}

/** @throws {QueryError} 400 if there is one */
export function noParameters(part: string, parameters: URLSearchParams): undefined {
  const name = [...parameters.keys()].find((one) => one !== "pretty");
  if (name !== undefined) throw badRequest(`${part} takes no parameter, and not ${quoted(name)}`);
}

function nameOf(parameters: URLSearchParams, parameter: string): string | undefined {
  const value = parameters.get(parameter) ?? "";
  if (value === "") return undefined;
  if (!NAME.test(value)) throw badRequest(`${parameter} takes a name, not ${quoted(value)}`);
  return value;
}

function numberOf(parameters: URLSearchParams, parameter: string, most: number): number | undefined {
  const value = parameters.get(parameter) ?? "";
  if (value === "") return undefined;
  const number = /^[0-9]{1,9}$/.test(value) ? Number(value) : 0;
  if (number < 1 || number > most)
    throw badRequest(`${parameter} takes a whole number from 1 to ${most}, not ${quoted(value)}`);
  return number;
}

/** Members tell no parts of a second apart here. */
function timeOf(parameters: URLSearchParams, parameter: string): string | undefined {
  const value = parameters.get(parameter) ?? "";
  if (value === "") return undefined;
  const at = timeIn(value);
  if (at === undefined)
    throw badRequest(`${parameter} takes a time, such as 2026-01-31T14:02:00Z, not ${quoted(value)}`);
  return timestamp(at);
}

function flagOf(parameters: URLSearchParams, parameter: string): boolean {
  const value = parameters.get(parameter);
  if (value === null || value === "false" || value === "0") return false;
  if (value === "true" || value === "1" || value === "") return true;
  throw badRequest(`${parameter} takes true or false`);
}

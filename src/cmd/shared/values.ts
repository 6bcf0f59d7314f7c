import { InvalidArgumentError } from "@commander-js/extra-typings";
import { durationMs } from "../../apis/index.ts";

/** Readers of values on the command line. */

const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function isDnsLabel(text: string): boolean {
  return DNS_LABEL.test(text);
}

/** Reads `90s`, `2m`, `1h30m`, `500ms` as milliseconds. */
export function parseDuration(text: string): number {
  if (!/^(\d{1,15}(\.\d{1,15})?(ms|s|m|h|d))+$/.test(text)) {
    throw new InvalidArgumentError("A duration looks like 90s, 2m or 1h30m.");
  }
  return durationMs(text);
}

export function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65_535) throw new InvalidArgumentError("A port is a number between 0 and 65535.");
  return port;
}

export function parseBoolean(text: string): boolean {
  if (text === "true") return true;
  if (text === "false") return false;
  throw new InvalidArgumentError("The value is true or false.");
}

const LABEL_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;
const LABEL_PREFIX = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

/** A name with an optional DNS prefix. */
export function isLabelKey(key: string): boolean {
  const slash = key.indexOf("/");
  const name = key.slice(slash + 1);
  return LABEL_NAME.test(name) && (slash < 0 || LABEL_PREFIX.test(key.slice(0, slash)));
}

export function isLabelValue(value: string): boolean {
  return value === "" || LABEL_NAME.test(value);
}

/** For labels that have their own option (--region, --zone). */
export function parseLabelValue(text: string): string {
  if (text === "" || !isLabelValue(text))
    throw new InvalidArgumentError("The value has at most 63 letters, digits, '-', '_' and '.'.");
  return text;
}

/** Adds one namespace to the earlier ones. */
export function parseNamespace(text: string, before: string[] = []): string[] {
  if (!isDnsLabel(text)) {
    throw new InvalidArgumentError("A namespace has at most 63 lower-case letters, digits and '-'.");
  }
  return [...new Set([...before, text])];
}

export const EVERYTHING = "*";

export function parseDnsLabel(text: string): string {
  if (!isDnsLabel(text)) {
    throw new InvalidArgumentError("The name has at most 63 lower-case letters, digits and '-'.");
  }
  return text;
}

/** A DNS label: the name is also a label value, a metric's label and a Secret's name. */
export function parseClusterName(text: string): string {
  if (!isDnsLabel(text)) {
    throw new InvalidArgumentError(
      "A cluster's name has at most 63 lower-case letters, digits and '-', and begins and ends with a letter or digit.",
    );
  }
  return text;
}

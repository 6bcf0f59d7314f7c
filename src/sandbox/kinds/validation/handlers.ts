import type { FieldError } from "../../types.ts";
import { forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { httpHeaderName, portName, portNumber } from "../names.ts";
import { count, fields, fieldsList, isMissing, list, text, type Fields } from "../values.ts";
import { notNegative } from "./numbers.ts";

/** A number from 1 to 65535, or the name of a port. */
export function validatePort(port: unknown, at: string): FieldError[] {
  if (typeof port === "string") return portName(port).map((message) => invalid(at, port, message));
  return portNumber(count(port)).map((message) => invalid(at, count(port), message));
}

const HANDLERS: Readonly<Record<string, (handler: Fields, at: string) => FieldError[]>> = {
  exec: ({ command }, at) => (list(command).length === 0 ? [required(`${at}.command`)] : []),
  httpGet: validateHttpGet,
  tcpSocket: ({ port }, at) => validatePort(port, `${at}.port`),
  grpc: ({ port }, at) => validatePort(port, `${at}.port`),
  sleep: ({ seconds }, at) =>
    count(seconds) < 0
      ? [invalid(at, seconds, "must be non-negative and less than terminationGracePeriodSeconds")]
      : [],
};

function validateHttpGet({ path, port, scheme, httpHeaders }: Fields, at: string): FieldError[] {
  const errors: FieldError[] = text(path) === "" ? [required(`${at}.path`)] : [];
  errors.push(...validatePort(port, `${at}.port`));
  if (scheme !== "HTTP" && scheme !== "HTTPS") errors.push(notSupported(`${at}.scheme`, scheme, ["HTTP", "HTTPS"]));
  for (const { name } of fieldsList(httpHeaders)) {
    for (const message of httpHeaderName(text(name))) errors.push(invalid(`${at}.httpHeaders`, name, message));
  }
  return errors;
}

/** A probe or hook needs exactly one kind of handler. */
function validateHandler(holder: Fields, kinds: readonly string[], at: string): FieldError[] {
  const given = kinds.filter((kind) => !isMissing(holder[kind]));
  const [first, ...more] = given;
  if (first === undefined) return [required(at, "must specify a handler type")];
  return [
    ...(HANDLERS[first]?.(fields(holder[first]), `${at}.${first}`) ?? []),
    ...more.map((kind) => forbidden(`${at}.${kind}`, "may not specify more than 1 handler type")),
  ];
}

export function validateProbe(kind: "liveness" | "readiness" | "startup", probe: unknown, at: string): FieldError[] {
  if (isMissing(probe)) return [];
  const given = fields(probe);
  const errors = validateHandler(given, ["exec", "httpGet", "tcpSocket", "grpc"], at);
  for (const field of [
    "initialDelaySeconds",
    "timeoutSeconds",
    "periodSeconds",
    "successThreshold",
    "failureThreshold",
  ]) {
    errors.push(...notNegative(given[field], `${at}.${field}`));
  }
  const grace = given["terminationGracePeriodSeconds"];
  const here = `${at}.terminationGracePeriodSeconds`;
  if (!isMissing(grace) && count(grace) <= 0) errors.push(invalid(here, grace, "must be greater than 0"));
  if (kind === "readiness") {
    if (!isMissing(grace)) errors.push(invalid(here, grace, "must not be set for readinessProbes"));
  } else if (count(given["successThreshold"]) !== 1) {
    errors.push(invalid(`${at}.successThreshold`, count(given["successThreshold"]), "must be 1"));
  }
  return errors;
}

export function validateLifecycle(lifecycle: unknown, at: string): FieldError[] {
  return ["postStart", "preStop"].flatMap((field) => {
    const handler = fields(lifecycle)[field];
    if (isMissing(handler)) return [];
    return validateHandler(fields(handler), ["exec", "httpGet", "tcpSocket", "sleep"], `${at}.${field}`);
  });
}

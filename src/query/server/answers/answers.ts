import type { ServerResponse } from "node:http";
import type { ListAnswer } from "../../types.ts";
import type { StatusBody } from "./failures.ts";
import { listBody, type Representation } from "./representation.ts";

/** In `partial`: no cluster's rows are in the answer. */
export const EVERY_CLUSTER = "*";
const MOST_WARNINGS = 5;
const JSON_TYPE = "application/json";

export function send(response: ServerResponse, body: object, code = 200, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(code, {
    "content-type": JSON_TYPE,
    "content-length": Buffer.byteLength(text),
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  response.end(text);
}

/** A table has no place for `partial`, but kubectl prints warnings. */
export function sendList(response: ServerResponse, how: Representation, answer: ListAnswer): void {
  const { partial } = answer;
  const warnings = partial.slice(0, MOST_WARNINGS).map(({ cluster, reason }) => {
    const what = cluster === EVERY_CLUSTER ? "no rows are here" : `rows of ${cluster} may be out of date`;
    return `299 - "${`${what}: ${reason}`.replaceAll(/[^\x20-\x7e]|["\\]/g, "?")}"`;
  });
  const more = partial.length - warnings.length;
  if (more > 0) warnings.push(`299 - "rows of ${more} more clusters may be out of date"`);
  if (warnings.length > 0) response.setHeader("warning", warnings);
  send(response, listBody(how, answer));
}

export function refuse(response: ServerResponse, status: StatusBody): void {
  const after = status.details?.retryAfterSeconds;
  send(response, status, status.code, {
    ...(after === undefined ? {} : { "retry-after": String(after) }),
    ...(status.code === 401 ? { "www-authenticate": "Bearer" } : {}),
    ...(status.code === 405 ? { allow: "GET" } : {}),
    // What comes after a refused body is not another request.
    ...(status.code === 413 || status.code === 405 ? { connection: "close" } : {}),
  });
}

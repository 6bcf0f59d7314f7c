import { defined, isRecord } from "../../apis/index.ts";
import { ApiError, TransportError } from "../core/index.ts";
import {
  type Answer,
  type JsonBounds,
  JsonTooLargeError,
  parseJsonInPieces,
  type Pause,
  type ResponseHead,
} from "../transport/index.ts";
import type { ApiStatus } from "../types.ts";
import { statusFrom } from "./wire.ts";

/** Reasons by HTTP status, for answers of proxies and filters without a reason. */
const REASONS: Record<number, string> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  502: "BadGateway",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** Objects have up to 10,000 levels; a page of 500 nodes has a million values. A larger page is requested in parts. */
const BOUNDS: JsonBounds = { levels: 10_020, values: 1_500_000 };

/** Parses a JSON answer. An error never quotes the text. */
export async function parseJson(text: string, host: string, pause: Pause): Promise<unknown> {
  try {
    return await parseJsonInPieces(text, BOUNDS, pause);
  } catch (error) {
    if (!(error instanceof JsonTooLargeError))
      throw new TransportError("Protocol", `${host} answered with something that is not JSON`);
    const { passed } = error;
    throw new TransportError("TooLarge", `${host} sent JSON of more than ${BOUNDS[passed]} ${passed}`);
  }
}

export function isJson(head: ResponseHead): boolean {
  const type = head.headers["content-type"];
  return typeof type === "string" && /^application\/([\w.-]+\+)?json\b/.test(type);
}

/** Error of an unsuccessful answer. `sensitive`: values that servers like to quote of a Secret are removed. */
export function apiErrorFrom(
  answer: Omit<Answer, "release">,
  asked: { withToken: boolean; sensitive: boolean },
): ApiError {
  const status = isJson(answer) ? parseStatus(answer.body) : undefined;
  const code = answer.status;
  const reason = status?.reason ?? REASONS[code] ?? "Unknown";
  // The Status of a 404 names the missing object or namespace. Without a name, the path is not served.
  const ofPath = code === 404 && (status?.details?.name ?? "") === "";
  const said = status?.message ?? `the server answered ${code} ${reason}`;
  const details = asked.sensitive ? withoutValues(status?.details) : status?.details;
  const apiMessage = asked.sensitive ? withoutQuotedValues(said) : said;
  const retryAfterMs = retryAfter(answer, status);
  return new ApiError(code, reason, apiMessage, {
    ...(code === 401
      ? { message: `${asked.withToken ? "token" : "client certificate"} rejected (401 Unauthorized)` }
      : {}),
    ...defined({ details }),
    ...(status === undefined ? { failedChecks: failedChecks(answer.body) } : {}),
    ofPath,
    ...defined({ retryAfterMs }),
  });
}

const LONGEST_CHECKS = 65_536;

/** Names in the answer of a health check (lines `[-]name failed: …`). Nothing else is kept. */
function failedChecks(body: string): string[] {
  const names: string[] = [];
  for (const [, name] of body.slice(0, LONGEST_CHECKS).matchAll(/^\[-\]([\w./-]{1,100})/gm))
    if (name !== undefined && names.length < 100) names.push(name);
  return names;
}

function parseStatus(body: string): ApiStatus | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  return isRecord(parsed) && parsed["kind"] === "Status" ? statusFrom(parsed) : undefined;
}

/** Milliseconds, from the `Retry-After` header (seconds or a date), else from the Status. */
function retryAfter(answer: ResponseHead, status: ApiStatus | undefined): number | undefined {
  const header = answer.headers["retry-after"];
  if (typeof header === "string") {
    const seconds = Number(header);
    if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
    const at = Date.parse(header);
    const now = dateOf(answer);
    if (Number.isFinite(at) && now !== undefined) return Math.max(0, at - now);
  }
  const seconds = status?.details?.retryAfterSeconds;
  return typeof seconds === "number" && seconds > 0 ? seconds * 1000 : undefined;
}

/** Epoch milliseconds of the server's clock; undefined without a readable `Date` header. */
export function dateOf({ headers: { date } }: ResponseHead): number | undefined {
  const at = typeof date === "string" ? Date.parse(date) : Number.NaN;
  return Number.isFinite(at) ? at : undefined;
}

function withoutValues(details: ApiStatus["details"]): ApiStatus["details"] {
  if (details?.causes === undefined) return details;
  return {
    ...details,
    causes: details.causes.map((cause) =>
      cause.message === undefined ? cause : { ...cause, message: withoutQuotedValues(cause.message) },
    ),
  };
}

const LONG_QUOTATION = 66;

/** Removes values that validation errors quote. A quotation that was cut off reaches to the end: no pattern backtracks. */
function withoutQuotedValues(message: string): string {
  return message
    .replace(
      /(Invalid value|Unsupported value|Duplicate value): (?:"(?:[^"\\]|\\[^])*(?:\\?$|")|map\[[^\]]*(?:$|\])|\{[^}]*(?:$|\})|[^\s:,]+)/g,
      "$1: (not shown)",
    )
    .replace(/"(?:[^"\\]|\\[^])*(?:\\?$|")/g, (quoted) => (quoted.length < LONG_QUOTATION ? quoted : '"(not shown)"'));
}

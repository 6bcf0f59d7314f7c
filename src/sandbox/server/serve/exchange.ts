import type { IncomingHttpHeaders } from "node:http";
import { type WatchSink } from "../read/index.ts";

/** One request, independent of the transport. */
export interface Incoming {
  method: string;
  /** The path without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** Aborts when the client goes away. */
  signal: AbortSignal;
}

export type Outgoing =
  | { kind: "Whole"; status: number; headers: Record<string, string | string[]>; body: string | Buffer }
  /** `begin` is called once. The stream sends until it is disposed or calls `end`. */
  | { kind: "Stream"; headers: Record<string, string | string[]>; begin: (sink: WatchSink) => Promise<Disposable> }
  /** The request is never answered. */
  | { kind: "Silence" }
  /** The connection is cut without an answer. */
  | { kind: "Reset" };

/** `Warning` headers as the server writes them; each text once. */
export function warningHeaders(warnings: readonly string[]): string[] {
  return [...new Set(warnings)].map(
    (text) =>
      `299 - "${text
        .replaceAll(/[\p{C}]/gu, " ")
        .replaceAll("\\", "\\\\")
        .replaceAll('"', '\\"')}"`,
  );
}

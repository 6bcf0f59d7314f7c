/**
 * HTTP exchanges with an API server: sockets, TLS, bounded bodies, answers read in pieces.
 *
 * Promises: TLS is verified unless the configuration says otherwise; every body and every line has a bound; a failure
 * says which side failed.
 */
export { type Answer, type BodyReader, type ResponseHead } from "./exchange.ts";
export { type JsonBounds, JsonTooLargeError, parseJsonInPieces, type Pause } from "./jsonPieces.ts";
export { LineSplitter } from "./lineSplitter.ts";
export { Transport, type TransportOptions, type TransportRequest } from "./transport.ts";

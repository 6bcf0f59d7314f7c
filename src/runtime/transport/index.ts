/** HTTP with an API server: TLS is verified unless a person says otherwise; every body and line has a bound. */
export { type Answer, type BodyReader, type ResponseHead } from "./exchange.ts";
export { type JsonBounds, JsonTooLargeError, parseJsonInPieces, type Pause } from "./jsonPieces.ts";
export { LineSplitter } from "./lineSplitter.ts";
export { Transport, type TransportOptions, type TransportRequest } from "./transport.ts";

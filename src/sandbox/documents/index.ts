/**
 * Discovery of an API server's groups and resources (lists, and the aggregated form that kubectl requests), and its
 * OpenAPI documents (v2 as JSON or protobuf, v3 as JSON). Promises that every document is a pure function of the served
 * resources, is built on first use, and is kept as long as the same array of resources is in use. Descriptions come
 * from the given schemas. The paths for `watch`, `proxy` and the like, which no client requests, are missing. Never
 * reads the store and never sends anything.
 */
export { answerDocument, type DocumentRequest } from "./answer.ts";
export { compareVersions } from "./groups.ts";

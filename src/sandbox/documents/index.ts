/**
 * What an API server says of itself: the discovery of its groups and resources (lists, and the aggregated form that kubectl asks
 * for) and its OpenAPI documents (v2 as JSON or protobuf, v3 as JSON). It promises that every document is a pure function of the resources
 * served, is built only when somebody asks, and is kept as long as that very array of resources is in use. Descriptions are those of the schemas it is given;
 * the paths for `watch`, `proxy` and the like, which no client asks for, are left out. It never reads the store and never sends anything.
 */
export { answerDocument, type DocumentRequest } from "./answer.ts";
export { compareVersions } from "./groups.ts";

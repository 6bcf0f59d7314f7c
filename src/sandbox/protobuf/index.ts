/**
 * Objects in Kubernetes' protobuf format, which typed clients send (`kubectl create deployment`, `kubectl auth can-i`).
 * Promises the object that the same client would have sent as JSON, for all built-in kinds. Read-only: every such
 * client accepts JSON answers.
 */
export { decodeObject } from "./decode.ts";
export { ProtobufError } from "./reader.ts";

/** Media type of protobuf bodies. */
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

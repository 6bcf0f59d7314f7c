/**
 * Objects in Kubernetes' protobuf form, which typed clients send (`kubectl create deployment`, `kubectl auth can-i`). It promises the object that the
 * same client would have sent as JSON, for all built-in kinds. It reads only: every such client takes JSON for an answer.
 */
export { decodeObject } from "./decode.ts";
export { ProtobufError } from "./reader.ts";

/** The media type of such bodies. */
export const PROTOBUF_TYPE = "application/vnd.kubernetes.protobuf";

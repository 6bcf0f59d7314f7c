import { jsonType } from "../jsonType.ts";
import { badRequest, failure, type StatusError, unexplained } from "../statusError.ts";

/** Errors of strategic merge patches, with the server's codes. */

export type Fields = Readonly<Record<string, unknown>>;

export const badPrimitiveList = (): StatusError => badRequest("invalid patch format of primitive list");
export const badRetainKeys = (): StatusError => badRequest("invalid patch format of retainKeys");
export const badElementOrder = (): StatusError => badRequest("invalid patch format of setElementOrder list");

/** The server gives no reason. */
export function listOfLists(): StatusError {
  return failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function noMergeKey(item: Fields, mergeKey: string): StatusError {
  return unexplained(`${JSON.stringify(item)} does not contain the merge key ${mergeKey}`);
}

export function unknownDirective(directive: unknown, item: Fields): StatusError {
  return unexplained(`unknown $patch ${JSON.stringify(directive)} in ${JSON.stringify(item)}`);
}

export function wrongKind(expected: "map" | "list", actual: unknown): StatusError {
  return unexplained(`expected a ${expected}, but received ${jsonType(actual)}`);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { goPlain, goType } from "../fields/goText.ts";
import { badRequest, failure, type StatusError, unexplained } from "../statusError.ts";

/** What can be wrong with a strategic merge patch, in the words of the server. */

export type Fields = Readonly<Record<string, unknown>>;

export const badPrimitiveList = (): StatusError => badRequest("invalid patch format of primitive list");
export const badRetainKeys = (): StatusError => badRequest("invalid patch format of retainKeys");
export const badElementOrder = (): StatusError => badRequest("invalid patch format of setElementOrder list");

/** The server does not tell anybody why. */
export function listOfLists(): StatusError {
  return failure(422, "Invalid", "the server rejected our request due to an error in our request", {});
}

export function noMergeKey(item: Fields, mergeKey: string): StatusError {
  return unexplained(`map: ${goPlain(item)} does not contain declared merge key: ${mergeKey}`);
}

export function unknownDirective(directive: unknown, item: Fields): StatusError {
  return unexplained(`unknown patch type: ${goPlain(directive)} in map: ${goPlain(item)}`);
}

export function wrongKind(expected: "map" | "list", actual: unknown): StatusError {
  const wanted = expected === "map" ? "map[string]interface {}" : "[]interface {}";
  const found = actual === null || actual === undefined ? "%!s(<nil>)" : goType(actual);
  return unexplained(`expected a ${wanted}, but received a ${found}`);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

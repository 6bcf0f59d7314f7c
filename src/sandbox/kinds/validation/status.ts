import type { FieldError, KubeObject } from "../../types.ts";
import { invalid } from "../../fieldErrors.ts";
import { count, fields } from "../values.ts";
import { notNegative } from "./numbers.ts";

/** Replica counts of a status: none is negative, no part exceeds the whole, and available does not exceed ready. */
export function validateReplicaStatus(
  object: KubeObject,
  old: KubeObject,
  numbers: readonly string[],
  parts: readonly string[],
  moreThanReady = "cannot be greater than readyReplicas",
): FieldError[] {
  const status = fields(object["status"]);
  const errors = [...numbers, "terminatingReplicas", "collisionCount"].flatMap((field) =>
    notNegative(status[field], `status.${field}`),
  );
  for (const part of parts) {
    if (count(status[part]) > count(status["replicas"])) {
      errors.push(invalid(`status.${part}`, status[part], "cannot be greater than status.replicas"));
    }
  }
  if (count(status["availableReplicas"]) > count(status["readyReplicas"])) {
    errors.push(invalid("status.availableReplicas", status["availableReplicas"], moreThanReady));
  }
  const collisions = count(status["collisionCount"]);
  if (collisions < count(fields(old["status"])["collisionCount"])) {
    errors.push(invalid("status.collisionCount", collisions, "cannot be decremented"));
  }
  return errors;
}

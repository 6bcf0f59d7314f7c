import { firstFitting, type KubeObject, type Placement, shortName } from "../../apis/index.ts";
import { fieldsLeftOut } from "../../interpreter/index.ts";
import type { Why } from "../types.ts";

/** Fields of the object that the placement's API version lacks, with the remedy. */
export function lacking(object: KubeObject, placement: Placement | undefined): Why | undefined {
  const left = fieldsLeftOut(object);
  if (left === undefined || placement === undefined) return undefined;
  const [first = "", ...others] = left.fields;
  const counted = others.length === 0 ? first : `${first} and ${others.length} more`;
  const remedy = `name ${left.apiVersion} in ${placement.kind} ${shortName(placement.metadata.name)}`;
  const message = firstFitting([
    `${object.apiVersion} lacks ${left.fields.join(", ")}, which are not sent: ${remedy}`,
    `${object.apiVersion} lacks ${counted}: ${remedy}`,
    `${object.apiVersion} lacks fields: ${remedy}`,
  ]);
  return { reason: "VersionLacksFields", message };
}

import type { KubeObject, Placement } from "../../apis/index.ts";
import { fieldsLeftOut } from "../../interpreter/index.ts";
import type { Why } from "../types.ts";

/** Fields of the object that the placement's API version lacks, with the remedy. */
export function lacking(object: KubeObject, placement: Placement | undefined): Why | undefined {
  const left = fieldsLeftOut(object);
  if (left === undefined || placement === undefined) return undefined;
  return {
    reason: "VersionLacksFields",
    message: {
      what: `${object.apiVersion} lacks`,
      where: left.fields,
      why: "not sent",
      remedy: `name ${left.apiVersion} in ${placement.kind} ${placement.metadata.name}`,
    },
  };
}

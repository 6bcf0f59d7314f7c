import { notCarriedOut, type Placement } from "../../apis/index.ts";

/** What a placement may say and this version does not do. It is taken, since a later version does; its status says the same. */
export function warnOfUnfinished({ spec }: Placement): string[] {
  return notCarriedOut(spec).map((field) => `${field} is taken, but this version of Meridian does not carry it out`);
}

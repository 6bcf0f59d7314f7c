import { notCarriedOut, type Placement } from "../../apis/index.ts";

/**
 * Warnings about fields of a placement that this version does not carry out. The API accepts them, since a later
 * version carries them out. The placement's status names them too.
 */
export function warnOfUnfinished({ spec }: Placement): string[] {
  return notCarriedOut(spec).map((field) => `${field} is taken, but this version of Meridian does not carry it out`);
}

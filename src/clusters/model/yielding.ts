import { FIELD_MANAGER, type KubeObject } from "../../apis/index.ts";
import { type ApplyRow, expectedOf } from "../../desiredstate/index.ts";
import {
  fieldOfPlace,
  holdsPlace,
  keptFields,
  isPlaceholder,
  type LostField,
  type LostPlace,
  lostPlaces,
  type StandingField,
  valueAtElements,
} from "../../interpreter/index.ts";
import type { MemberObject } from "./memberObject.ts";

/** Fields of a desired object that are left to other owners on the member: what nobody wrote, and placeholders that others fill in. */

/** A placeholder is put back once, in case somebody has written over it by mistake. Whoever replaces it again is to fill it in. */
const PUT_BACK = 1;

type Known = Pick<MemberObject, "replaced" | "judged" | "observed">;

/** Divides what is not ours into what is put back and what is left to its owner. */
export function divideLost(
  { replaced }: Pick<MemberObject, "replaced">,
  row: ApplyRow,
  lost: readonly LostPlace[],
): { lost: readonly LostPlace[]; yielded: readonly LostPlace[] } {
  if (lost.length === 0) return { lost, yielded: lost };
  const yielded = lost.filter((place) => isYielded(replaced, row, place));
  return yielded.length === 0 ? { lost, yielded } : { lost: lost.filter((place) => !yielded.includes(place)), yielded };
}

function isYielded(replaced: MemberObject["replaced"], row: ApplyRow, place: LostPlace): boolean {
  if (!place.isHeld) return false;
  return holdsPlace(row.unwritten, place.elements) || isGivenUp(replaced, row, place);
}

/** Whether the field is a placeholder that another owner has replaced, and replaced again after it was put back. */
/** The placeholders that are left to whoever fills them in. */
export function givenUpOf({ row, judged, replaced }: Pick<MemberObject, "row" | "judged" | "replaced">): LostField[] {
  if (replaced === undefined || row?.verb !== "Apply" || judged?.hash !== row.hash) return [];
  return judged.yielded.filter((place) => isGivenUp(replaced, row, place)).map(fieldOfPlace);
}

function isGivenUp(replaced: MemberObject["replaced"], row: ApplyRow, place: LostPlace): boolean {
  return replaced !== undefined && (replaced.get(placeholderKey(row, place)) ?? 0) >= PUT_BACK;
}

/** The field and its value on the hub: another value begins anew. */
function placeholderKey({ object }: ApplyRow, { path, elements }: LostPlace): string {
  return `${path} ${JSON.stringify(valueAtElements(object, elements))}`;
}

/** How often each placeholder was put back, after these were; the same map where none of them is a placeholder. */
export function countedPlaceholders(
  replaced: MemberObject["replaced"],
  row: ApplyRow,
  putBack: readonly LostPlace[],
): MemberObject["replaced"] {
  const isFilledIn = (place: LostPlace): boolean =>
    place.isHeld && isPlaceholder(place.elements.at(-1) ?? "", valueAtElements(row.object, place.elements));
  const places = putBack.filter(isFilledIn);
  if (places.length === 0) return replaced;
  const counted = new Map(replaced);
  for (const place of places) {
    const key = placeholderKey(row, place);
    counted.set(key, (counted.get(key) ?? 0) + 1);
  }
  return counted;
}

/** The fields that the copy keeps beside a row's object: what was sent before and stands on the hub still. */
export function keptBy(
  { judged, observed }: Pick<MemberObject, "judged" | "observed">,
  row: ApplyRow,
): readonly StandingField[] {
  return keptFields(row.standing, FIELD_MANAGER, { live: observed?.evidence.live, sent: judged?.sent });
}

/** Of what a row's object is to become: the fields that nobody wrote on the hub and that others own there. `live`: metadata are enough. */
export function unwrittenOfOthers(row: ApplyRow, live: KubeObject): readonly LostPlace[] {
  if (row.unwritten === undefined) return [];
  const lost = lostPlaces(row.object, live.metadata.managedFields ?? [], FIELD_MANAGER, live);
  return divideLost({ replaced: undefined }, row, lost).yielded;
}

/**
 * The places of a row's object that an apply leaves out: an apply that forces would take the fields from their owners. As far as the owners
 * are known: of a member object that was compared with an earlier row, what was left to others then.
 */
export function leftToOthers({ replaced, judged, observed }: Known, row: ApplyRow): readonly LostPlace[] {
  if (judged?.hash === row.hash) return judged.yielded;
  if (row.unwritten === undefined && replaced === undefined) return [];
  const live = observed?.evidence.live;
  const lost =
    live === undefined
      ? (judged?.yielded ?? [])
      : lostPlaces(expectedOf(row.object, live), live.metadata.managedFields ?? [], FIELD_MANAGER, live);
  return divideLost({ replaced }, row, lost).yielded;
}

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
  type HubOwnedField,
  valueAtElements,
} from "../../interpreter/index.ts";
import type { MemberObject } from "./memberObject.ts";

/** A placeholder is put back once, in case of a mistake. An owner that replaces it again may keep it. */
const PUT_BACK = 1;

/** Divides the fields that we do not own into fields to take back and fields left to their owners. */
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

/** Placeholders that another owner replaced again after they were put back. */
export function givenUpOf({ row, judged, replaced }: Pick<MemberObject, "row" | "judged" | "replaced">): LostField[] {
  if (replaced === undefined || row?.verb !== "Apply" || judged?.hash !== row.hash) return [];
  return judged.yielded.filter((place) => isGivenUp(replaced, row, place)).map(fieldOfPlace);
}

function isGivenUp(replaced: MemberObject["replaced"], row: ApplyRow, place: LostPlace): boolean {
  return replaced !== undefined && (replaced.get(placeholderKey(row, place)) ?? 0) >= PUT_BACK;
}

/** Field and its value on the hub, so that a new value starts a new count. */
function placeholderKey({ object }: ApplyRow, { path, elements }: LostPlace): string {
  return `${path} ${JSON.stringify(valueAtElements(object, elements))}`;
}

/** Counts the placeholders in `putBack`. Returns the same map when `putBack` holds no placeholder. */
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

/** Fields that the copy keeps in addition to the row's object: they were sent before and are still set on the hub. */
export function keptBy(
  { judged, observed }: Pick<MemberObject, "judged" | "observed">,
  row: ApplyRow,
): readonly HubOwnedField[] {
  return keptFields(row.hubOwned, FIELD_MANAGER, { live: observed?.evidence.live, sent: judged?.sent });
}

/** Fields that nobody wrote on the hub and that others own on the member. `live`: its metadata are enough. */
export function unwrittenOfOthers(row: ApplyRow, live: KubeObject): readonly LostPlace[] {
  if (row.unwritten === undefined) return [];
  const lost = lostPlaces(row.object, live.metadata.managedFields ?? [], FIELD_MANAGER, live);
  return divideLost({ replaced: undefined }, row, lost).yielded;
}

/** Fields that a forced apply leaves to their owners; those of the last comparison if the live object was dropped. */
export function leftToOthers(
  { replaced, judged, observed }: Pick<MemberObject, "replaced" | "judged" | "observed">,
  row: ApplyRow,
): readonly LostPlace[] {
  if (judged?.hash === row.hash) return judged.yielded;
  if (row.unwritten === undefined && replaced === undefined) return [];
  const live = observed?.evidence.live;
  const lost =
    live === undefined
      ? (judged?.yielded ?? [])
      : lostPlaces(expectedOf(row.object, live), live.metadata.managedFields ?? [], FIELD_MANAGER, live);
  return divideLost({ replaced }, row, lost).yielded;
}

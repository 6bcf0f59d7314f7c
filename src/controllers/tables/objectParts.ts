/** Parts of an object's record. A part may begin before the first plan and outlive the last one: its writer clears it. */
export interface ObjectParts {
  /** Why a handover to another controller class still waits; empty: nothing to tell. */
  handover?: string;
  orphaning?: Orphaning;
  /** Keys of the policies whose status waits until the object has been planned. */
  awaitedBy?: ReadonlySet<string>;
}

/** What is known of a deletion that is to leave the copies alone. */
export interface Orphaning {
  /** UID of the object in deletion. */
  uid: string;
  /** False: this process did not see the beginning of the deletion. */
  isProven: boolean;
}

export type Part = keyof ObjectParts;

/** Parts whose objects can be listed. */
export type ListedPart = "handover";
const LISTED: ReadonlySet<Part> = new Set<ListedPart>(["handover"]);

export function isListed(part: Part): part is ListedPart {
  return LISTED.has(part);
}

const PARTS = Object.keys({
  ...{ handover: true, orphaning: true, awaitedBy: true },
} satisfies Record<Part, true>) as Part[];

/** Undefined if there is none. */
export function partsOf(state: ObjectParts): ObjectParts | undefined {
  const parts = PARTS.filter((part) => state[part] !== undefined);
  return parts.length === 0 ? undefined : Object.fromEntries(parts.map((part) => [part, state[part]]));
}

import { refKey } from "../../apis/index.ts";
import { hasEnded, type Row } from "../../desiredstate/index.ts";
import type { MemberObject } from "./memberObject.ts";
import type { MemberObjects } from "./memberObjects.ts";
import { isNamespace } from "./namespaces.ts";

/** One member object in the phases of its owner. Applies go up the phases, removals go down. `isOpen`: not done yet. */
interface Part {
  owner: string;
  way: "apply" | "remove";
  phase: number;
  isOpen: boolean;
}
interface Owned {
  objects: Set<MemberObject>;
  /** Number of open parts, by phase. */
  open: Record<Part["way"], number[]>;
}

/**
 * Orders the applies and removals of each owner's objects on one member. An object is applied when all of earlier phases
 * were seen applied, and removed when all of later phases that are to go were seen gone.
 */
export class Phases {
  readonly #release: (object: MemberObject) => void;
  readonly #parts = new Map<MemberObject, Part>();
  readonly #owners = new Map<string, Owned>();
  #waiting: Set<MemberObject> | undefined;

  /** `release`: called for each object that may no longer have to wait. */
  constructor(objects: Pick<MemberObjects, "onChange">, release: (object: MemberObject) => void) {
    this.#release = release;
    objects.onChange((object) => {
      if (!isNamespace(object.ref)) this.#note(object);
    });
  }

  #note(object: MemberObject): void {
    const before = this.#parts.get(object);
    const after = partOf(object);
    if (before === undefined && after === undefined) return;
    if (before !== undefined) this.#count(object, before, -1);
    if (after !== undefined) this.#count(object, after, 1);
    if (after === undefined) this.#parts.delete(object);
    else this.#parts.set(object, after);
    if (before !== undefined && before.isOpen && !this.#isOpen(before)) this.#releaseAll(before.owner);
  }

  /** Makes all objects with a phase wait until the result is disposed of, since rows arrive one by one. */
  pause(): Disposable {
    const waiting = new Set<MemberObject>();
    this.#waiting = waiting;
    return {
      [Symbol.dispose]: () => {
        this.#waiting = undefined;
        for (const object of waiting) this.#release(object);
      },
    };
  }

  mustWait(object: MemberObject): boolean {
    const part = this.#parts.get(object);
    if (part === undefined) return false;
    if (this.#waiting !== undefined) return true;
    const open = this.#owners.get(part.owner)?.open[part.way] ?? [];
    return open.some((count, phase) => count > 0 && (part.way === "apply" ? phase < part.phase : phase > part.phase));
  }

  /** Called for an object that must wait: the end of a pause releases the object. */
  awaitTurn(object: MemberObject): void {
    this.#waiting?.add(object);
  }

  #isOpen({ owner, way, phase }: Part): boolean {
    return (this.#owners.get(owner)?.open[way][phase] ?? 0) > 0;
  }

  #count(object: MemberObject, { owner, way, phase, isOpen }: Part, by: 1 | -1): void {
    let owned = this.#owners.get(owner);
    if (owned === undefined) this.#owners.set(owner, (owned = { objects: new Set(), open: { apply: [], remove: [] } }));
    if (by > 0) owned.objects.add(object);
    else owned.objects.delete(object);
    const open = owned.open[way];
    if (isOpen) open[phase] = (open[phase] ?? 0) + by;
    if (owned.objects.size === 0) this.#owners.delete(owner);
  }

  #releaseAll(owner: string): void {
    for (const object of [...(this.#owners.get(owner)?.objects ?? [])]) this.#release(object);
  }
}

function partOf(object: MemberObject): Part | undefined {
  const { row, observed } = object;
  if (row?.phase === undefined) return undefined;
  const { phase } = row;
  const owner = refKey(row.owner);
  if (row.verb === "Apply") {
    const isThere = observed !== undefined && !observed.deleting && observed.hash === row.hash;
    return { owner, way: "apply", phase, isOpen: !isThere && !hasEnded(row, object) };
  }
  return isGoing(row) ? { owner, way: "remove", phase, isOpen: observed !== undefined } : undefined;
}

/** True when the object is to be deleted or is being deleted. */
function isGoing(row: Row): boolean {
  return row.verb === "Delete" || (row.verb === "Hold" && !row.wanted && row.why.reason === "Terminating");
}

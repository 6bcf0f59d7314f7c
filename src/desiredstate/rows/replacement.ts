import { refKey } from "../../apis/index.ts";
import { holdsData } from "./data.ts";
import { reowned } from "./marks.ts";
import { decideRemovals } from "./removals.ts";
import { isSameRef } from "./rows.ts";
import type { ApplyRow, DeleteRow, HoldRow, Observation, RemovalFacts, Row, Why } from "../types.ts";

/** Reason to delete a copy that is wanted: the object was replaced on the hub, and the copy cannot be changed to match. */
export const REPLACED = "DependencyReplaced";

type Present = NonNullable<Observation["present"]>;

/**
 * Replaces copies of ConfigMaps and Secrets that cannot become the desired object, because the copy is immutable or a
 * Secret of another type. A copy that rejected the change is deleted, and created again after the deletion. Until then
 * the rendered objects on that cluster stay unchanged, so that no pod starts with the old content. Returns the same
 * rows if no copy needs replacement.
 */
export function replaceDependencies(
  wanted: readonly Row[],
  observations: readonly Observation[],
  removal: RemovalFacts,
): readonly Row[] {
  const mayWait = observations.some(({ present }) => present !== undefined && mayBeInTheWay(present));
  if (!mayWait && removal.replacing.size === 0) return wanted;
  const copies = new Map(observations.map((copy) => [`${copy.cluster}/${refKey(copy.ref)}`, copy]));
  const copyOf = ({ cluster, ref }: ApplyRow): Observation | undefined => copies.get(`${cluster}/${refKey(ref)}`);
  const replaced = new Map<ApplyRow, DeleteRow>();
  const waiting = new Map<string, Why>();
  for (const row of wanted) {
    // Objects that hold data are never replaced. A claim that cannot become the desired one needs a person.
    if (row.verb !== "Apply" || row.role !== "dependency" || holdsData(row.ref)) continue;
    const copy = copyOf(row);
    const isInWay = copy?.present !== undefined && isInTheWay(row, copy.present);
    if (!isInWay && (!removal.replacing.has(row.cluster) || isMade(row, copy?.present))) continue;
    const message = `${row.ref.kind} ${row.ref.name} was replaced on the hub; its old copy goes first`;
    const why = { reason: REPLACED, message };
    if (!waiting.has(row.cluster)) waiting.set(row.cluster, why);
    const decided = isInWay && copy !== undefined ? removed(row, copy, why, removal) : undefined;
    if (decided !== undefined) replaced.set(row, decided);
  }
  if (waiting.size === 0) return wanted;
  return wanted.map((row) => {
    if (row.verb !== "Apply") return row;
    const why = row.role === "rendered" ? waiting.get(row.cluster) : undefined;
    const isThere = copyOf(row)?.present?.hash === row.hash;
    return why === undefined || isThere ? (replaced.get(row) ?? row) : held(row, why);
  });
}

/** A cheap test that is false for most copies. */
function mayBeInTheWay({ immutable, secretType, refused }: Present): boolean {
  return immutable === true || secretType !== undefined || refused !== undefined;
}

function isInTheWay(row: ApplyRow, { immutable, secretType, refused, ...present }: Present): boolean {
  const isOfAnotherType = secretType !== undefined && secretType !== (row.object["type"] ?? "Opaque");
  const isFixed = immutable === true || isOfAnotherType;
  if ((!isFixed && refused === undefined) || isMade(row, present)) return false;
  return isFixed || hashesOf(row, present).some((hash) => refused?.includes(hash) === true);
}

function isMade(row: ApplyRow, present: Present | undefined): boolean {
  return present?.hash !== undefined && hashesOf(row, present).includes(present.hash);
}

/** Hashes of the desired object: in the name of the row's owner, and in the name of the owner that the copy names. */
function hashesOf({ hash, object, owner }: ApplyRow, { owner: named, policy }: Present): string[] {
  if (named === undefined || isSameRef(named, owner)) return [hash];
  return [hash, reowned(object, named, policy ?? "Delete").hash];
}

/** The row that deletes the copy; undefined if the copy has not rejected the change, or if a fact forbids the removal. */
function removed(row: ApplyRow, copy: Observation, why: Why, removal: RemovalFacts): DeleteRow | undefined {
  const { present } = copy;
  if (present === undefined || !hashesOf(row, present).some((hash) => present.refused?.includes(hash) === true))
    return undefined;
  if (removal.othersCopies.has(`${copy.cluster}/${refKey(copy.ref)}`)) return undefined;
  // All objects that refer to the dependency want the hub's present content, whichever owner the copy names.
  const facts: RemovalFacts = {
    ...removal,
    owner: present.owner ?? removal.owner,
    policy: "Delete",
    cause: why,
    neededByOthers: new Set(),
  };
  const [decided] = decideRemovals([copy], facts);
  return decided?.verb === "Delete" ? { ...decided, owner: row.owner, role: "dependency" } : undefined;
}

function held({ cluster, ref, owner, role, hash }: ApplyRow, why: Why): HoldRow {
  return { verb: "Hold", cluster, ref, owner, role, hash, why, wanted: true };
}

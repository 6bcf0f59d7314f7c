import { type ObjectRef, type OwnerRef, parseApiVersion, refKey } from "../apis/index.ts";
import type { Observation, Row } from "./types.ts";

/** True when the object is there as the row says, and all of its fields are ours. */
export function isInSync(row: Row | undefined, observation: Observation | undefined): boolean {
  const present = observation?.present;
  if (row?.verb !== "Apply" || present === undefined || present.deleting) return false;
  return present.hash === row.hash && observation?.inSyncWith === row.hash;
}

/**
 * The row that counts when several hub objects ask for one member object. Who wants it wins over who does not: an Apply row goes before
 * a Hold row of a wanted copy, and both before a removal. Of several Apply rows it is that of the owner that the member object names, else the
 * first; dependencies are equal whoever asks. Of several removals it is the most careful one, so that one obstacle is enough.
 */
export function chooseRow(rows: Iterable<Row>, named: OwnerRef | undefined): Row | undefined {
  const key = named === undefined ? undefined : refKey(named);
  let chosen: Row | undefined;
  for (const row of rows) {
    if (row.verb === "Apply" && refKey(row.owner) === key) return row;
    if (chosen === undefined || precedence(row) < precedence(chosen)) chosen = row;
  }
  return chosen;
}

function precedence(row: Row): number {
  switch (row.verb) {
    case "Apply":
      return 0;
    case "Hold":
      return row.wanted ? 1 : 2;
    case "Release":
      return 3;
    case "Delete":
      return 4;
  }
}

/** Whether both name the same object, in whatever version it is read: as equal {@link refKey}s, without making them. */
export function isSameRef(a: ObjectRef, b: ObjectRef): boolean {
  return (
    a.name === b.name &&
    a.kind === b.kind &&
    (a.namespace ?? "") === (b.namespace ?? "") &&
    (a.apiVersion === b.apiVersion || parseApiVersion(a.apiVersion).group === parseApiVersion(b.apiVersion).group)
  );
}

import { type KubeObject, type Reason, shortMessage, told } from "../../apis/index.ts";
import { titleOf, withoutDuplicates } from "../../interpreter/index.ts";
import type { Problem, Why } from "../types.ts";

/** Objects that server-side apply accepts. */
export interface Sendable {
  objects: readonly KubeObject[];
  /** Entries with equal keys that cannot be merged into one. */
  problem: Problem | undefined;
  /** The entries that were merged, and the value that is sent. */
  warning: Why | undefined;
}

const REASON: Reason = "DuplicateEntries";

/**
 * The objects with one entry in place of several with equal keys. `named`: messages name the object, for a bundle of
 * several manifests.
 */
export function withoutDuplicatesIn(objects: readonly KubeObject[], named: boolean): Sendable {
  let problem: Problem | undefined;
  let first: string | undefined;
  let notes = 0;
  const made = objects.map((object) => {
    const { object: sent, notes: said, refusal } = withoutDuplicates(object);
    const before = named ? `${titleOf(object)}: ` : "";
    if (refusal !== undefined)
      problem ??= { reason: REASON, ...told([`${before}${refusal[0]}`, refusal[0], refusal[1]]) };
    notes += said.length;
    if (said[0] !== undefined) first ??= `${before}${said[0]}`;
    return sent;
  });
  const more = notes > 1 ? ` (and ${notes - 1} more)` : "";
  const warning = first === undefined ? undefined : { reason: REASON, message: shortMessage(`${first}${more}`) };
  return { objects: made, problem, warning };
}

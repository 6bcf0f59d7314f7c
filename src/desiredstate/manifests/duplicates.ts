import { type KubeObject, type Message, prefixed, type Reason } from "../../apis/index.ts";
import { titleOf, withoutDuplicates } from "../../interpreter/index.ts";
import type { Problem, Why } from "../types.ts";

export interface Sendable {
  objects: readonly KubeObject[];
  /** Entries with equal keys that cannot be merged into one. */
  problem: Problem | undefined;
  /** The entries that were merged, and the value that is sent. */
  warning: Why | undefined;
}

const REASON: Reason = "DuplicateEntries";

/** One entry in place of several with equal keys. `named`: messages name the object, for a bundle. */
export function withoutDuplicatesIn(objects: readonly KubeObject[], named: boolean): Sendable {
  let problem: Problem | undefined;
  let first: Message | undefined;
  let notes = 0;
  const made = objects.map((object) => {
    const { object: sent, notes: said, refusal } = withoutDuplicates(object);
    const from = (text: string): Message => (named ? prefixed(`${titleOf(object)}: `, text) : text);
    if (refusal !== undefined) problem ??= { reason: REASON, message: from(refusal) };
    notes += said.length;
    if (said[0] !== undefined) first ??= from(said[0]);
    return sent;
  });
  const warning = first === undefined ? undefined : { reason: REASON, message: withOthers(first, notes - 1) };
  return { objects: made, problem, warning };
}

function withOthers(message: Message, others: number): Message {
  const more = others > 0 ? ` (and ${others} more)` : "";
  return typeof message === "string" ? `${message}${more}` : { ...message, why: `${message.why ?? ""}${more}` };
}

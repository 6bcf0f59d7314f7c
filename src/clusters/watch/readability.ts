import type { Message } from "../../apis/index.ts";
import { allNotGranted } from "../write/index.ts";
import type { MemberSession } from "../types.ts";
import type { MemberWatches } from "./memberWatches.ts";

/** What cannot be read of a member now, and why. */
export interface Readability {
  /** Kinds that cannot be watched, by `readabilityKey`, with the reason. */
  unreadable: ReadonlyMap<string, Message>;
  /** Kinds (`group/Kind`) that the member does not serve, or not in the version that the hub asks for. */
  unserved: ReadonlySet<string>;
  /** Keys of `unreadable` that are unknown only because of a missing permission. */
  ungranted: ReadonlySet<string>;
  /** Command that grants all kinds that are not granted; set when there are several. */
  grant: Message | undefined;
  /**
   * Set when a watch of a served kind has been broken for long although the member answers: what is known is as old as
   * `since` (epoch milliseconds).
   */
  blindness: { since: number; message: Message } | undefined;
}

export const ALL_READABLE: Readability = {
  unreadable: new Map(),
  unserved: new Set(),
  ungranted: new Set(),
  grant: undefined,
  blindness: undefined,
};

/** `unsure`: kinds that the member may serve, with the reason why that is unknown. */
export function readabilityOf(
  watches: MemberWatches,
  unsure: ReadonlyMap<string, string>,
  { cluster, local }: Pick<MemberSession, "cluster" | "local">,
): Readability {
  const essential = [...watches.essential()];
  const denied = essential.filter(({ isKnown, isDenied }) => !isKnown && isDenied);
  const unreadable = new Map<string, Message>(unsure);
  let blindness: Readability["blindness"];
  for (const { key, isKnown, failure, blindSince, isUnserved } of essential) {
    if (failure === undefined) continue;
    if (!isKnown) unreadable.set(key, failure);
    if (blindSince !== undefined && !isUnserved) blindness ??= { since: blindSince, message: failure };
  }
  return {
    unreadable,
    unserved: new Set([...watches].filter(({ isUnserved }) => isUnserved).map(({ kind }) => kind)),
    ungranted: new Set(denied.map(({ key }) => key)),
    grant:
      local || denied.length < 2
        ? undefined
        : allNotGranted(
            cluster,
            denied.map(({ type }) => type),
          ),
    blindness,
  };
}

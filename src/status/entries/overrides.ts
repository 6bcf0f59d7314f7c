import { type ClusterStatusEntry, defined } from "../../apis/index.ts";
import type { OverrideEffect } from "../../override/index.ts";

type Listed = Pick<ClusterStatusEntry, "overrides" | "moreOverrides">;

/** Bounds, since a status has up to 300 entries and an object at most 1.5 MiB. */
const MOST_LISTED = 10;
const MOST_CHARACTERS = 600;

/** The policies that took effect, in order. A long list keeps the last ones, which win, with the number of the others. */
export function listedOverrides(overrides: OverrideEffect | undefined): Listed {
  if (overrides === undefined || overrides.policies.length === 0) return {};
  const names = overrides.policies.map(({ kind, name }) => `${kind}/${name}`);
  let from = names.length;
  let room = MOST_CHARACTERS;
  while (from > 0 && names.length - from < MOST_LISTED) {
    room -= names[from - 1]?.length ?? 0;
    if (room < 0) break;
    from -= 1;
  }
  return { overrides: names.slice(from), ...(from === 0 ? {} : { moreOverrides: from }) };
}

export function overridesIn({ overrides, moreOverrides }: Partial<ClusterStatusEntry> = {}): Listed {
  return {
    ...defined({ overrides, moreOverrides }),
  };
}

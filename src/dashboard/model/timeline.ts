import type { TransitionRow } from "../../query/types.ts";
import { keyOfObject, type PairName } from "./names.ts";

/** Transitions of the pair, of its object as a whole, and of its cluster; newest first. */
export function timelineOf(rows: readonly TransitionRow[], { object, cluster }: PairName): TransitionRow[] {
  const key = keyOfObject(object);
  return rows
    .filter((row) =>
      row.object === undefined
        ? row.cluster === cluster
        : keyOfObject(row.object) === key && (row.cluster === undefined || row.cluster === cluster),
    )
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}

/** `because of generation 7`. Undefined: nobody knows. */
export function becauseText({ because }: TransitionRow): string | undefined {
  if (because === undefined) return undefined;
  const { generation, policy, cluster } = because;
  const causes = [
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(policy === undefined ? [] : [policy]),
    ...(cluster === undefined ? [] : [`cluster ${cluster}`]),
  ];
  return causes.length === 0 ? undefined : `because of ${causes.join(", ")}`;
}

import { firstFitting, isSamePolicy, listedAfter, type PolicyName, shortName } from "../apis/index.ts";
import type { OverrideEffect, PolicyRef } from "./types.ts";

/** Within a sentence of 120 characters. */
const LONGEST_LIST = 80;
const LONGEST_CLUSTERS = 40;

interface Winner {
  policy: PolicyRef;
  clusters: string[];
}

/**
 * Who sets everything anew that the policy sets, on every cluster that it reaches, as `Kind name`: the one that does so on most clusters, and
 * on which others do where another policy wins. Undefined where the policy has a say on some cluster, or reaches none.
 */
export function winnersOver(
  policy: PolicyName,
  clusters: readonly { name: string; overrides?: OverrideEffect }[],
): string | undefined {
  const won = new Map<string, Winner>();
  for (const { name, overrides } of clusters) {
    if (overrides === undefined) continue;
    if (overrides.policies.some((one) => isSamePolicy(one, policy))) return undefined;
    const by = overrides.superseded.find((one) => isSamePolicy(one.policy, policy))?.by;
    if (by === undefined) continue;
    const text = `${by.kind} ${by.name}`;
    const winner = won.get(text);
    if (winner === undefined) won.set(text, { policy: by, clusters: [name] });
    else winner.clusters.push(name);
  }
  const [first, ...others] = [...won.entries()]
    .toSorted(([a, one], [b, two]) => two.clusters.length - one.clusters.length || (a < b ? -1 : 1))
    .map(([, winner]) => winner);
  if (first === undefined) return undefined;
  const { kind, name } = first.policy;
  const most = `${kind} ${shortName(name)}`;
  if (others.length === 0) return most;
  const named = others.map((winner) => ({
    name: winner.policy.kind === kind ? winner.policy.name : `${winner.policy.kind} ${winner.policy.name}`,
    on: listedAfter("on ", winner.clusters, ", ", LONGEST_CLUSTERS),
  }));
  return firstFitting(
    [
      `${most} (${named.map((one) => `${one.on} ${one.name}`).join(", ")})`,
      `${most} (elsewhere ${named.map((one) => one.name).join(", ")})`,
      `${most} (elsewhere others)`,
    ],
    LONGEST_LIST,
  );
}

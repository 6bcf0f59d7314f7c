import { firstFitting, isSamePolicy, listedAfter, type PolicyName, shortName } from "../apis/index.ts";
import type { OverrideEffect, PolicyRef } from "./types.ts";

/** Within a sentence of 120 characters. */
const LONGEST_LIST = 80;
const LONGEST_CLUSTERS = 40;
const LONGEST_CLAUSE = 140;

interface Winner {
  policy: PolicyRef;
  clusters: string[];
}

/** Of a policy that has a say on some clusters, who sets everything anew on others, and where, in words. */
export function partlyWonBy(
  policy: PolicyName,
  clusters: readonly { name: string; overrides?: OverrideEffect }[],
): string | undefined {
  const { winners, hasSay } = winnersOf(policy, clusters);
  const [first] = winners;
  if (!hasSay || first === undefined) return undefined;
  const name = `${first.policy.kind} ${shortName(first.policy.name)}`;
  return listedAfter(`${name} sets all of it anew on `, first.clusters, ", ", LONGEST_CLAUSE);
}

/** Who sets everything anew on which clusters, the one of most clusters first; and whether the policy has a say on some cluster. */
function winnersOf(
  policy: PolicyName,
  clusters: readonly { name: string; overrides?: OverrideEffect }[],
): { winners: Winner[]; hasSay: boolean } {
  const won = new Map<string, Winner>();
  let hasSay = false;
  for (const { name, overrides } of clusters) {
    if (overrides === undefined) continue;
    hasSay ||= overrides.policies.some((one) => isSamePolicy(one, policy));
    const by = overrides.superseded.find((one) => isSamePolicy(one.policy, policy))?.by;
    if (by === undefined) continue;
    const text = `${by.kind} ${by.name}`;
    const winner = won.get(text);
    if (winner === undefined) won.set(text, { policy: by, clusters: [name] });
    else winner.clusters.push(name);
  }
  const winners = [...won.entries()]
    .toSorted(([a, one], [b, two]) => two.clusters.length - one.clusters.length || (a < b ? -1 : 1))
    .map(([, winner]) => winner);
  return { winners, hasSay };
}

/**
 * Who sets everything anew that the policy sets, on every cluster that it reaches, as `Kind name`: the one that does so on most clusters, and
 * on which others do where another policy wins. Undefined where the policy has a say on some cluster, or reaches none.
 */
export function winnersOver(
  policy: PolicyName,
  clusters: readonly { name: string; overrides?: OverrideEffect }[],
): string | undefined {
  const { winners, hasSay } = winnersOf(policy, clusters);
  if (hasSay) return undefined;
  const [first, ...others] = winners;
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

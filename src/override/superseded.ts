import { isSamePolicy, namesText, type PolicyName, shortName } from "../apis/index.ts";
import type { OverrideEffect, PolicyRef } from "./types.ts";

interface Winner {
  policy: PolicyRef;
  clusters: string[];
}

/** For a policy that decides settings on some clusters: who supersedes it on others, and on which. */
export function partlyWonBy(
  policy: PolicyName,
  clusters: readonly { name: string; overrides?: OverrideEffect }[],
): string | undefined {
  const { winners, hasSay } = winnersOf(policy, clusters);
  const [first] = winners;
  if (!hasSay || first === undefined) return undefined;
  const name = `${first.policy.kind} ${shortName(first.policy.name)}`;
  return `${name} sets all of it anew on ${namesText(first.clusters)}`;
}

/** Policies that supersede `policy`, most clusters first. `hasSay`: it still decides a setting on some cluster. */
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
 * For a policy that is superseded on every cluster that it reaches: who supersedes it on most clusters, as `Kind name`,
 * and the others with their clusters. Undefined if it decides a setting anywhere, or reaches no cluster.
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
  const named = others.map(({ policy: other, clusters: on }) => {
    const called = other.kind === kind ? other.name : `${other.kind} ${other.name}`;
    return `on ${namesText(on)} ${shortName(called)}`;
  });
  return `${most} (${namesText(named, 1)})`;
}

import {
  fullMessage,
  isSamePolicy,
  joinCommand,
  type OverridePolicy,
  type Placement,
  policyKey,
  selectorSpecificity,
  unknownClusterWords,
} from "../../apis/index.ts";
import { PolicyTally, withoutEffect } from "../../controllers/index.ts";
import { policyStatus } from "../../status/index.ts";
import { namesText, refText } from "../shared/index.ts";
import type { Analysis, Planned, Said } from "./analysis.ts";

/** Findings by the words that a manager would write into the status of the policy. Pure. */

export type AnyPolicy = Placement | OverridePolicy;

const REMEDIES: Readonly<Record<string, string>> = {
  UnknownCluster: `correct the name, or let the cluster join: \`${joinCommand()}\``,
  NoClusterFits: "let clusterAffinities, tolerations or spreadConstraints of the policy admit more clusters",
  NoObjectMatches: "correct kind, name, namespace or labels in resourceSelectors, or apply the objects as well",
  NoClusterMatches: "correct targetClusters of the rules, or let the Placement run the objects on such a cluster",
  LostToOther: "raise priority, or select more narrowly (a name, labels), or remove one of the two policies",
  Superseded: "remove one of the two policies, or select more narrowly: the narrower override applies later",
  KindNotServed: "correct apiVersion and kind, or install the CRD on the hub",
  KindNotPlaced: "remove this selector",
  NamespaceOutOfReach: "remove the namespace from the selector, or make the policy a cluster-scoped one",
  NoEffect: "remove the field, or change what the message names",
};
const CHANGE = "change in the policy what the message names";

/** Reasons by which the policy is right, and something else decides. */
const WARNINGS: ReadonlySet<string> = new Set(["NoClusterMatches", "LostToOther", "Superseded"]);

/** Objects that the policy selects, also where another policy wins. */
export function selectedBy(policy: AnyPolicy, { planned, catalog }: Analysis): Planned[] {
  return [...planned.values()].filter(({ object, target }) => {
    // Without its kind, an object of the files has no place on the hub, and its fields are not known.
    if (catalog.servingState(object) === "NotServed") return false;
    const { placement, passedOver = [], overrides, idleOverrides = [], dependencyOverrides = [] } = target;
    const others = [...passedOver, ...idleOverrides, ...dependencyOverrides].map((one) => one.policy);
    return [...(placement === undefined ? [] : [placement]), ...overrides, ...others].some((one) =>
      isSamePolicy(one, policy),
    );
  });
}

export function outcomeFindings(policy: AnyPolicy, selected: readonly Planned[], analysis: Analysis): Said[] {
  const { catalog, state, now } = analysis;
  const tally = new PolicyTally(policy, { get: () => undefined });
  for (const { target } of selected) tally.add(target);
  const clusters = { get: (name: string) => state.memberCluster(name) };
  // A person who may not list the members cannot know if a cluster that the policy names exists.
  const isKnown = !state.hidden.has("memberclusters");
  const { unknownClusters = [], ...vain } = withoutEffect(policy, { clusters, hasPrometheus: true });
  const outcome = { ...vain, ...tally.outcome(catalog) };
  if (!isKnown && outcome.reason === "UnknownCluster") delete outcome.error;
  const status = policyStatus({ generation: 1, ...outcome }, now);
  const ready = status.conditions?.[0];
  const found: Said[] = [];
  if (ready?.status === "False" || ready?.reason === "NoObjectMatches")
    found.push({
      code: ready.reason,
      severity: ready.status === "True" || WARNINGS.has(ready.reason) ? "Warning" : "Error",
      what: status.lastError ?? ready.message,
      remedy: REMEDIES[ready.reason] ?? CHANGE,
    });
  else if (ready?.status === "True") found.push(...partly(outcome));
  if (isKnown && unknownClusters.length > 0)
    found.push({
      code: "UnknownCluster",
      severity: "Warning",
      what: `spec.rules: ${fullMessage({ what: unknownClusterWords(unknownClusters).trimEnd(), where: unknownClusters })}`,
      remedy: REMEDIES["UnknownCluster"] ?? CHANGE,
    });
  return found;
}

type Outcome = ReturnType<PolicyTally["outcome"]>;

/** A policy that is in force, and not for all that it selects. */
function partly({ notes = [], lost, superseded, partly: some, matched }: Outcome): Said[] {
  const found: Said[] = notes.map((what) => ({
    code: "PartlyEnforced",
    severity: "Warning",
    what,
    remedy: "ask for less, or let the policy take more clusters",
  }));
  if (lost !== undefined)
    found.push({
      code: "PartlyShadowed",
      severity: "Info",
      what: `${lost.to} places ${lost.objects} of ${matched + lost.objects} objects that this policy selects${lost.because === undefined ? "" : ` (${lost.because})`}`,
      remedy: REMEDIES["LostToOther"] ?? CHANGE,
    });
  if (superseded !== undefined && superseded.objects < matched)
    found.push({
      code: "PartlySuperseded",
      severity: "Warning",
      what: `${superseded.to} applies later and sets all of it anew for ${superseded.objects} of ${matched} objects`,
      remedy: REMEDIES["Superseded"] ?? CHANGE,
    });
  if (some !== undefined)
    found.push({
      code: "PartlySuperseded",
      severity: "Warning",
      what: `for ${some.objects} of ${matched} objects: ${some.to}`,
      remedy: REMEDIES["Superseded"] ?? CHANGE,
    });
  return found;
}

/** Placements that would place nothing, because this one takes all that they select. */
export function displaced(
  policy: Placement,
  selected: readonly Planned[],
  { planned, givenPolicies }: Analysis,
): Said[] {
  const taken = new Map<string, { name: string; objects: number; because: string }>();
  for (const { target } of selected) {
    if (target.placement === undefined || !isSamePolicy(target.placement, policy)) continue;
    for (const { policy: other, because } of target.passedOver ?? []) {
      const key = policyKey(other);
      const known = taken.get(key) ?? { name: refText(other), objects: 0, because };
      taken.set(key, { ...known, objects: known.objects + 1 });
    }
  }
  const placing = new Set<string>();
  for (const { target } of planned.values())
    if (target.placement !== undefined) placing.add(policyKey(target.placement));
  // A policy of the files says itself that it loses.
  const idle = [...taken].filter(([key]) => !placing.has(key) && !givenPolicies.has(key));
  return idle.map(([, { name, objects, because }]) => ({
    code: "ShadowsOther",
    severity: "Warning",
    what: `${name} would place nothing: this policy takes ${objects === 1 ? "its object" : `all its ${objects} objects`} (${because})`,
    remedy: `remove ${name} if that is meant; else select more narrowly, or give this policy a lower priority`,
  }));
}

/** Selectors that match nothing, in a policy of which others do. */
export function idleSelectors(
  { spec, metadata }: AnyPolicy,
  selected: readonly Planned[],
  { state }: Analysis,
): Said[] {
  if (selected.length === 0 || spec.resourceSelectors.length < 2) return [];
  return spec.resourceSelectors.flatMap((selector, index): Said[] => {
    const isUsed = selected.some(({ object }) => selectorSpecificity([selector], object, state.settingOf(object)) > 0);
    if (isUsed) return [];
    const named = [selector.kind, ...(selector.name === undefined ? [] : [selector.name])];
    const where = metadata.namespace === undefined ? "" : ` in namespace ${metadata.namespace}`;
    return [
      {
        code: "SelectorMatchesNothing",
        severity: "Warning",
        what: `spec.resourceSelectors[${index}] (${namesText(named)}) selects no object${where}`,
        remedy: "correct kind, name, namespace or labels, or remove the selector",
      },
    ];
  });
}

import {
  type ClusterSelector,
  counted,
  type FieldProblem,
  type OverridePolicy,
  type Placement,
  type PlacementSpec,
  shortMessage,
} from "../../apis/index.ts";
import { type ClusterSnapshot, groupOf } from "../../scheduler/index.ts";

type Constraint = NonNullable<PlacementSpec["spreadConstraints"]>[number];

/** Requirements of a placement that no clusters can ever meet. */
export function judgeChoice({ spec }: Placement): FieldProblem[] {
  const problems = selectorsOf(spec).flatMap(({ field, selector }) => {
    const message = contradictionIn(selector);
    return message === undefined ? [] : [{ field, message }];
  });
  return [...problems, ...judgeSpread(spec)];
}

/** Warnings about requirements that no present cluster meets: another cluster may join. */
export function warnOfChoice({ spec }: Placement, clusters: readonly ClusterSnapshot[]): string[] {
  if (clusters.length === 0) return [];
  const warnings = warnOfSelectors(selectorsOf(spec), clusters);
  for (const { topologyKey, minGroups = 0 } of spec.spreadConstraints ?? []) {
    const groups = new Set(
      clusters.flatMap((one) => (topologyKey === "cluster" ? one.name : (groupOf(one, topologyKey) ?? []))),
    );
    if (groups.size >= minGroups) continue;
    warnings.push(
      `spec.spreadConstraints: minGroups of ${topologyKey} is ${minGroups}, and all clusters together are in ${groups.size}; join others, label them, or lower it`,
    );
  }
  return [...new Set(warnings)];
}

/** Like {@link warnOfChoice}, for the target clusters of an override's rules. */
export function warnOfTargets({ spec }: OverridePolicy, clusters: readonly ClusterSnapshot[]): string[] {
  if (clusters.length === 0) return [];
  const selectors = spec.rules.map(({ targetClusters = {} }, i) => ({
    field: `spec.rules[${i}].targetClusters`,
    selector: targetClusters,
  }));
  return [...new Set(warnOfSelectors(selectors, clusters))];
}

interface Placed {
  field: string;
  selector: ClusterSelector;
}

function warnOfSelectors(selectors: readonly Placed[], clusters: readonly ClusterSnapshot[]): string[] {
  const keys = new Set(clusters.flatMap(({ labels }) => Object.keys(labels)));
  const names = new Set(clusters.map(({ name }) => name));
  return selectors.flatMap(({ field, selector }) => [
    ...(selector.clusterNames ?? [])
      .filter((name) => !names.has(name))
      .map((name) => `${field}.clusterNames: there is no cluster ${name} yet`),
    ...askedKeys(selector)
      .filter((key) => !keys.has(key))
      .map((key) => `${field}: no cluster has the label ${key} yet`),
  ]);
}

function selectorsOf(spec: PlacementSpec): Placed[] {
  const { clusterAffinities = [], clusterPreferences = [], replicaScheduling, rollout } = spec;
  const { weights = [] } = replicaScheduling ?? {};
  return [
    ...clusterAffinities.map((selector, i) => ({ field: `spec.clusterAffinities[${i}]`, selector })),
    ...clusterPreferences.map(({ targetClusters }, i) => ({
      field: `spec.clusterPreferences[${i}].targetClusters`,
      selector: targetClusters,
    })),
    ...weights.map(({ targetClusters }, i) => ({
      field: `spec.replicaScheduling.weights[${i}].targetClusters`,
      selector: targetClusters,
    })),
    ...(rollout?.stages ?? []).map(({ targetClusters = {} }, i) => ({
      field: `spec.rollout.stages[${i}].targetClusters`,
      selector: targetClusters,
    })),
  ];
}

interface Requirement {
  key: string;
  operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  values?: readonly string[] | undefined;
}

/** Label keys that the selector requires of a cluster. */
function askedKeys({ labelSelector = {}, matchLabelKeys = [] }: ClusterSelector): string[] {
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  const asked = matchExpressions.filter(({ operator }) => operator === "In" || operator === "Exists");
  return [...Object.keys(matchLabels), ...asked.map(({ key }) => key), ...matchLabelKeys];
}

/** Reason why a selector can never match a cluster; undefined if it can. */
function contradictionIn({
  clusterNames,
  exclude = [],
  labelSelector = {},
  fieldSelector,
}: ClusterSelector): string | undefined {
  const excluded = new Set(exclude);
  if (clusterNames !== undefined && clusterNames.length > 0 && clusterNames.every((name) => excluded.has(name)))
    return "every one of its clusterNames is in exclude too, so it takes no cluster; take names off one of them";
  const { matchLabels = {}, matchExpressions = [] } = labelSelector;
  const labels: Requirement[] = Object.entries(matchLabels).map(([key, value]) => ({
    key,
    operator: "In",
    values: [value],
  }));
  const label = contradictoryKey([...labels, ...matchExpressions]);
  if (label !== undefined) return contradiction("labelSelector", label);
  const names: Requirement[] =
    clusterNames === undefined ? [] : [{ key: "name", operator: "In", values: clusterNames }];
  const without: Requirement[] = exclude.length === 0 ? [] : [{ key: "name", operator: "NotIn", values: exclude }];
  const field = contradictoryKey([...names, ...without, ...(fieldSelector?.matchExpressions ?? [])]);
  return field === undefined ? undefined : contradiction("fieldSelector", field);
}

function contradiction(selector: string, key: string): string {
  return shortMessage(
    `what its ${selector} asks of ${key} leaves no value, so it takes no cluster; remove one of the requirements`,
  );
}

/** First key whose requirements neither a value nor the absence of the key can meet. */
function contradictoryKey(requirements: readonly Requirement[]): string | undefined {
  for (const key of new Set(requirements.map((one) => one.key))) {
    const asked = requirements.filter((one) => one.key === key);
    const isAbsent = asked.some(({ operator }) => operator === "DoesNotExist");
    const isPresent = asked.some(({ operator }) => operator === "In" || operator === "Exists");
    if (isAbsent && isPresent) return key;
    const [first, ...others] = asked.filter(({ operator }) => operator === "In");
    if (first === undefined) continue;
    const left = (first.values ?? []).filter(
      (value) =>
        others.every(({ values = [] }) => values.includes(value)) &&
        !asked.some(({ operator, values = [] }) => operator === "NotIn" && values.includes(value)),
    );
    if (left.length === 0) return key;
  }
  return undefined;
}

/** Problems of spread constraints whose bounds exclude each other. */
function judgeSpread({ spreadConstraints = [] }: PlacementSpec): FieldProblem[] {
  return spreadConstraints.flatMap((one, index) => {
    const { minGroups, whenUnsatisfiable, topologyKey } = one;
    if (minGroups === undefined || whenUnsatisfiable === "ScheduleAnyway") return [];
    const other = spreadConstraints.find(
      (two) => two !== one && isFiner(two, one) && two.maxGroups !== undefined && two.maxGroups < minGroups,
    );
    if (other === undefined) return [];
    const message = shortMessage(
      `${counted(minGroups, "group")} of ${topologyKey} cannot be in ${other.maxGroups} of ${other.topologyKey}; lower it, or raise maxGroups of ${other.topologyKey}`,
    );
    return [{ field: `spec.spreadConstraints[${index}].minGroups`, message }];
  });
}

/** Returns whether each group of the first topology is within one group of the second. */
function isFiner({ topologyKey }: Constraint, within: Constraint): boolean {
  return topologyKey === "cluster" || (topologyKey === "zone" && within.topologyKey === "region");
}

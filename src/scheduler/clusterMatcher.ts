import type { ClusterSelector, FieldSelector, LabelSelector } from "../apis/index.ts";
import type { ClusterSnapshot } from "./types.ts";

type Labels = Readonly<Record<string, string>>;

/** Whether a selector takes the cluster for an object with these labels. */
export type ClusterMatcher = (cluster: ClusterSnapshot, objectLabels: Labels | undefined) => boolean;

type Test = (value: string | undefined) => boolean;

const known = new WeakMap<ClusterSelector, ClusterMatcher>();

/**
 * The selector made ready to be asked of many clusters: it says what `matchesClusterSelector` of the APIs says, and costs a fraction of
 * it. A policy is never changed in place, so each of its selectors is made ready once.
 */
export function clusterMatcher(selector: ClusterSelector | undefined): ClusterMatcher {
  if (selector === undefined) return takesAll;
  let matcher = known.get(selector);
  if (matcher === undefined) known.set(selector, (matcher = compile(selector)));
  return matcher;
}

const takesAll: ClusterMatcher = () => true;

function compile({
  exclude,
  clusterNames,
  labelSelector,
  fieldSelector,
  matchLabelKeys,
}: ClusterSelector): ClusterMatcher {
  const parts: ClusterMatcher[] = [];
  if (exclude !== undefined && exclude.length > 0) {
    const names = new Set(exclude);
    parts.push(({ name }) => !names.has(name));
  }
  if (clusterNames !== undefined) {
    const names = new Set(clusterNames);
    parts.push(({ name }) => names.has(name));
  }
  parts.push(...labelParts(labelSelector), ...fieldParts(fieldSelector));
  for (const key of matchLabelKeys ?? []) {
    parts.push(({ labels }, objectLabels) => {
      const wanted = objectLabels === undefined ? undefined : labelOf(objectLabels, key);
      return wanted !== undefined && wanted === labelOf(labels, key);
    });
  }
  const [first, second] = parts;
  if (first === undefined) return takesAll;
  if (second === undefined) return first;
  return (cluster, labels) => parts.every((takes) => takes(cluster, labels));
}

function labelParts(selector: LabelSelector | undefined): ClusterMatcher[] {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const tests: [key: string, test: Test][] = [
    ...Object.entries(matchLabels).map(([key, wanted]): [string, Test] => [key, (value) => value === wanted]),
    ...matchExpressions.map((requirement): [string, Test] => [requirement.key, testOf(requirement)]),
  ];
  return tests.map(
    ([key, test]) =>
      ({ labels }) =>
        test(labelOf(labels, key)),
  );
}

function fieldParts(selector: FieldSelector | undefined): ClusterMatcher[] {
  return (selector?.matchExpressions ?? []).map((requirement) => {
    const { key } = requirement;
    const test = testOf(requirement);
    return (cluster) => test(cluster[key]);
  });
}

/** As in Kubernetes: `NotIn` also holds when there is no value at all. */
function testOf({ operator, values = [] }: FieldSelector["matchExpressions"][number] | Requirement): Test {
  const [only] = values;
  const some = new Set(values);
  const has = values.length === 1 ? (value: string) => value === only : (value: string) => some.has(value);
  switch (operator) {
    case "In":
      return (value) => value !== undefined && has(value);
    case "NotIn":
      return (value) => value === undefined || !has(value);
    case "Exists":
      return (value) => value !== undefined;
    case "DoesNotExist":
      return (value) => value === undefined;
  }
}

type Requirement = NonNullable<LabelSelector["matchExpressions"]>[number];

/** Labels are texts; what every object inherits under the name of a key is none. */
function labelOf(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}

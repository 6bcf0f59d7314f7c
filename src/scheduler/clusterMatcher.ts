import type { ClusterSelector, FieldSelector, LabelSelector } from "../apis/index.ts";
import type { ClusterSnapshot } from "./types.ts";

type Labels = Readonly<Record<string, string>>;

export type ClusterMatcher = (cluster: ClusterSnapshot, objectLabels: Labels | undefined) => boolean;

type Test = (value: string | undefined) => boolean;

/** A selector takes a cluster when all of its parts do. */
export interface SelectorPart {
  field: "exclude" | "clusterNames" | "labelSelector" | "fieldSelector" | "matchLabelKeys";
  /** Label key of `matchLabelKeys`. */
  key?: string;
  takes: ClusterMatcher;
}

export interface CompiledSelector {
  /** In the order of `field` above; one part for each key of `matchLabelKeys`. */
  parts: readonly SelectorPart[];
  takes: ClusterMatcher;
  /** Label or field of which every taken cluster has one of the values, if the selector names any. */
  pivot: Pivot | undefined;
}

export interface Pivot {
  /** Label key if `isLabel`, otherwise field name. */
  key: string;
  isLabel: boolean;
  values: readonly string[];
  /** The selector has no other requirement. */
  isAll: boolean;
}

const known = new WeakMap<ClusterSelector, CompiledSelector>();
const takesAll: CompiledSelector = { parts: [], takes: () => true, pivot: undefined };

/**
 * Takes the same clusters as `matchesClusterSelector`, at a fraction of the cost. Policies are never changed in place,
 * so each selector is compiled once.
 */
export function compileSelector(selector: ClusterSelector | undefined): CompiledSelector {
  if (selector === undefined) return takesAll;
  let compiled = known.get(selector);
  if (compiled === undefined) {
    const parts = partsOf(selector);
    compiled = { parts, takes: every(parts.map(({ takes }) => takes)), pivot: pivotOf(selector, parts.length) };
    known.set(selector, compiled);
  }
  return compiled;
}

export function clusterMatcher(selector: ClusterSelector | undefined): ClusterMatcher {
  return compileSelector(selector).takes;
}

function every(matchers: readonly ClusterMatcher[]): ClusterMatcher {
  const [first, second] = matchers;
  if (first === undefined) return takesAll.takes;
  if (second === undefined) return first;
  return (cluster, labels) => matchers.every((takes) => takes(cluster, labels));
}

function partsOf(selector: ClusterSelector): SelectorPart[] {
  const { exclude, clusterNames, labelSelector, fieldSelector, matchLabelKeys = [] } = selector;
  const parts: SelectorPart[] = [];
  if (exclude !== undefined) {
    const names = new Set(exclude);
    parts.push({ field: "exclude", takes: ({ name }) => !names.has(name) });
  }
  if (clusterNames !== undefined) {
    const names = new Set(clusterNames);
    parts.push({ field: "clusterNames", takes: ({ name }) => names.has(name) });
  }
  if (labelSelector !== undefined) parts.push({ field: "labelSelector", takes: every(labelMatchers(labelSelector)) });
  if (fieldSelector !== undefined) parts.push({ field: "fieldSelector", takes: every(fieldMatchers(fieldSelector)) });
  for (const key of matchLabelKeys) parts.push({ field: "matchLabelKeys", key, takes: sameLabel(key) });
  return parts;
}

function sameLabel(key: string): ClusterMatcher {
  return ({ labels }, objectLabels) => {
    const wanted = objectLabels === undefined ? undefined : labelOf(objectLabels, key);
    return wanted !== undefined && wanted === labelOf(labels, key);
  };
}

function labelMatchers({ matchLabels = {}, matchExpressions = [] }: LabelSelector): ClusterMatcher[] {
  const tests: [key: string, test: Test][] = [
    ...Object.entries(matchLabels).map(([key, wanted]): [string, Test] => [key, (value) => value === wanted]),
    ...matchExpressions.map((requirement): [string, Test] => [requirement.key, testOf(requirement)]),
  ];
  return tests.map(
    ([key, test]): ClusterMatcher =>
      ({ labels }) =>
        test(labelOf(labels, key)),
  );
}

function fieldMatchers({ matchExpressions }: FieldSelector): ClusterMatcher[] {
  return matchExpressions.map((requirement): ClusterMatcher => {
    const { key } = requirement;
    const test = testOf(requirement);
    return (cluster) => test(cluster[key]);
  });
}

function pivotOf({ clusterNames, labelSelector, fieldSelector }: ClusterSelector, parts: number): Pivot | undefined {
  if (clusterNames !== undefined) return { key: "name", isLabel: false, values: clusterNames, isAll: parts === 1 };
  const labels = Object.entries(labelSelector?.matchLabels ?? {});
  const expressions = labelSelector?.matchExpressions ?? [];
  const isAll = parts === 1 && labels.length + expressions.length === 1;
  for (const [key, value] of labels) return { key, isLabel: true, values: [value], isAll };
  for (const { key, operator, values = [] } of expressions) {
    if (operator === "In") return { key, isLabel: true, values, isAll };
  }
  const fields = fieldSelector?.matchExpressions ?? [];
  for (const { key, operator, values = [] } of fields) {
    if (operator === "In") return { key, isLabel: false, values, isAll: parts === 1 && fields.length === 1 };
  }
  return undefined;
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

/** Undefined if the value is no text, such as a property that every JavaScript object inherits. */
export function labelOf(labels: Labels, key: string): string | undefined {
  const value: unknown = labels[key];
  return typeof value === "string" ? value : undefined;
}

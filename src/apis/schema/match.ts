import { type KubeObject, parseApiVersion } from "../metadata/index.ts";
import type { ClusterSelector, FieldSelector, LabelSelector, ResourceSelector } from "./selectors.ts";

export interface ClusterFacts {
  name: string;
  labels: Readonly<Record<string, string>>;
  provider?: string;
  region?: string;
  zone?: string;
}

type Labels = Readonly<Record<string, string>>;
type Requirement = { operator: "In" | "NotIn" | "Exists" | "DoesNotExist"; values?: readonly string[] | undefined };

/** As in Kubernetes: `NotIn` also holds when there is no value at all. */
function holds(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.operator) {
    case "In":
      return value !== undefined && (requirement.values?.includes(value) ?? false);
    case "NotIn":
      return value === undefined || !(requirement.values?.includes(value) ?? false);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
  }
}

/** Value of a label; undefined when it is missing, even if its key names a property that every object inherits. */
function labelOf(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

export function matchesExpressions(expressions: readonly (Requirement & { key: string })[], labels: Labels): boolean {
  return expressions.every((requirement) => holds(requirement, labelOf(labels, requirement.key)));
}

/** Every requirement must hold. A missing or empty selector matches everything. */
export function matchesLabelSelector(selector: LabelSelector | undefined, labels: Labels | undefined): boolean {
  if (selector === undefined) return true;
  const own = labels ?? {};
  if (selector.matchLabels !== undefined) {
    for (const [key, value] of Object.entries(selector.matchLabels)) {
      if (labelOf(own, key) !== value) return false;
    }
  }
  return matchesExpressions(selector.matchExpressions ?? [], own);
}

function matchesFieldSelector(selector: FieldSelector | undefined, cluster: ClusterFacts): boolean {
  return selector?.matchExpressions.every((requirement) => holds(requirement, cluster[requirement.key])) ?? true;
}

/** What selectors read beside the object itself. */
export interface ObjectSetting {
  /** Undefined for a cluster-scoped object or an unknown namespace. */
  namespaceLabels?: Labels;
  /** Why the object belongs to the hub itself: only a selector with its name matches then. */
  hubsOwn?: string;
}

/**
 * The version is not compared, since an object is the same in every version. The caller makes sure that a namespaced
 * policy reaches only its own namespace.
 */
export function matchesResourceSelector(
  selector: ResourceSelector,
  object: KubeObject,
  setting: ObjectSetting = {},
): boolean {
  if (selector.kind !== object.kind) return false;
  if (parseApiVersion(selector.apiVersion).group !== parseApiVersion(object.apiVersion).group) return false;
  return selectsAmongKind(selector, object, setting);
}

/** For an object of the selector's kind. */
export function selectsAmongKind(
  selector: ResourceSelector,
  { metadata: { name, namespace, labels } }: Pick<KubeObject, "metadata">,
  { namespaceLabels, hubsOwn }: ObjectSetting,
): boolean {
  if (selector.name === undefined ? hubsOwn !== undefined : selector.name !== name) return false;
  if (selector.namespace !== undefined && selector.namespace !== namespace) return false;
  if (selector.namespaceSelector !== undefined) {
    if (namespace === undefined || namespaceLabels === undefined) return false;
    if (!matchesLabelSelector(selector.namespaceSelector, namespaceLabels)) return false;
  }
  return matchesLabelSelector(selector.labelSelector, labels);
}

/**
 * `labels` are the object's. A missing selector matches every cluster. Without a key of `matchLabelKeys` an object
 * matches none: it does not say where it belongs.
 */
export function matchesClusterSelector(
  selector: ClusterSelector | undefined,
  cluster: ClusterFacts,
  objectLabels: Labels | undefined,
): boolean {
  if (selector === undefined) return true;
  if (selector.exclude?.includes(cluster.name)) return false;
  if (selector.clusterNames !== undefined && !selector.clusterNames.includes(cluster.name)) return false;
  if (!matchesLabelSelector(selector.labelSelector, cluster.labels)) return false;
  if (!matchesFieldSelector(selector.fieldSelector, cluster)) return false;
  return (
    selector.matchLabelKeys?.every((key) => {
      const wanted = labelOf(objectLabels ?? {}, key);
      return wanted !== undefined && wanted === labelOf(cluster.labels, key);
    }) ?? true
  );
}

/** 3 by name, 2 by label, 1 all of a kind, 0 not at all. The closest match counts. */
export type Specificity = 0 | 1 | 2 | 3;

function specificityOf(selector: ResourceSelector): Specificity {
  if (selector.name !== undefined) return 3;
  const labels = selector.labelSelector;
  const asksForLabels =
    Object.keys(labels?.matchLabels ?? {}).length > 0 || (labels?.matchExpressions ?? []).length > 0;
  return asksForLabels ? 2 : 1;
}

export function selectorSpecificity(
  selectors: readonly ResourceSelector[],
  object: KubeObject,
  setting?: ObjectSetting,
): Specificity {
  let closest: Specificity = 0;
  for (const selector of selectors) {
    const specificity = specificityOf(selector);
    if (specificity > closest && matchesResourceSelector(selector, object, setting)) closest = specificity;
  }
  return closest;
}

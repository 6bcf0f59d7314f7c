import {
  defined,
  type KubeObject,
  type LabelSelector,
  matchesLabelSelector,
  type ObjectSetting,
  parseApiVersion,
  type Placement,
  type ResourceSelector,
} from "../../apis/index.ts";
import type { PolicyRef } from "../../override/index.ts";
import { compareText } from "../../scheduler/index.ts";

/** A policy that nearly selects an object, with everything that would have to differ. */
export interface NearMiss {
  policy: PolicyRef;
  /** Path of the selector in the policy: `resourceSelectors[0]`. */
  selector: string;
  because: readonly string[];
}

const MOST = 3;

/** Policies that select objects of this kind, but not this object; the closest first, then by name. */
export function nearMisses(
  object: KubeObject,
  placements: readonly Placement[],
  setting: ObjectSetting = {},
): NearMiss[] {
  return placements
    .flatMap((placement) => closestOf(placement, object, setting))
    .toSorted((a, b) => a.because.length - b.because.length || compareText(keyOf(a), keyOf(b)))
    .slice(0, MOST);
}

function closestOf(placement: Placement, object: KubeObject, setting: ObjectSetting): NearMiss[] {
  const { kind, metadata, spec } = placement;
  const { name, namespace, deletionTimestamp } = metadata;
  const policy: PolicyRef = { kind, name, ...defined({ namespace }) } as PolicyRef;
  const general = [
    ...(deletionTimestamp === undefined ? [] : ["the policy is being deleted"]),
    ...(kind === "Placement" && namespace !== object.metadata.namespace
      ? [outsideText(namespace, object.metadata.namespace)]
      : []),
  ];
  const misses = spec.resourceSelectors.flatMap((selector, i): NearMiss[] => {
    if (selector.kind !== object.kind) return [];
    const because = [...general, ...missing(selector, object, setting)];
    return because.length === 0 ? [] : [{ policy, selector: `resourceSelectors[${i}]`, because }];
  });
  return misses.toSorted((a, b) => a.because.length - b.because.length).slice(0, 1);
}

function outsideText(namespace: string | undefined, own: string | undefined): string {
  const reach = `a Placement reaches only its own namespace, ${namespace}`;
  return own === undefined ? `${reach}, and the object has none` : `${reach}, and the object is in ${own}`;
}

function missing(selector: ResourceSelector, object: KubeObject, setting: ObjectSetting): string[] {
  const { name, namespace, labels } = object.metadata;
  const [wanted, own] = [selector.apiVersion, object.apiVersion].map((version) => parseApiVersion(version).group);
  const problems: string[] = [];
  if (wanted !== own) problems.push(`the policy selects the kind of group "${wanted}", and the object is of "${own}"`);
  if (selector.name !== undefined && selector.name !== name)
    problems.push(`the policy selects the name ${selector.name}`);
  if (selector.name === undefined && setting.hubsOwn !== undefined)
    problems.push(`${setting.hubsOwn}: only a selector with its name takes it`);
  if (selector.namespace !== undefined && selector.namespace !== namespace)
    problems.push(`the policy selects namespace ${selector.namespace}`);
  const { namespaceSelector, labelSelector } = selector;
  if (namespaceSelector !== undefined)
    problems.push(
      ...(namespace === undefined
        ? ["the policy selects namespaces, and the object belongs to none"]
        : unmet(namespaceSelector, setting.namespaceLabels).map((one) => `namespace ${namespace} ${one}`)),
    );
  if (labelSelector !== undefined) problems.push(...unmet(labelSelector, labels).map((one) => `the object ${one}`));
  return problems;
}

/** Requirements of the selector that do not hold, as changes of the labels. */
function unmet(selector: LabelSelector, labels: Readonly<Record<string, string>> | undefined): string[] {
  const equal = Object.entries(selector.matchLabels ?? {}).filter(
    ([key, value]) => !matchesLabelSelector({ matchLabels: { [key]: value } }, labels),
  );
  const expressions = (selector.matchExpressions ?? []).filter(
    (one) => !matchesLabelSelector({ matchExpressions: [one] }, labels),
  );
  return [
    ...equal.map(([key, value]) => `lacks the label ${key}=${value}`),
    ...expressions.map(({ key, operator, values = [] }) => {
      switch (operator) {
        case "In":
          return `lacks the label ${key} with one of ${values.join(", ")}`;
        case "NotIn":
          return `has the label ${key} with one of ${values.join(", ")}, which the policy leaves out`;
        case "Exists":
          return `lacks the label ${key}`;
        default:
          return `has the label ${key}, which the policy leaves out`;
      }
    }),
  ];
}

function keyOf({ policy }: NearMiss): string {
  return `${policy.kind}/${policy.namespace ?? ""}/${policy.name}`;
}

import { type DeclaredTemplate, defined, type KubeObject, parseQuantity } from "../../apis/index.ts";
import { podSpecsOf, podTemplateOf } from "./podTemplates.ts";
import { fieldsOf, type Fields, listOf, textOf } from "../values.ts";

/** Needs of one pod on a node. Compare by {@link podNeedsKey}. */
export interface PodNeeds {
  /** Above zero, by resource: thousandths of a core for `cpu`, else whole units (bytes). */
  requests: Readonly<Record<string, number>>;
  nodeSelector: Readonly<Record<string, string>>;
  /** One term has to hold, with every expression of it. Empty: nothing is required. */
  nodeTerms: readonly (readonly NodeExpression[])[];
  tolerations: readonly PodToleration[];
}

export interface NodeExpression {
  key: string;
  operator: string;
  values: readonly string[];
}

export interface PodToleration {
  key?: string;
  operator: "Exists" | "Equal";
  value?: string;
  effect?: string;
}

/** By the workload's first template. */
export function podNeedsOf(object: KubeObject, declared?: readonly DeclaredTemplate[]): PodNeeds | undefined {
  const spec = podTemplateOf(object)?.spec ?? podSpecsOf(object, declared)[0];
  return spec === undefined ? undefined : needsOfPod(spec);
}

/**
 * As the scheduler of Kubernetes counts: containers and sidecars together, or one init container alone if that is more;
 * limits where no request is set; and the overhead. Unreadable values count for nothing.
 */
export function needsOfPod(spec: Fields): PodNeeds {
  const affinity = fieldsOf(fieldsOf(spec["affinity"])["nodeAffinity"]);
  const required = fieldsOf(affinity["requiredDuringSchedulingIgnoredDuringExecution"]);
  return {
    requests: requestsOf(spec),
    nodeSelector: texts(fieldsOf(spec["nodeSelector"])),
    nodeTerms: listOf(required["nodeSelectorTerms"]).map((term) => [
      ...listOf(term["matchExpressions"]).map(expressionOf),
      ...listOf(term["matchFields"]).map(expressionOf),
    ]),
    tolerations: listOf(spec["tolerations"]).map(tolerationOf),
  };
}

/** Equal text for all pods with equal needs. */
export function podNeedsKey({ requests, nodeSelector, nodeTerms, tolerations }: PodNeeds): string {
  const sorted = (fields: object): unknown => Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([sorted(requests), sorted(nodeSelector), nodeTerms, tolerations]);
}

/** No server keeps a larger quantity. So sums of amounts stay finite, and are JSON. */
const MOST_AMOUNT = 2 ** 63;

/** In the unit of its resource, rounded up as in Kubernetes and at most 2^63; undefined if malformed. */
export function amountOf(resource: string, quantity: unknown): number | undefined {
  if (typeof quantity !== "string" && typeof quantity !== "number" && typeof quantity !== "bigint") return undefined;
  const amount = parseQuantity(quantity);
  if (amount === undefined) return undefined;
  // Hundredths of a thousandth are noise of binary fractions: 0.1 of a core is 100 thousandths, not more.
  const bounded = Math.max(-MOST_AMOUNT, Math.min(MOST_AMOUNT, amount));
  return Math.ceil(Math.round(bounded * (resource === "cpu" ? 1000 : 1) * 1e5) / 1e5);
}

type Amounts = Record<string, number>;

function requestsOf(spec: Fields): Amounts {
  const running: Amounts = {};
  const starting: Amounts = {};
  for (const container of listOf(spec["containers"])) add(running, containerRequests(container));
  const sidecars: Amounts = {};
  for (const container of listOf(spec["initContainers"])) {
    const requests = containerRequests(container);
    if (container["restartPolicy"] === "Always") add(sidecars, requests);
    else raise(starting, sumOf(sidecars, requests));
  }
  add(running, sidecars);
  raise(running, starting);
  const { requests } = fieldsOf(spec["resources"]);
  // Requests of the pod as a whole count instead of those of its containers.
  if (requests !== undefined) Object.assign(running, amountsIn(fieldsOf(requests)));
  add(running, amountsIn(fieldsOf(spec["overhead"])));
  return Object.fromEntries(Object.entries(running).filter(([, amount]) => amount > 0));
}

function containerRequests(container: Fields): Amounts {
  const resources = fieldsOf(container["resources"]);
  return { ...amountsIn(fieldsOf(resources["limits"])), ...amountsIn(fieldsOf(resources["requests"])) };
}

function amountsIn(fields: Fields): Amounts {
  const amounts: Amounts = {};
  for (const [resource, quantity] of Object.entries(fields)) {
    const amount = amountOf(resource, quantity);
    if (amount !== undefined) amounts[resource] = amount;
  }
  return amounts;
}

/** Resource names are free text, and may equal a property that every JavaScript object inherits. */
function amountIn(amounts: Amounts, resource: string): number {
  return Object.hasOwn(amounts, resource) ? (amounts[resource] ?? 0) : 0;
}

function add(to: Amounts, more: Amounts): void {
  for (const [resource, amount] of Object.entries(more)) to[resource] = amountIn(to, resource) + amount;
}

function raise(to: Amounts, least: Amounts): void {
  for (const [resource, amount] of Object.entries(least)) to[resource] = Math.max(amountIn(to, resource), amount);
}

function sumOf(a: Amounts, b: Amounts): Amounts {
  const sum = { ...a };
  add(sum, b);
  return sum;
}

function texts(fields: Fields): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)]));
}

function expressionOf(expression: Fields): NodeExpression {
  const { values } = expression;
  return {
    key: textOf(expression["key"]) ?? "",
    operator: textOf(expression["operator"]) ?? "",
    values: Array.isArray(values) ? values.map(String) : [],
  };
}

function tolerationOf(toleration: Fields): PodToleration {
  const key = textOf(toleration["key"]);
  const value = textOf(toleration["value"]);
  const effect = textOf(toleration["effect"]);
  return {
    operator: toleration["operator"] === "Exists" ? "Exists" : "Equal",
    ...defined({ key, value, effect }),
  };
}

import { isRecord, kindKeyOf, type KubeObject, sameValue, setMember, shortName } from "../../apis/index.ts";
import { isWorkload, podTemplateOf, podTemplatePathOf, withPodSpec } from "./podTemplates.ts";
import { type Fields, fieldsOf, listOf } from "../values.ts";

/**
 * Lists of built-in kinds in which API servers accept equal keys by create, update and client-side apply, but never by
 * server-side apply: found by trying every keyed list and set of the OpenAPI of version 1.35. In all others, and in
 * custom kinds, the servers refuse duplicates.
 */

/** An object that server-side apply accepts. */
export interface WithoutDuplicates {
  /** The same object if no change was needed. */
  object: KubeObject;
  /** What was merged, each with its path. */
  notes: readonly string[];
  /** What cannot be merged without another meaning: where, why, and what to do. */
  refusal: string | undefined;
}

interface ListRule {
  field: string;
  keys: readonly string[];
  /** For two entries of which neither contains the other; without it they are refused. */
  unite?: (some: Fields, other: Fields) => Fields;
}

const CONTAINER_LISTS: readonly ListRule[] = [{ field: "ports", keys: ["containerPort", "protocol"] }];
const POD_LISTS: readonly ListRule[] = [
  { field: "hostAliases", keys: ["ip"], unite: withAllHostnames },
  { field: "imagePullSecrets", keys: ["name"] },
];
const CONTAINERS = ["initContainers", "containers", "ephemeralContainers"] as const;

/** Paths to lists, by kind; `[]` goes through a list. */
const LISTS: Readonly<Record<string, readonly { at: string; list: ListRule }[]>> = {
  "/ServiceAccount": [{ at: "", list: { field: "secrets", keys: ["name"] } }],
  "admissionregistration.k8s.io/ValidatingAdmissionPolicy": [
    { at: "spec", list: { field: "variables", keys: ["name"] } },
  ],
  "admissionregistration.k8s.io/MutatingAdmissionPolicy": [
    { at: "spec", list: { field: "variables", keys: ["name"] } },
  ],
  "discovery.k8s.io/EndpointSlice": [{ at: "endpoints[]", list: { field: "addresses", keys: [] } }],
  "flowcontrol.apiserver.k8s.io/FlowSchema": [
    ...["nonResourceURLs", "verbs"].map((field) => ({
      at: "spec.rules[].nonResourceRules[]",
      list: { field, keys: [] },
    })),
    ...["apiGroups", "namespaces", "resources", "verbs"].map((field) => ({
      at: "spec.rules[].resourceRules[]",
      list: { field, keys: [] },
    })),
  ],
  "storage.k8s.io/CSIDriver": [{ at: "spec", list: { field: "volumeLifecycleModes", keys: [] } }],
};
const VALIDATIONS: ListRule = { field: "x-kubernetes-validations", keys: ["rule"] };
const DEFINITION = "apiextensions.k8s.io/CustomResourceDefinition";

/** Objects are never changed in place, and one is rendered for many clusters. */
const known = new WeakMap<KubeObject, WithoutDuplicates>();

/**
 * Merges entries with equal keys: equal ones, those of which one contains the other, hosts, and variables, of which the
 * last counts, as for the kubelet. Others are refused.
 */
export function withoutDuplicates(object: KubeObject): WithoutDuplicates {
  let result = known.get(object);
  if (result === undefined) known.set(object, (result = compute(object)));
  return result;
}

function compute(object: KubeObject): WithoutDuplicates {
  const findings: Findings = { notes: [], refusals: [] };
  const name = kindKeyOf(object);
  let made = object;
  if (isWorkload(object)) made = withoutThoseOfPods(made, findings);
  for (const { at, list } of LISTS[name] ?? []) {
    const steps = at === "" ? [] : at.split(".");
    made = changedAt(made, steps, "", (fields, path) => deduplicated(fields, list, path, findings)) as KubeObject;
  }
  if (name === DEFINITION)
    made = changedAt(made, ["spec", "versions[]", "schema", "openAPIV3Schema"], "", (schema, path) =>
      withoutThoseOfSchema(schema, path, findings),
    ) as KubeObject;
  const [refusal] = findings.refusals;
  return { object: made, notes: findings.notes, refusal };
}

interface Findings {
  notes: string[];
  refusals: string[];
}

function withoutThoseOfPods(object: KubeObject, findings: Findings): KubeObject {
  const spec = podTemplateOf(object)?.spec;
  if (spec === undefined) return object;
  const at = [...(podTemplatePathOf(object) ?? []), "spec"].join(".");
  let made: Fields = spec;
  for (const list of POD_LISTS) made = deduplicated(made, list, at, findings);
  for (const field of CONTAINERS) {
    const containers = made[field];
    if (!Array.isArray(containers)) continue;
    const changed = (containers as unknown[]).map((container) => {
      if (!isRecord(container)) return container;
      const path = `${at}.${field}[${shortName(String(container["name"]), 40)}]`;
      let one = withoutEarlierVariables(container, path, findings);
      for (const list of CONTAINER_LISTS) one = deduplicated(one, list, path, findings);
      return one;
    });
    if (changed.some((one, index) => one !== containers[index])) made = { ...made, [field]: changed };
  }
  return made === spec ? object : withPodSpec(object, made);
}

/** Merges entries with equal keys in one list of a map. */
function deduplicated(fields: Fields, rule: ListRule, path: string, findings: Findings): Fields {
  const items = fields[rule.field];
  if (!Array.isArray(items) || items.length < 2) return fields;
  const kept = new Map<string, unknown>();
  const place = path === "" ? rule.field : `${path}.${rule.field}`;
  for (const item of items as unknown[]) {
    const key = keyOf(item, rule.keys);
    const before = kept.get(key);
    if (before === undefined) {
      kept.set(key, item);
      continue;
    }
    const one = united(before, item, rule);
    if (one === undefined)
      findings.refusals.push(
        `${place}: two entries for ${nameOf(item, rule.keys)} differ; keep one of them on the hub`,
      );
    else {
      kept.set(key, one);
      findings.notes.push(`${place}: ${nameOf(item, rule.keys)} stands there twice; it is sent once`);
    }
  }
  return kept.size === items.length ? fields : { ...fields, [rule.field]: [...kept.values()] };
}

function united(some: unknown, other: unknown, { unite }: ListRule): unknown {
  if (sameValue(some, other)) return some;
  if (!isRecord(some) || !isRecord(other)) return undefined;
  const [a, b] = [withProtocol(some), withProtocol(other)];
  if (saysAllOf(a, b)) return some;
  if (saysAllOf(b, a)) return other;
  return unite?.(some, other);
}

function saysAllOf(some: Fields, other: Fields): boolean {
  return Object.entries(other).every(([key, value]) => sameValue(some[key], value));
}

/** The server's default, wherever a protocol is part of a key. */
function withProtocol(fields: Fields): Fields {
  return "containerPort" in fields && fields["protocol"] === undefined ? { ...fields, protocol: "TCP" } : fields;
}

function withAllHostnames(some: Fields, other: Fields): Fields {
  const names = [some, other].flatMap(({ hostnames }) => (Array.isArray(hostnames) ? (hostnames as unknown[]) : []));
  return { ...some, hostnames: [...new Set(names)] };
}

/** Key of an item; in a set, the item itself. */
function keyOf(item: unknown, keys: readonly string[]): string {
  if (keys.length === 0 || !isRecord(item)) return JSON.stringify(item) ?? "";
  const fields = withProtocol(item);
  return JSON.stringify(keys.map((key) => fields[key]));
}

function nameOf(item: unknown, keys: readonly string[]): string {
  if (keys.length === 0 || !isRecord(item)) return shortName(String(item), 40);
  const fields = withProtocol(item);
  return shortName(keys.map((key) => String(fields[key])).join("/"), 40);
}

/**
 * Keeps the last variable of a name where it stands, since later ones refer to it; equal ones where the first stands. A
 * variable in between that refers to an earlier value cannot be kept.
 */
function withoutEarlierVariables(container: Fields, path: string, findings: Findings): Fields {
  const variables = container["env"];
  if (!Array.isArray(variables) || variables.length < 2) return container;
  const last = new Map<unknown, number>();
  const first = new Map<unknown, number>();
  for (const [index, { name }] of listOf(variables).entries()) {
    if (!first.has(name)) first.set(name, index);
    last.set(name, index);
  }
  if (last.size === variables.length) return container;
  const kept = new Set<number>();
  for (const [name, end] of last) {
    const start = first.get(name) ?? end;
    const those = listOf(variables).slice(start, end + 1);
    const [one] = those;
    const isEqual = those.every((variable) => variable["name"] !== name || sameValue(variable, one));
    kept.add(isEqual ? start : end);
    if (start === end) continue;
    const text = shortName(String(name), 40);
    if (!isEqual && those.slice(1).some((variable) => refersTo(variable, name)))
      findings.refusals.push(`${path}.env: ${text} is set twice and read in between; rename one of them on the hub`);
    else
      findings.notes.push(
        `${path}.env: ${text} stands there twice; ${isEqual ? "it is sent once" : "the last one counts and is sent"}`,
      );
  }
  return { ...container, env: (variables as unknown[]).filter((_, index) => kept.has(index)) };
}

function refersTo({ value }: Fields, name: unknown): boolean {
  return typeof value === "string" && value.includes(`$(${String(name)})`);
}

/** Removes duplicate rules, which can be at every level of a schema. */
function withoutThoseOfSchema(schema: Fields, path: string, findings: Findings): Fields {
  let made = deduplicated(schema, VALIDATIONS, path, findings);
  for (const [key, value] of Object.entries(made)) {
    if (key === VALIDATIONS.field || typeof value !== "object" || value === null) continue;
    const changed = Array.isArray(value)
      ? mapped(value, (item, index) => withoutThoseOfSchema(item, `${path}.${key}[${index}]`, findings))
      : withoutThoseOfSchema(fieldsOf(value), `${path}.${key}`, findings);
    if (changed === value) continue;
    const copy = { ...made };
    setMember(copy, key, changed);
    made = copy;
  }
  return made;
}

/** Changes the maps at the end of the steps; returns the same value if nothing changes. */
function changedAt(
  value: unknown,
  [step, ...rest]: readonly string[],
  path: string,
  change: (fields: Fields, path: string) => Fields,
): unknown {
  if (!isRecord(value)) return value;
  if (step === undefined) return change(value, path);
  const name = step.endsWith("[]") ? step.slice(0, -2) : step;
  const here = path === "" ? name : `${path}.${name}`;
  const member = value[name];
  const changed =
    name === step
      ? changedAt(member, rest, here, change)
      : Array.isArray(member)
        ? mapped(member, (item, index) => changedAt(item, rest, `${here}[${index}]`, change))
        : member;
  return changed === member ? value : { ...value, [name]: changed };
}

/** Returns the same list if nothing in it changes. */
function mapped(list: readonly unknown[], change: (item: Fields, index: number) => unknown): readonly unknown[] {
  const changed = list.map((item, index) => (isRecord(item) ? change(item, index) : item));
  return changed.some((item, index) => item !== list[index]) ? changed : list;
}

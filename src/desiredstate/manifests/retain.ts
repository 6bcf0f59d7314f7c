import { type KubeObject, valueAt } from "../../apis/index.ts";
import { podTemplateOf } from "../../interpreter/index.ts";

/** One step of a path: a field, an item selected by its fields, an item by its index, or every item. */
type Step = { field: string } | { where: readonly (readonly [string, string])[] } | { index: number } | "EveryItem";

const STEP = /\.?([^.[\]]+)|\[(?:(\*)|(\d+)|"((?:[^"\\]|\\.)*)"|([^\]="]+=[^\]]*))\]/y;

/**
 * Parses paths such as `spec.replicas`, `spec.template.spec.containers[name=web].resources`,
 * `webhooks[*].clientConfig`, `spec.rules[0]` or `metadata.annotations["example.com/owner"]`. Undefined if the text is
 * no such path.
 */
export function parseFieldPath(text: string): Step[] | undefined {
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const match = STEP.exec(text);
    if (match === null) return undefined;
    const [, field, every, index, quoted, where] = match;
    if (field !== undefined) steps.push({ field });
    else if (every !== undefined) steps.push("EveryItem");
    else if (index !== undefined) steps.push({ index: Number(index) });
    else if (quoted !== undefined) steps.push({ field: quoted.replaceAll(/\\(.)/g, "$1") });
    else if (where !== undefined) steps.push({ where: where.split(",").map(nameAndValue) });
  }
  return steps.length === 0 ? undefined : steps;
}

function nameAndValue(text: string): readonly [string, string] {
  const equals = text.indexOf("=");
  return [text.slice(0, equals), text.slice(equals + 1)];
}

/** The objects without the fields that the placement leaves to the members. Untouched parts are shared with the input. */
export function withoutRetained(
  objects: readonly KubeObject[],
  retain: readonly { kind: string; path: string }[] | undefined,
): readonly KubeObject[] {
  if (retain === undefined || retain.length === 0) return objects;
  return objects.map((object) => {
    let rest: unknown = object;
    for (const { kind, path: text } of retain) {
      const steps = kind === object.kind ? parseFieldPath(text) : undefined;
      if (steps === undefined || isIdentity(steps)) continue;
      for (const path of [steps, ...otherAccountName(object, steps)]) rest = without(rest, path, 0) ?? rest;
    }
    return rest as KubeObject;
  });
}

const ACCOUNT_NAMES = ["serviceAccountName", "serviceAccount"];

/** A pod spec names the service account in two fields: retaining one of them retains both. */
function otherAccountName(object: KubeObject, steps: readonly Step[]): (readonly Step[])[] {
  const path = steps.flatMap((step) => fieldIn(step) ?? []);
  const last = path.pop() ?? "";
  if (path.length + 1 !== steps.length || !ACCOUNT_NAMES.includes(last)) return [];
  const spec = podTemplateOf(object)?.spec;
  if (spec === undefined || valueAt(object, path) !== spec) return [];
  return ACCOUNT_NAMES.filter((name) => name !== last).map((field) => [...steps.slice(0, -1), { field }]);
}

/** The identity of an object cannot be retained. */
function isIdentity(steps: readonly Step[]): boolean {
  const [first, second] = steps.map(fieldIn);
  if (first !== "metadata") return first === "apiVersion" || first === "kind";
  return second === undefined || second === "name" || second === "namespace";
}

function without(value: unknown, steps: readonly Step[], at: number): unknown {
  const step = steps[at];
  if (step === undefined) return undefined;
  if (step !== "EveryItem" && "field" in step) {
    if (!isFields(value) || !Object.hasOwn(value, step.field)) return value;
    const { [step.field]: member, ...others } = value;
    const rest = without(member, steps, at + 1);
    if (rest === member) return value;
    if (rest !== undefined) return { ...value, [step.field]: rest };
    return Object.keys(others).length === 0 ? undefined : others;
  }
  if (!Array.isArray(value)) return value;
  const items: unknown[] = value;
  const rest = items.flatMap((item, index) => {
    if (!isMeant(step, item, index)) return [item];
    const left = without(item, steps, at + 1);
    return left === undefined ? [] : [left];
  });
  if (rest.length === 0) return undefined;
  return rest.length === items.length && rest.every((item, index) => item === items[index]) ? value : rest;
}

function fieldIn(step: Step): string | undefined {
  return step !== "EveryItem" && "field" in step ? step.field : undefined;
}

function isMeant(step: Exclude<Step, { field: string }>, item: unknown, index: number): boolean {
  if (step === "EveryItem") return true;
  if ("index" in step) return step.index === index;
  return (
    isFields(item) && step.where.every(([name, value]) => item[name] === value || JSON.stringify(item[name]) === value)
  );
}

function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

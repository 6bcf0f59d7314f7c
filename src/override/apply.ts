import {
  type DeclaredTemplate,
  defined,
  isRecord,
  isReservedKey,
  type KubeObject,
  type OverrideRule,
  type PatchOperation,
} from "../apis/index.ts";
import { applyOperation, PatchError } from "./jsonPatch.ts";
import { wrongMetadata } from "./metadataMaps.ts";
import { overridePodTemplates, updateAt } from "./podTemplate.ts";
import { protectedChange } from "./protectedFields.ts";
import { RuleError } from "./ruleError.ts";
import type { MatchedRule, OverrideResult } from "./types.ts";
import { Work } from "./work.ts";

/**
 * Applies the rules in order to the objects rendered for one cluster; within a rule the named fields first, then the
 * patches. The results share all untouched parts with the given objects.
 *
 * `replicas` is returned, since only the caller knows what else decides their number. `withReplicas` also writes it
 * into the objects, before the patches of the same rule; pass the same function and `templates` whenever the same
 * objects are given, since results are cached by objects.
 *
 * A policy applies whole or not at all: the first rule that fails ends the rendering with the result of the policies
 * before, and the problem. {@link Work} bounds what all rules together add and copy.
 */
export function applyRules(
  objects: readonly KubeObject[],
  rules: readonly MatchedRule[],
  { withReplicas = (object) => object, templates = NO_TEMPLATES }: ApplyOptions = {},
): OverrideResult {
  let done = startOf(objects, templates);
  let current = done;
  for (const [i, matched] of rules.entries()) {
    const previous = rules[i - 1];
    if (previous !== undefined && !samePolicy(previous, matched)) done = current;
    const next = withRule(current, matched.rule, withReplicas);
    if (next instanceof RuleError) {
      const { policy, index } = matched;
      const problem = { policy, rule: index, reason: next.reason, message: next.message, place: next.place };
      return { ...resultOf(done), problem };
    }
    current = next;
  }
  return resultOf(current);
}

type WithReplicas = (object: KubeObject, replicas: number) => KubeObject;

interface ApplyOptions {
  withReplicas?: WithReplicas;
  /** Paths of pod templates that the object's kind does not define. */
  templates?: readonly DeclaredTemplate[] | undefined;
}

const NO_TEMPLATES: readonly DeclaredTemplate[] = [];

interface Progress {
  objects: readonly KubeObject[];
  replicas: number | undefined;
  work: Work;
  templates: readonly DeclaredTemplate[];
  /** By the next rule: many clusters share their first rules. */
  next: Map<OverrideRule, Progress | RuleError>;
}

/** Cached results, kept as long as the objects are in memory. */
const starts = new WeakMap<readonly KubeObject[], Progress>();

function startOf(objects: readonly KubeObject[], templates: readonly DeclaredTemplate[]): Progress {
  let start = starts.get(objects);
  if (start?.templates !== templates)
    starts.set(objects, (start = { objects, templates, replicas: undefined, work: new Work(), next: new Map() }));
  return start;
}

function withRule(before: Progress, rule: OverrideRule, withReplicas: WithReplicas): Progress | RuleError {
  let after = before.next.get(rule);
  if (after !== undefined) return after;
  try {
    after = applyRule(before, rule, withReplicas);
  } catch (error) {
    if (!(error instanceof RuleError)) throw error;
    after = error;
  }
  before.next.set(rule, after);
  return after;
}

function resultOf({ objects, replicas }: Progress): OverrideResult {
  return { objects: [...objects], ...defined({ replicas }) };
}

function samePolicy({ policy: a }: MatchedRule, { policy: b }: MatchedRule): boolean {
  return a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
}

function applyRule(
  { objects, templates, replicas, work: before }: Progress,
  rule: OverrideRule,
  withReplicas: WithReplicas,
): Progress {
  const work = new Work(before);
  work.rule();
  let changed = overridePodTemplates(objects, rule, work, templates);
  changed = merge(changed, "labels", rule.labels, work);
  changed = merge(changed, "annotations", rule.annotations, work);
  const { replicas: count } = rule;
  if (count !== undefined) changed = changed.map((object) => withReplicas(object, count));
  changed = patch(changed, rule.patches ?? [], work);
  return { objects: changed, templates, replicas: count ?? replicas, work, next: new Map() };
}

/** Not into pod templates: a new label there would restart the pods. */
function merge(
  objects: readonly KubeObject[],
  field: "labels" | "annotations",
  values: Record<string, string> | undefined,
  work: Work,
): readonly KubeObject[] {
  if (values === undefined) return objects;
  const key = Object.keys(values).find(isReservedKey);
  if (key !== undefined) throw new RuleError("ProtectedField", `${field}: ${key} is reserved for Meridian`);
  const change = (current: unknown): unknown => {
    const present = isRecord(current) ? current : {};
    work.brings(values);
    work.copiesMembersOf(present);
    return { ...present, ...values };
  };
  return objects.map((object) => updateAt(object, ["metadata", field], change) as KubeObject);
}

function patch(
  objects: readonly KubeObject[],
  operations: readonly PatchOperation[],
  work: Work,
): readonly KubeObject[] {
  if (operations.length === 0 || objects.length === 0) return objects;
  for (const [i, { kind }] of operations.entries()) {
    if (kind === undefined || objects.some((object) => object.kind === kind)) continue;
    throw new RuleError("InvalidPatch", `no ${kind} is rendered, only ${kindsOf(objects)}`, { place: `patch ${i}: ` });
  }
  return objects.map((object) => patchOne(object, operations, work));
}

function kindsOf(objects: readonly KubeObject[]): string {
  return [...new Set(objects.map((object) => object.kind))].join(", ");
}

function patchOne(object: KubeObject, operations: readonly PatchOperation[], work: Work): KubeObject {
  let patched: unknown = object;
  for (const [i, operation] of operations.entries()) {
    if (operation.kind !== undefined && operation.kind !== object.kind) continue;
    const before = patched as KubeObject;
    try {
      patched = applyOperation(before, operation, work);
    } catch (error) {
      if (!(error instanceof PatchError) && !(error instanceof RuleError)) throw error;
      const reason = error instanceof RuleError ? error.reason : "InvalidPatch";
      const place = `patch ${i} on ${object.kind}: ${error instanceof PatchError ? `${operation.op}: ` : error.place}`;
      const message =
        error instanceof PatchError
          ? error.message.slice(operation.op.length + 2)
          : error.message.slice(error.place.length);
      throw new RuleError(reason, message, { cause: error, place });
    }
    if (patched === before) continue;
    const field = isRecord(patched) ? protectedChange(before, patched, work) : "the whole object";
    if (field !== undefined)
      throw new RuleError("ProtectedField", `may not change ${field}`, { place: `patch ${i} on ${object.kind} ` });
    const wrong = wrongMetadata(before, patched);
    if (wrong !== undefined) throw new RuleError("InvalidPatch", `patch ${i} on ${object.kind}: ${wrong}`);
  }
  return patched as KubeObject;
}

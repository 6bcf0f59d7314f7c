import { type KubeObject, type Placement, refKey } from "../../apis/index.ts";
import {
  declaredDependencies,
  declaredTemplateDependencies,
  type Dependency,
  type HubKind,
  hubKindOf,
  placeableKindOf,
} from "../../interpreter/index.ts";
import type { Why } from "../types.ts";
import type { Needs } from "../snapshot.ts";

const NOTHING: Needs = Object.freeze({ dependencies: Object.freeze([]) });

/**
 * Dependencies of an object, by its content and by the policy that places it. `runs`: the object already runs on some
 * cluster, so its dependencies matter even if no policy places it any more. An unplaced object of a kind that is sent
 * as it is has no dependencies unless it runs.
 */
export function needsOf(kind: HubKind, object: KubeObject, placement: Placement | undefined, runs: boolean): Needs {
  const { mode, fields = [] } = placement?.spec.dependencies ?? {};
  if (mode === "None") return NOTHING;
  if (placement === undefined && !runs && hubKindOf(kind.group, kind.kind) === undefined) return NOTHING;
  const own = merged(kind.dependencies(object), ofTemplates(object, placement));
  if (fields.length === 0) return { dependencies: own };
  const { dependencies, mismatch } = declaredDependencies(object, fields);
  if (object.metadata.namespace === undefined)
    return dependencies.length === 0 ? { dependencies: own } : { dependencies: own, problem: withoutNamespace(object) };
  const all = { dependencies: merged(own, dependencies) };
  return mismatch === undefined ? all : { ...all, problem: mismatchOf(mismatch) };
}

/** Only namespaced objects can refer to dependencies in their namespace. */
function ofTemplates(object: KubeObject, placement: Placement | undefined): readonly Dependency[] {
  const declared = placement?.spec.podTemplates?.filter(({ kind }) => kind === object.kind) ?? [];
  if (declared.length === 0 || object.metadata.namespace === undefined) return [];
  return declaredTemplateDependencies(object, declared);
}

/** Adds the pull secrets of service accounts, as far as known. Returns the same array if nothing is added. */
export function withTheirNeeds(
  dependencies: readonly Dependency[],
  present: ReadonlyMap<string, KubeObject>,
): readonly Dependency[] {
  let more: Dependency[] | undefined;
  for (const { ref } of dependencies) {
    if (ref.kind !== "ServiceAccount") continue;
    const found = present.get(refKey(ref));
    if (found !== undefined) more = [...(more ?? []), ...placeableKindOf("", ref.kind).dependencies(found)];
  }
  return more === undefined ? dependencies : merged(dependencies, more);
}

function merged(some: readonly Dependency[], others: readonly Dependency[]): readonly Dependency[] {
  if (others.length === 0) return some;
  const all = new Map(some.map((dependency) => [refKey(dependency.ref), dependency]));
  for (const dependency of others) {
    const key = refKey(dependency.ref);
    const known = all.get(key);
    const { optional, readByPods } = dependency;
    all.set(
      key,
      known === undefined
        ? dependency
        : {
            ref: known.ref,
            optional: known.optional && optional,
            readByPods: known.readByPods || readByPods,
          },
    );
  }
  return [...all.values()];
}

function withoutNamespace({ kind }: KubeObject): Why {
  const message = `dependencies.fields: ${kind} has no namespace in which to look for what it names`;
  return { reason: "DependencyUnresolved", message };
}

function mismatchOf(mismatch: string): Why {
  return { reason: "DependencyUnresolved", message: `dependencies.fields: ${mismatch}` };
}

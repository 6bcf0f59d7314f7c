import { type DeclaredDependency, DNS_SUBDOMAIN, isRecord, type KubeObject } from "../../apis/index.ts";
import { References } from "./references.ts";
import type { Dependency } from "../types.ts";

export interface Declared {
  dependencies: Dependency[];
  /** Error of the first path that does not fit. */
  mismatch: string | undefined;
}

const LONGEST_NAME = 253;

/**
 * Objects that one object names in the fields that a placement declares, each once. An absent field and an empty text
 * name nothing.
 */
export function declaredDependencies(object: KubeObject, fields: readonly DeclaredDependency[]): Declared {
  const references = new References(object.metadata.namespace);
  let mismatch: string | undefined;
  for (const { kind, path } of fields) {
    for (const found of valuesAt(object, path.split("."), 0)) {
      if (typeof found !== "string") mismatch ??= found.mismatch;
      else if (found.length > LONGEST_NAME || !DNS_SUBDOMAIN.test(found))
        mismatch ??= `${path} is no name of a ${kind}`;
      else references.add(kind, found);
    }
  }
  return { dependencies: references.list(), mismatch };
}

/** Yields names, or a mismatch in place of a name. */
function* valuesAt(value: unknown, steps: readonly string[], at: number): Generator<string | { mismatch: string }> {
  if (value === undefined || value === null || value === "") return;
  const step = steps[at];
  const sofar = steps.slice(0, at).join(".");
  if (step === undefined) {
    if (typeof value === "string") yield value;
    else if (Array.isArray(value)) yield { mismatch: `${sofar} is a list: write ${sofar}[]` };
    else yield { mismatch: `${sofar} is no name` };
    return;
  }
  if (Array.isArray(value)) {
    yield { mismatch: `${sofar} is a list: write ${sofar}[]` };
    return;
  }
  if (!isRecord(value)) {
    yield { mismatch: `${sofar} has no fields` };
    return;
  }
  const isList = step.endsWith("[]");
  const name = isList ? step.slice(0, -2) : step;
  const member = Object.hasOwn(value, name) ? value[name] : undefined;
  if (!isList) {
    yield* valuesAt(member, steps, at + 1);
    return;
  }
  if (member === undefined || member === null) return;
  if (Array.isArray(member)) for (const item of member as unknown[]) yield* valuesAt(item, steps, at + 1);
  else yield { mismatch: `${[...steps.slice(0, at), name].join(".")} is no list: write it without []` };
}

import { type FieldProblem, isReservedKey, type KubeObject } from "../../apis/index.ts";
import { rulesOf } from "./replicas.ts";
import { selectorsOf } from "./policies.ts";

/** Pointer to one label or annotation, or to a part of it; the key is escaped. */
const KEY_OF_MAP = /^\/metadata\/(?:labels|annotations)\/([^/]+)/;
/** Selectors and the label `app`, by which the Deployment and the Service of a DemoApplication find their pods. */
const POD_LABEL = /^\/spec\/(selector(\/|$)|template\/metadata\/labels\/app$)/;
const WHOLE_MAP = /^\/metadata\/(labels|annotations)$/;

/**
 * Patches of fields that no override may change, as far as this depends on keys and kinds: the schema protects the
 * rest.
 */
export function judgePatches(policy: KubeObject): FieldProblem[] {
  const ofApplications = selectorsOf(policy).some(({ kind }) => kind === "DemoApplication");
  return rulesOf(policy).flatMap((rule, index) =>
    (rule.patches ?? []).flatMap(({ op, path, from, value }, at) => {
      if (op === "test") return [];
      const field = `spec.rules[${index}].patches[${at}]`;
      return [
        ...judgePointer(`${field}.path`, path, ofApplications),
        ...(op === "move" ? judgePointer(`${field}.from`, from, ofApplications) : []),
        ...judgeValue(`${field}.value`, path, value),
      ];
    }),
  );
}

function judgePointer(field: string, pointer: unknown, ofApplications: boolean): FieldProblem[] {
  if (typeof pointer !== "string") return [];
  const key = KEY_OF_MAP.exec(pointer)?.[1];
  if (key !== undefined && isReservedKey(key.replaceAll("~1", "/"))) {
    return [{ field, message: `${pointer} is protected: Meridian knows its objects by it; use a key of your own` }];
  }
  if (ofApplications && POD_LABEL.test(pointer)) {
    const message = `${pointer} is protected: the application finds its pods by it; add a label of your own with rules[].labels`;
    return [{ field, message }];
  }
  return [];
}

/** A patch that sets the whole map can contain protected keys too. */
function judgeValue(field: string, path: unknown, value: unknown): FieldProblem[] {
  if (typeof path !== "string" || !WHOLE_MAP.test(path) || typeof value !== "object" || value === null) return [];
  const own = Object.keys(value).find(isReservedKey);
  return own === undefined
    ? []
    : [{ field, message: `${own} is protected: Meridian knows its objects by it; remove it` }];
}

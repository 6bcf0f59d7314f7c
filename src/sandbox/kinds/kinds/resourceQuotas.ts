import type { FieldError, KubeObject } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { immutable, invalid, required } from "../../fieldErrors.ts";
import { isEqual, fields, textMap, texts } from "../values.ts";
import { validateQuantity, validateQuotaResourceName } from "../validation/resources.ts";

const SCOPES: ReadonlySet<string> = new Set([
  "BestEffort",
  "CrossNamespacePodAffinity",
  "NotBestEffort",
  "NotTerminating",
  "PriorityClass",
  "Terminating",
  "VolumeAttributesClass",
]);
const OPPOSITES = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

/** Validates quantities by the names that a quota may limit. */
function validateAmounts(amounts: unknown, at: string): FieldError[] {
  return Object.entries(textMap(amounts)).flatMap(([name, amount]) => [
    ...validateQuotaResourceName(name, `${at}[${name}]`),
    ...validateQuantity(name, amount, `${at}[${name}]`),
  ]);
}

function validateScopes(spec: Readonly<Record<string, unknown>>): FieldError[] {
  const scopes = texts(spec["scopes"]);
  const wrong = (why: string) => invalid("spec.scopes", scopes, why);
  return [
    ...scopes.filter((scope) => !SCOPES.has(scope)).map(() => wrong("unsupported scope")),
    ...OPPOSITES.filter((pair) => pair.every((scope) => scopes.includes(scope))).map(() => wrong("conflicting scopes")),
  ];
}

function validateSpec(object: KubeObject): FieldError[] {
  const spec = fields(object["spec"]);
  return [...validateAmounts(spec["hard"], "spec.hard"), ...validateScopes(spec)];
}

export const resourceQuota: KindDefinition = {
  validate(object, old) {
    const errors = validateSpec(object);
    if (old === undefined) return errors;
    const [scopes, before] = [object, old].map((one) => texts(fields(one["spec"])["scopes"]).toSorted());
    return isEqual(scopes, before)
      ? errors
      : [...errors, immutable("spec.scopes", texts(fields(object["spec"])["scopes"]))];
  },
  validateStatus({ metadata, status }) {
    const errors = (metadata.resourceVersion ?? "") === "" ? [required("resourceVersion")] : [];
    const { hard, used } = fields(status);
    return [...errors, ...validateAmounts(hard, "status.hard"), ...validateAmounts(used, "status.used")];
  },
};

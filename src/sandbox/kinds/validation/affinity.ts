import type { FieldError } from "../../types.ts";
import { forbidden, invalid, required } from "../../fieldErrors.ts";
import { dnsLabel, labelValue } from "../names.ts";
import { validateLabelKey } from "../objectMeta.ts";
import { count, fields, fieldsList, isMissing, text, texts, type Fields } from "../values.ts";
import { validateLabelSelector } from "./selectors.ts";

const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

export function validateAffinity(affinity: unknown, at: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = fields(affinity);
  return [
    ...validateNodeAffinity(fields(nodeAffinity), `${at}.nodeAffinity`),
    ...validatePodAffinity(fields(podAffinity), `${at}.podAffinity`),
    ...validatePodAffinity(fields(podAntiAffinity), `${at}.podAntiAffinity`),
  ];
}

function validateNodeAffinity(affinity: Fields, at: string): FieldError[] {
  const wanted = affinity[REQUIRED];
  const errors = isMissing(wanted) ? [] : validateNodeSelector(fields(wanted), `${at}.${REQUIRED}`);
  fieldsList(affinity[PREFERRED]).forEach(({ weight, preference }, index) => {
    const here = `${at}.${PREFERRED}[${index}]`;
    errors.push(...validateWeight(weight, here), ...validateTerm(fields(preference), false, `${here}.preference`));
  });
  return errors;
}

function validateNodeSelector({ nodeSelectorTerms }: Fields, at: string): FieldError[] {
  const terms = fieldsList(nodeSelectorTerms);
  if (terms.length === 0) return [required(`${at}.nodeSelectorTerms`, "must have at least one node selector term")];
  return terms.flatMap((term, index) => validateTerm(term, true, `${at}.nodeSelectorTerms[${index}]`));
}

function validateTerm({ matchExpressions }: Fields, withValues: boolean, at: string): FieldError[] {
  return fieldsList(matchExpressions).flatMap(({ key, operator, values: given }, index) => {
    const here = `${at}.matchExpressions[${index}]`;
    const values = texts(given);
    const errors = validateOperator(text(operator), values.length, here);
    errors.push(...validateLabelKey(text(key), `${here}.key`));
    if (!withValues) return errors;
    values.forEach((value, at) => {
      for (const message of labelValue(value)) errors.push(invalid(`${here}.values[${at}]`, value, message));
    });
    return errors;
  });
}

function validateOperator(operator: string, values: number, at: string): FieldError[] {
  switch (operator) {
    case "In":
    case "NotIn":
      return values > 0 ? [] : [required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'")];
    case "Exists":
    case "DoesNotExist":
      if (values === 0) return [];
      return [forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")];
    case "Gt":
    case "Lt":
      if (values === 1) return [];
      return [required(`${at}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'")];
    default:
      return [invalid(`${at}.operator`, operator, "not a valid selector operator")];
  }
}

function validatePodAffinity(affinity: Fields, at: string): FieldError[] {
  return [
    ...fieldsList(affinity[REQUIRED]).flatMap((term, index) => validatePodTerm(term, `${at}.${REQUIRED}[${index}]`)),
    ...fieldsList(affinity[PREFERRED]).flatMap(({ weight, podAffinityTerm }, index) => {
      const here = `${at}.${PREFERRED}[${index}]`;
      return [...validateWeight(weight, here), ...validatePodTerm(fields(podAffinityTerm), `${here}.podAffinityTerm`)];
    }),
  ];
}

function validatePodTerm(
  { labelSelector, namespaceSelector, namespaces, topologyKey }: Fields,
  at: string,
): FieldError[] {
  const errors = [
    ...validateLabelSelector(labelSelector, `${at}.labelSelector`),
    ...validateLabelSelector(namespaceSelector, `${at}.namespaceSelector`),
  ];
  for (const name of texts(namespaces)) {
    for (const message of dnsLabel(name)) errors.push(invalid(`${at}.namespace`, name, message));
  }
  if (text(topologyKey) === "") errors.push(required(`${at}.topologyKey`, "can not be empty"));
  return [...errors, ...validateLabelKey(text(topologyKey), `${at}.topologyKey`)];
}

function validateWeight(weight: unknown, at: string): FieldError[] {
  if (count(weight) >= 1 && count(weight) <= 100) return [];
  return [invalid(`${at}.weight`, count(weight), "must be in the range 1-100")];
}

import type { FieldError } from "../../types.ts";
import { forbidden, invalid, required } from "../../fieldErrors.ts";
import { matchesSelector } from "../../labelSelectors.ts";
import { labelValue } from "../names.ts";
import { validateLabelKey, validateLabels } from "../objectMeta.ts";
import { fields, fieldsList, text, textMap, texts } from "../values.ts";

export function validateLabelSelector(selector: unknown, at: string): FieldError[] {
  const errors = validateLabels(textMap(fields(selector)["matchLabels"]), `${at}.matchLabels`);
  fieldsList(fields(selector)["matchExpressions"]).forEach((requirement, index) => {
    const here = `${at}.matchExpressions[${index}]`;
    const operator = text(requirement["operator"]);
    const values = texts(requirement["values"]);
    switch (operator) {
      case "In":
      case "NotIn":
        if (values.length === 0) {
          errors.push(required(`${here}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
        }
        break;
      case "Exists":
      case "DoesNotExist":
        if (values.length > 0) {
          errors.push(
            forbidden(`${here}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
          );
        }
        break;
      default:
        errors.push(invalid(`${here}.operator`, operator, "not a valid selector operator"));
    }
    errors.push(...validateLabelKey(text(requirement["key"]), `${here}.key`));
    values.forEach((value, at) => {
      for (const message of labelValue(value)) errors.push(invalid(`${here}.values[${at}]`, value, message));
    });
  });
  return errors;
}

/** Number of labels and expressions; a selector with none selects everything. */
export function selectorSize(selector: unknown): number {
  const { matchLabels, matchExpressions } = fields(selector);
  return Object.keys(fields(matchLabels)).length + fieldsList(matchExpressions).length;
}

/** Undefined for an invalid selector, which cannot be compared. */
export function selects(selector: unknown, labels: Readonly<Record<string, string>>): boolean | undefined {
  const { matchLabels, matchExpressions } = fields(selector);
  for (const [key, value] of Object.entries(textMap(matchLabels))) {
    if (validateLabelKey(key, "").length > 0 || labelValue(value).length > 0) return undefined;
  }
  if (validateLabelSelector(selector, "").length > 0) return undefined;
  const expressions = fieldsList(matchExpressions).map(({ key, operator, values }) => ({
    key: text(key),
    operator: text(operator),
    values: texts(values),
  }));
  return matchesSelector({ matchLabels: textMap(matchLabels), matchExpressions: expressions }, labels);
}

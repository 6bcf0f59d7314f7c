import type { FieldError, KubeObject } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { duplicate, forbidden, invalid, required } from "../../fieldErrors.ts";
import { labelValue, nameIsDnsSubdomain } from "../names.ts";
import { validateLabelKey } from "../objectMeta.ts";
import { fields, fieldsList, isEqual, text, textMap, texts } from "../values.ts";
import { validateTaintEffect } from "../validation/podSpec.ts";
import { validateQuantity } from "../validation/resources.ts";

function validateTaints(object: KubeObject): FieldError[] {
  const seen = new Set<string>();
  return fieldsList(fields(object["spec"])["taints"]).flatMap((taint, index) => {
    // The server's path names metadata although the field is in the spec.
    const at = `metadata.taints[${index}]`;
    const [key, value, effect] = [text(taint["key"]), text(taint["value"]), text(taint["effect"])];
    const errors = validateLabelKey(key, `${at}.key`);
    const wrong = labelValue(value);
    if (wrong.length > 0) errors.push(invalid(`${at}.value`, value, wrong.join(";")));
    errors.push(...(effect === "" ? [required(`${at}.effect`)] : validateTaintEffect(effect, `${at}.effect`)));
    if (seen.has(`${effect}/${key}`)) {
      const given = { Key: key, Value: value, Effect: effect, TimeAdded: taint["timeAdded"] ?? null };
      const repeated = duplicate(at, given);
      errors.push({ ...repeated, message: `${repeated.message}: taints must be unique by key and effect pair` });
    }
    seen.add(`${effect}/${key}`);
    return errors;
  });
}

function validateAmounts(object: KubeObject): FieldError[] {
  return ["capacity", "allocatable"].flatMap((field) =>
    Object.entries(textMap(fields(object["status"])[field])).flatMap(([name, amount]) =>
      validateQuantity(name, amount, `status.${field}.${name}`),
    ),
  );
}

function validateUpdate(object: KubeObject, old: KubeObject): FieldError[] {
  const [spec, before] = [fields(object["spec"]), fields(old["spec"])];
  const errors = validateAmounts(object);
  const cidrs = texts(before["podCIDRs"]);
  if (cidrs.length > 0 && !isEqual(texts(spec["podCIDRs"]), cidrs)) {
    errors.push(forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'));
  }
  if (text(before["providerID"]) !== "" && before["providerID"] !== spec["providerID"]) {
    errors.push(forbidden("spec.providerID", 'node updates may not change providerID except from "" to valid'));
  }
  return [...errors, ...validateTaints(object)];
}

/** A joining node reports its capacity in its status, so a new node keeps the submitted status. */
export const node: KindDefinition = {
  name: nameIsDnsSubdomain,
  keepsStatusOnCreate: true,
  validate(object, old) {
    const errors = [...validateTaints(object), ...validateAmounts(object)];
    return old === undefined ? errors : [...errors, ...validateUpdate(object, old)];
  },
  validateStatus: validateUpdate,
  selectableFields: (object) => ({
    "spec.unschedulable": String(fields(object["spec"])["unschedulable"] === true),
  }),
};

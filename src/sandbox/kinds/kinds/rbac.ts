import type { FieldError, KubeObject } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsSubdomain, nameIsPathSegment, pathSegment } from "../names.ts";
import { fields, type Fields, fieldsList, isEqual, isMissing, text, texts } from "../values.ts";
import { validateLabelSelector } from "../validation/selectors.ts";

const GROUP = "rbac.authorization.k8s.io";

function validateRules(object: KubeObject, isNamespaced: boolean): FieldError[] {
  return fieldsList(object["rules"]).flatMap((rule, index) => validateRule(rule, isNamespaced, `rules[${index}]`));
}

function validateRule(rule: Fields, isNamespaced: boolean, at: string): FieldError[] {
  const has = (field: string) => texts(rule[field]).length > 0;
  const errors = has("verbs") ? [] : [required(`${at}.verbs`, "verbs must contain at least one value")];
  if (has("nonResourceURLs")) {
    const wrong = (why: string) => errors.push(invalid(`${at}.nonResourceURLs`, rule["nonResourceURLs"], why));
    if (isNamespaced) wrong("namespaced rules cannot apply to non-resource URLs");
    if (has("apiGroups") || has("resources") || has("resourceNames")) {
      wrong("rules cannot apply to both regular resources and non-resource URLs");
    }
    return errors;
  }
  if (!has("apiGroups")) errors.push(required(`${at}.apiGroups`, "resource rules must supply at least one api group"));
  if (!has("resources")) errors.push(required(`${at}.resources`, "resource rules must supply at least one resource"));
  return errors;
}

/** An empty list of rules is stored as null. */
function withoutEmptyRules(object: KubeObject): KubeObject {
  const rules = object["rules"];
  return Array.isArray(rules) && rules.length === 0 ? { ...object, rules: null } : object;
}

export const role: KindDefinition = {
  name: nameIsPathSegment,
  prepareForCreate: withoutEmptyRules,
  prepareForUpdate: withoutEmptyRules,
  allowsCreateOnUpdate: true,
  validate: (object) => validateRules(object, true),
};

export const clusterRole: KindDefinition = {
  ...role,
  validate(object) {
    const errors = validateRules(object, false);
    const aggregation = object["aggregationRule"];
    if (isMissing(aggregation)) return errors;
    const at = "aggregationRule.clusterRoleSelectors";
    const selectors = fieldsList(fields(aggregation)["clusterRoleSelectors"]);
    if (selectors.length === 0) {
      errors.push(required(at, "at least one clusterRoleSelector required if aggregationRule is non-nil"));
    }
    return [...errors, ...selectors.flatMap((selector, index) => validateLabelSelector(selector, `${at}[${index}]`))];
  },
};

function validateBinding(object: KubeObject, old: KubeObject | undefined, kinds: readonly string[]): FieldError[] {
  const roleRef = fields(object["roleRef"]);
  const [group, kind, name] = [text(roleRef["apiGroup"]), text(roleRef["kind"]), text(roleRef["name"])];
  const errors: FieldError[] = [];
  if (group !== GROUP) errors.push(notSupported("roleRef.apiGroup", group, [GROUP]));
  if (!kinds.includes(kind)) errors.push(notSupported("roleRef.kind", kind, kinds));
  if (name === "") errors.push(required("roleRef.name"));
  else errors.push(...pathSegment(name).map((message) => invalid("roleRef.name", name, message)));
  fieldsList(object["subjects"]).forEach((subject, index) => {
    errors.push(...validateSubject(subject, kinds.includes("Role"), `subjects[${index}]`));
  });
  return old === undefined || isEqual(roleRef, old["roleRef"])
    ? errors
    : [...errors, invalid("roleRef", { APIGroup: group, Kind: kind, Name: name }, "cannot change roleRef")];
}

function validateSubject(subject: Fields, isNamespaced: boolean, at: string): FieldError[] {
  const [group, kind, name] = [text(subject["apiGroup"]), text(subject["kind"]), text(subject["name"])];
  const errors = name === "" ? [required(`${at}.name`)] : [];
  switch (kind) {
    case "ServiceAccount":
      if (name !== "") errors.push(...dnsSubdomain(name).map((message) => invalid(`${at}.name`, name, message)));
      if (group !== "") errors.push(notSupported(`${at}.apiGroup`, group, [""]));
      if (!isNamespaced && text(subject["namespace"]) === "") errors.push(required(`${at}.namespace`));
      return errors;
    case "User":
    case "Group":
      return group === GROUP ? errors : [...errors, notSupported(`${at}.apiGroup`, group, [GROUP])];
    default:
      return [...errors, notSupported(`${at}.kind`, kind, ["ServiceAccount", "User", "Group"])];
  }
}

export const roleBinding: KindDefinition = {
  ...role,
  validate: (object, old) => validateBinding(object, old, ["Role", "ClusterRole"]),
};

export const clusterRoleBinding: KindDefinition = {
  ...role,
  validate: (object, old) => validateBinding(object, old, ["ClusterRole"]),
};

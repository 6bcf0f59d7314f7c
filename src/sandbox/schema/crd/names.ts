import { dns1035Label, dnsSubdomain } from "../../kinds/names.ts";
import type { FieldError } from "../../types.ts";
import { invalid, notSupported, required } from "../../fieldErrors.ts";
import { requestUriError } from "../uri.ts";
import type { CrdNames } from "./crdTypes.ts";

/** The names of a CRD: group, kind in all forms, and the CRD's own name. */

export function validateGroup(group: string, field: string): FieldError[] {
  if (group === "") return [required(field)];
  const wrong = dnsSubdomain(group);
  if (wrong.length > 0) return [invalid(field, group, wrong.join(","))];
  return group.includes(".") ? [] : [invalid(field, group, "should be a domain with at least one dot")];
}

export function validateRequiredNames({ plural, singular, kind, listKind }: CrdNames, field: string): FieldError[] {
  return Object.entries({ plural, singular, kind, listKind })
    .filter(([, name]) => name === undefined || name === "")
    .map(([key]) => required(`${field}.${key}`));
}

export function validateNames(names: CrdNames, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ["plural", "singular"] as const) errors.push(...label(names[key], `${field}.${key}`));
  for (const key of ["kind", "listKind"] as const) {
    const name = names[key] ?? "";
    const wrong = name === "" ? [] : dns1035Label(name.toLowerCase());
    const detail = `may have mixed case, but should otherwise match: ${wrong.join(",")}`;
    if (wrong.length > 0) errors.push(invalid(`${field}.${key}`, name, detail));
  }
  for (const [index, name] of (names.shortNames ?? []).entries()) {
    errors.push(...label(name, `${field}.shortNames[${index}]`, "always"));
  }
  if (names.kind !== undefined && names.kind !== "" && names.kind === names.listKind) {
    errors.push(invalid(`${field}.listKind`, names.listKind, "kind and listKind may not be the same"));
  }
  for (const [index, name] of (names.categories ?? []).entries()) {
    errors.push(...label(name, `${field}.categories[${index}]`, "always"));
  }
  return errors;
}

function label(name: string | undefined, field: string, when: "always" | "given" = "given"): FieldError[] {
  if (when === "given" && (name === undefined || name === "")) return [];
  const wrong = dns1035Label(name ?? "");
  return wrong.length === 0 ? [] : [invalid(field, name, wrong.join(","))];
}

/** The name rule of CRDs: a valid name that equals plural and group. */
export function crdNameRule(names: CrdNames, group: string): (name: string) => string[] {
  return (name) => [
    ...dnsSubdomain(name),
    ...(name === `${names.plural ?? ""}.${group}` ? [] : ['must be spec.names.plural+"."+spec.group']),
  ];
}

const APPROVAL = "api-approved.kubernetes.io";
const SEE = "see https://github.com/kubernetes/enhancements/pull/1111";

type Approval = "approved" | "bypassed" | "missing" | "invalid";

/** Groups of Kubernetes itself need an annotation with the approval of the API. */
export function validateApproval(
  group: string,
  annotations: Readonly<Record<string, string>> | undefined,
  oldAnnotations: Readonly<Record<string, string>> | undefined,
): FieldError[] {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(group)) return [];
  const given = annotations?.[APPROVAL] ?? "";
  const state = approvalOf(given);
  if (oldAnnotations !== undefined && approvalOf(oldAnnotations[APPROVAL] ?? "") === state) return [];
  const field = `metadata.annotations[${APPROVAL}]`;
  const must = `protected groups must have approval annotation "${APPROVAL}"`;
  if (state === "missing") return [required(field, `${must}, ${SEE}`)];
  if (state !== "invalid") return [];
  return [invalid(field, given, `${must} with either a URL or a reason starting with "unapproved", ${SEE}`)];
}

function approvalOf(annotation: string): Approval {
  if (annotation === "") return "missing";
  if (annotation.startsWith("unapproved")) return "bypassed";
  return requestUriError(annotation) === undefined && /^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(annotation)
    ? "approved"
    : "invalid";
}

export function validateScope(scope: string | undefined, field: string): FieldError[] {
  if (scope === undefined || scope === "") return [required(field)];
  if (scope === "Cluster" || scope === "Namespaced") return [];
  return [notSupported(field, scope, ["Cluster", "Namespaced"])];
}

/** A field that the API server still knows but no longer accepts. */
export function validatePreserveUnknownFields(now: boolean | undefined, before: boolean | undefined): FieldError[] {
  if (now !== true || before === true) return [];
  return [
    invalid(
      "spec.preserveUnknownFields",
      true,
      "cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead",
    ),
  ];
}

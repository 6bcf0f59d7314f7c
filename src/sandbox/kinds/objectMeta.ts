import type { FieldError, KubeObject } from "../types.ts";
import { forbidden, immutable, invalid, required, tooLong } from "../fieldErrors.ts";
import { byteLength, dnsLabel, labelKey, labelValue, type NameRule } from "./names.ts";

const ANNOTATIONS_LIMIT = 256 * 1024;

export interface MetadataRules {
  namespaced: boolean;
  name: NameRule;
}

/** Errors of a new object's metadata. */
export function validateObjectMeta({ metadata }: KubeObject, rules: MetadataRules, at = "metadata"): FieldError[] {
  const errors: FieldError[] = [];
  const { name, generateName, namespace } = metadata;
  if (generateName !== undefined && generateName !== "") {
    for (const message of rules.name(generateName, true)) {
      errors.push(invalid(`${at}.generateName`, generateName, message));
    }
  }
  if (name === undefined || name === "") errors.push(required(`${at}.name`, "name or generateName is required"));
  else for (const message of rules.name(name, false)) errors.push(invalid(`${at}.name`, name, message));
  if (rules.namespaced) {
    if (namespace === undefined || namespace === "") errors.push(required(`${at}.namespace`));
    else for (const message of dnsLabel(namespace)) errors.push(invalid(`${at}.namespace`, namespace, message));
  } else if (namespace !== undefined && namespace !== "") {
    errors.push(forbidden(`${at}.namespace`, "not allowed on this type"));
  }
  const generation = metadata.generation ?? 0;
  if (generation < 0) errors.push(invalid(`${at}.generation`, generation, "must be greater than or equal to 0"));
  errors.push(
    ...validateLabels(metadata.labels, `${at}.labels`),
    ...validateAnnotations(metadata.annotations, `${at}.annotations`),
    ...validateOwnerReferences(metadata.ownerReferences, `${at}.ownerReferences`),
    ...validateFinalizers(metadata.finalizers, `${at}.finalizers`),
    ...validateManagedFields(metadata.managedFields, `${at}.managedFields`),
  );
  return errors;
}

/** Errors of an updated object's metadata, forbidden changes included. */
export function validateObjectMetaUpdate({ metadata }: KubeObject, old: KubeObject, at = "metadata"): FieldError[] {
  const errors: FieldError[] = [];
  if (old.metadata.deletionTimestamp !== undefined) {
    const before = new Set(old.metadata.finalizers);
    const added = [...new Set(metadata.finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
    if (added.length > 0) {
      const list = `[]string{${added.map((finalizer) => JSON.stringify(finalizer)).join(", ")}}`;
      const why = "no new finalizers can be added if the object is being deleted, found new finalizers";
      errors.push(forbidden(`${at}.finalizers`, `${why} ${list}`));
    }
  }
  if (metadata.resourceVersion === undefined || metadata.resourceVersion === "") {
    errors.push(invalid(`${at}.resourceVersion`, "", "must be specified for an update"));
  }
  const generation = metadata.generation ?? 0;
  if (generation < (old.metadata.generation ?? 0)) {
    errors.push(invalid(`${at}.generation`, generation, "must not be decremented"));
  }
  for (const field of ["name", "namespace", "uid"] as const) {
    const value = metadata[field] ?? "";
    if (value !== (old.metadata[field] ?? "")) errors.push(immutable(`${at}.${field}`, value));
  }
  for (const field of ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const) {
    if (metadata[field] !== old.metadata[field]) errors.push(immutable(`${at}.${field}`, metadata[field]));
  }
  errors.push(
    ...validateLabels(metadata.labels, `${at}.labels`),
    ...validateAnnotations(metadata.annotations, `${at}.annotations`),
    ...validateOwnerReferences(metadata.ownerReferences, `${at}.ownerReferences`),
    ...validateManagedFields(metadata.managedFields, `${at}.managedFields`),
  );
  return errors;
}

export function validateLabelKey(key: string, at: string): FieldError[] {
  return labelKey(key).map((message) => invalid(at, key, message));
}

export function validateLabels(labels: Readonly<Record<string, string>> | undefined, at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    errors.push(...validateLabelKey(key, at));
    for (const message of labelValue(value)) errors.push(invalid(at, value, message));
  }
  return errors;
}

export function validateAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  at: string,
): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    for (const message of labelKey(key.toLowerCase())) errors.push(invalid(at, key, message));
    size += byteLength(key) + byteLength(value);
  }
  if (size > ANNOTATIONS_LIMIT) errors.push(tooLong(at, ANNOTATIONS_LIMIT));
  return errors;
}

function validateOwnerReferences(references: KubeObject["metadata"]["ownerReferences"], at: string): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references ?? []) {
    const { apiVersion = "", kind = "", name = "", uid = "" } = reference as Partial<typeof reference>;
    if (apiVersion === "" || apiVersion.endsWith("/")) {
      errors.push(invalid(`${at}.apiVersion`, apiVersion, "version must not be empty"));
    }
    if (kind === "") errors.push(invalid(`${at}.kind`, kind, "must not be empty"));
    if (name === "") errors.push(invalid(`${at}.name`, name, "must not be empty"));
    if (uid === "") errors.push(invalid(`${at}.uid`, uid, "must not be empty"));
    if (apiVersion === "v1" && kind === "Event") {
      errors.push(invalid(at, reference, "/v1, Kind=Event is disallowed from being an owner"));
    }
    if (reference.controller !== true) continue;
    const found = `${kind}/${name}`;
    if (controller === undefined) controller = found;
    else {
      const why = 'Only one reference can have Controller set to true. Found "true" in references for';
      errors.push(invalid(at, references, `${why} ${controller} and ${found}`));
    }
  }
  return errors;
}

const STANDARD_FINALIZERS = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Most built-in kinds require finalizers with a domain, except for the server's own. */
export function validateQualifiedFinalizers({ metadata }: KubeObject): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((finalizer, index) => {
    if (finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)) return [];
    const why = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(`metadata.finalizers[${index}]`, finalizer, why)];
  });
}

function validateFinalizers(finalizers: readonly string[] | undefined, at: string): FieldError[] {
  const errors = (finalizers ?? []).flatMap((finalizer) => validateLabelKey(finalizer, at));
  if (finalizers?.includes("orphan") === true && finalizers.includes("foregroundDeletion")) {
    errors.push(invalid(at, finalizers, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}

function validateManagedFields(entries: KubeObject["metadata"]["managedFields"], at: string): FieldError[] {
  return (entries ?? []).flatMap(({ operation, fieldsType, manager = "", subresource = "" }, index) => {
    const here = `${at}[${index}]`;
    const errors: FieldError[] = [];
    if (operation !== "Apply" && operation !== "Update") {
      errors.push(invalid(`${here}.operation`, operation ?? "", "must be `Apply` or `Update`"));
    }
    if (fieldsType !== undefined && fieldsType !== "" && fieldsType !== "FieldsV1") {
      errors.push(invalid(`${here}.fieldsType`, fieldsType, "must be `FieldsV1`"));
    }
    errors.push(...validateFieldManager(manager, `${here}.manager`));
    if (byteLength(subresource) > 256) errors.push(tooLong(`${here}.subresource`, 256));
    return errors;
  });
}

/** Also validates the `fieldManager` parameter of a request. */
export function validateFieldManager(manager: string, at: string): FieldError[] {
  const errors: FieldError[] = byteLength(manager) > 128 ? [tooLong(at, 128)] : [];
  let position = 0;
  for (const character of manager) {
    if (/[\p{C}\p{Z}]/u.test(character) && character !== " ") {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(invalid(at, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(character);
  }
  return errors;
}

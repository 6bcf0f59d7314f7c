import { dns1035Label } from "../../kinds/names.ts";
import { validateObjectMeta, validateObjectMetaUpdate } from "../../kinds/objectMeta.ts";
import type { FieldError, KubeObject, Schema } from "../../types.ts";
import { followPath } from "../cel/fieldPath.ts";
import { equalJson } from "../../equalJson.ts";
import { duplicate, invalid, required, tooMany } from "../../fieldErrors.ts";
import { validateConversion } from "./conversion.ts";
import { type CrdColumn, type CrdSpec, type CrdSubresources, type CrdVersion, specOf, statusOf } from "./crdTypes.ts";
import {
  crdNameRule,
  validateApproval,
  validateGroup,
  validateNames,
  validatePreserveUnknownFields,
  validateRequiredNames,
  validateScope,
} from "./names.ts";
import { validateSchema } from "./validateSchema.ts";

/**
 * The API server's errors of a CustomResourceDefinition: names, versions, conversion, columns, subresources, selectable
 * fields, and for each schema that it is structural, its defaults are valid and its rules compile. With the old CRD,
 * also errors of the change. Needs the defaults of {@link defaultCrd}. The cost of rules is not estimated.
 */
export function validateCrd(crd: KubeObject, old?: KubeObject): FieldError[] {
  const spec = specOf(crd);
  const { group = "", names = {}, versions = [] } = spec;
  const name = crdNameRule(names, group);
  const metadata =
    old === undefined ? validateObjectMeta(crd, { namespaced: false, name }) : validateObjectMetaUpdate(crd, old);
  const { acceptedNames = {}, storedVersions } = statusOf(crd);
  return [
    ...metadata,
    ...validateSpec(spec),
    ...(old === undefined ? [] : validateChange(spec, specOf(old), isEstablished(old))),
    ...validateNames(acceptedNames, "status.acceptedNames"),
    ...validateStoredVersions(storedVersions, versions),
    ...validateApproval(
      group,
      crd.metadata.annotations,
      old === undefined ? undefined : (old.metadata.annotations ?? {}),
    ),
    ...validatePreserveUnknownFields(
      spec.preserveUnknownFields,
      old === undefined ? undefined : specOf(old).preserveUnknownFields,
    ),
  ];
}

function isEstablished(crd: KubeObject): boolean {
  const conditions = statusOf(crd).conditions ?? [];
  return conditions.some(({ type, status }) => type === "Established" && status === "True");
}

/** Properties equal in all versions. The API server keeps them at the top of the spec, and errors name them there. */
interface Shared {
  schema: boolean;
  subresources: boolean;
  columns: boolean;
  selectableFields: boolean;
}

function sharedBy(versions: readonly CrdVersion[]): Shared {
  const [first] = versions;
  const alike = (part: (version: CrdVersion) => unknown) =>
    first !== undefined && versions.every((version) => equalJson(part(version), part(first)));
  return {
    schema: alike(({ schema }) => schema),
    subresources: alike(({ subresources }) => subresources),
    columns: alike(({ additionalPrinterColumns }) => additionalPrinterColumns),
    selectableFields: alike(({ selectableFields }) => selectableFields),
  };
}

function validateSpec(spec: CrdSpec): FieldError[] {
  const { group = "", names = {}, versions = [], conversion } = spec;
  const shared = sharedBy(versions);
  const [first] = versions;
  const errors = [...validateGroup(group, "spec.group"), ...validateScope(spec.scope, "spec.scope")];
  for (const [index, { schema }] of versions.entries()) {
    if (schema?.openAPIV3Schema === undefined) errors.push(required(`spec.versions[${index}].schema.openAPIV3Schema`));
  }
  for (const [index, version] of versions.entries()) {
    errors.push(...validateVersion(version, `spec.versions[${index}]`, shared));
  }
  const shown = versions.map(({ name }) => name);
  if (new Set(versions.map(({ name }) => name)).size !== versions.length) {
    errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  }
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  }
  if (first?.name !== undefined && first.name !== "") errors.push(...versionName(first.name, "spec.version"));
  errors.push(...validateRequiredNames(names, "spec.names"), ...validateNames(names, "spec.names"));
  if (first !== undefined) errors.push(...validateShared(first, versions, shared));
  if (conversion !== undefined) errors.push(...validateConversion(conversion, "spec.conversion"));
  return errors;
}

function validateVersion(version: CrdVersion, field: string, shared: Shared): FieldError[] {
  const { name = "", schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  const errors = [...versionName(name, `${field}.name`), ...validateDeprecation(version, field)];
  const declared = schema?.openAPIV3Schema;
  if (!shared.schema && declared !== undefined) {
    errors.push(...validateSchema(declared, `${field}.schema.openAPIV3Schema`, subresources?.status !== undefined));
  }
  if (!shared.subresources) errors.push(...validateSubresources(subresources, `${field}.subresources`));
  if (!shared.columns) errors.push(...validateColumns(additionalPrinterColumns, `${field}.additionalPrinterColumns`));
  if (!shared.selectableFields) {
    errors.push(...validateSelectable(selectableFields, declared, `${field}.selectableFields`));
  }
  return errors;
}

function validateShared(first: CrdVersion, versions: readonly CrdVersion[], shared: Shared): FieldError[] {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = first;
  const declared = schema?.openAPIV3Schema;
  const hasStatus = versions.some((version) => version.subresources?.status !== undefined);
  const errors: FieldError[] = [];
  if (shared.schema && declared !== undefined) {
    errors.push(...validateSchema(declared, "spec.validation.openAPIV3Schema", hasStatus));
  }
  if (shared.subresources) errors.push(...validateSubresources(subresources, "spec.subresources"));
  if (shared.columns) errors.push(...validateColumns(additionalPrinterColumns, "spec.additionalPrinterColumns"));
  if (shared.selectableFields) errors.push(...validateSelectable(selectableFields, declared, "spec.selectableFields"));
  return errors;
}

function versionName(name: string, field: string): FieldError[] {
  const wrong = dns1035Label(name);
  return wrong.length === 0 ? [] : [invalid(field, name, wrong.join(","))];
}

function validateDeprecation({ deprecated, deprecationWarning: warning }: CrdVersion, field: string): FieldError[] {
  if (warning === undefined) return [];
  const at = `${field}.deprecationWarning`;
  if (deprecated !== true) return [invalid(at, warning, "can only be set for deprecated versions")];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(warning) > 256) errors.push(invalid(at, warning, "must be <= 256 characters long"));
  if (warning === "") errors.push(invalid(at, warning, "must not be an empty string"));
  const odd = /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.exec(warning);
  if (odd !== null) {
    const index = Buffer.byteLength(warning.slice(0, odd.index));
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${index}`;
    errors.push(invalid(at, warning, why));
  }
  return errors;
}

function validateSubresources(subresources: CrdSubresources | undefined, field: string): FieldError[] {
  const { scale } = subresources ?? {};
  if (scale === undefined) return [];
  const { specReplicasPath = "", statusReplicasPath = "", labelSelectorPath = "" } = scale;
  const at = (name: string) => `${field}.scale.${name}`;
  return [
    ...scalePath(specReplicasPath, at("specReplicasPath"), [".spec."], "should be a json path under .spec"),
    ...scalePath(statusReplicasPath, at("statusReplicasPath"), [".status."], "should be a json path under .status"),
    ...(labelSelectorPath === ""
      ? []
      : scalePath(
          labelSelectorPath,
          at("labelSelectorPath"),
          [".spec.", ".status."],
          "should be a json path under either .spec or .status",
        )),
  ];
}

function scalePath(path: string, field: string, below: readonly string[], why: string): FieldError[] {
  if (path === "") return [required(field)];
  const errors = simplePath(path, field);
  if (errors.length > 0 || below.some((prefix) => path.startsWith(prefix))) return errors;
  return [invalid(field, path, why)];
}

function simplePath(path: string, field: string): FieldError[] {
  return path.startsWith(".") ? [] : [invalid(field, path, "must be a simple json path starting with .")];
}

const COLUMN_TYPES = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function validateColumns(columns: readonly CrdColumn[], field: string): FieldError[] {
  return columns.flatMap(({ name = "", type = "", format = "", jsonPath = "" }, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = name === "" ? [required(`${at}.name`)] : [];
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    if (type === "") errors.push(required(`${at}.type`, types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${at}.type`, type, types));
    if (format !== "" && !COLUMN_FORMATS.includes(format)) {
      errors.push(invalid(`${at}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`));
    }
    if (jsonPath === "") errors.push(required(`${at}.JSONPath`));
    else errors.push(...simplePath(jsonPath, `${at}.JSONPath`));
    return errors;
  });
}

const MOST_SELECTABLE = 8;

function validateSelectable(
  fields: readonly { jsonPath?: string }[],
  schema: Schema | undefined,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [index, { jsonPath = "" }] of fields.entries()) {
    const at = `${field}[${index}].jsonPath`;
    if (jsonPath === "") {
      errors.push(required(at));
      continue;
    }
    const path = followPath(jsonPath, schema ?? {}, "refused");
    if ("error" in path) {
      errors.push(invalid(at, jsonPath, `is an invalid path: ${path.error}`));
      continue;
    }
    if (path.text.startsWith("metadata.")) errors.push(invalid(at, jsonPath, "must not point to fields in metadata"));
    if (!["string", "boolean", "integer"].includes(path.schema?.type ?? "")) {
      const why =
        "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
      errors.push(invalid(at, jsonPath, why));
    }
    if (seen.has(path.text)) errors.push(duplicate(at, jsonPath));
    seen.add(path.text);
  }
  if (seen.size > MOST_SELECTABLE) errors.push(tooMany(field, seen.size, MOST_SELECTABLE));
  return errors;
}

function validateStoredVersions(stored: readonly string[] | undefined, versions: readonly CrdVersion[]): FieldError[] {
  const field = "status.storedVersions";
  if (stored === undefined || stored.length === 0) {
    return [invalid(field, stored ?? null, "must have at least one stored version")];
  }
  const errors: FieldError[] = [];
  for (const { name = "", storage } of versions) {
    if (storage === true && !stored.includes(name)) {
      errors.push(invalid(field, stored, `must have the storage version ${name}`));
    }
  }
  for (const [index, name] of stored.entries()) {
    if (versions.some((version) => version.name === name)) continue;
    const why = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(`${field}[${index}]`, name, why));
  }
  return errors;
}

/** Objects may be stored already, so their names and scope are immutable. */
function validateChange(spec: CrdSpec, old: CrdSpec, established: boolean): FieldError[] {
  const changed = (now: string | undefined, before: string | undefined, field: string) =>
    now === before ? [] : [invalid(field, now ?? "", "field is immutable")];
  return [
    ...(established ? changed(spec.scope, old.scope, "spec.scope") : []),
    ...(established ? changed(spec.names?.kind, old.names?.kind, "spec.names.kind") : []),
    ...changed(spec.group, old.group, "spec.group"),
    ...changed(spec.names?.plural, old.names?.plural, "spec.names.plural"),
  ];
}

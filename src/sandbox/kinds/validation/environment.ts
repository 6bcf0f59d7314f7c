import type { FieldError } from "../../types.ts";
import { invalid, notSupported, required } from "../../fieldErrors.ts";
import { configMapKey, dnsSubdomain, environmentVariableName, nameIsDnsSubdomain } from "../names.ts";
import { validateLabelKey } from "../objectMeta.ts";
import { fields, fieldsList, isMissing, text, type Fields } from "../values.ts";

const POD_FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const VOLUME_FIELDS = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];
const CONTAINER_RESOURCES = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
/** Fields that the downward API knows, for volumes and variables together. */
const KNOWN_FIELDS = new Set([
  ...POD_FIELDS,
  ...VOLUME_FIELDS,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

export function validateEnvironment(variables: unknown, at: string): FieldError[] {
  return fieldsList(variables).flatMap((variable, index) => {
    const here = `${at}[${index}]`;
    const name = text(variable["name"]);
    const errors =
      name === ""
        ? [required(`${here}.name`)]
        : environmentVariableName(name).map((message) => invalid(`${here}.name`, name, message));
    return [...errors, ...validateSource(variable, `${here}.valueFrom`)];
  });
}

function validateSource({ value, valueFrom }: Fields, at: string): FieldError[] {
  if (isMissing(valueFrom)) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = fields(valueFrom);
  const errors: FieldError[] = [];
  let sources = 0;
  const check = (source: unknown, validate: (source: Fields) => FieldError[]) => {
    if (isMissing(source)) return;
    sources++;
    errors.push(...validate(fields(source)));
  };
  check(fieldRef, (source) => validateFieldReference(source, POD_FIELDS, `${at}.fieldRef`));
  check(resourceFieldRef, (source) => validateResourceReference(source, `${at}.resourceFieldRef`, false));
  check(configMapKeyRef, (source) => validateKeySelector(source, `${at}.configMapKeyRef`));
  check(secretKeyRef, (source) => validateKeySelector(source, `${at}.secretKeyRef`));
  check(fileKeyRef, () => []);
  if (sources === 0) {
    const one = "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";
    errors.push(invalid(at, "", one));
  } else if (text(value) !== "") errors.push(invalid(at, "", "may not be specified when `value` is not empty"));
  else if (sources > 1) errors.push(invalid(at, "", "may not have more than one field specified at a time"));
  return errors;
}

function validateKeySelector(selector: Fields, at: string): FieldError[] {
  const name = text(selector["name"]);
  const key = text(selector["key"]);
  const errors = dnsSubdomain(name).map((message) => invalid(`${at}.name`, name, message));
  if (key === "") return [...errors, required(`${at}.key`)];
  return [...errors, ...configMapKey(key).map((message) => invalid(`${at}.key`, key, message))];
}

/** A field of the Pod, as the downward API names it: `metadata.labels['app']`. */
export function validateFieldReference(reference: Fields, supported: readonly string[], at: string): FieldError[] {
  const fieldPath = text(reference["fieldPath"]);
  if (text(reference["apiVersion"]) === "") return [required(`${at}.apiVersion`)];
  if (fieldPath === "") return [required(`${at}.fieldPath`)];
  const [, path = fieldPath, subscript] = /^(.*)\['(.*)'\]$/.exec(fieldPath) ?? [];
  if (subscript !== undefined) {
    if (path === "metadata.annotations") return validateLabelKey(subscript.toLowerCase(), at);
    if (path === "metadata.labels") return validateLabelKey(subscript, at);
    if (KNOWN_FIELDS.has(path)) return [invalid(at, path, "does not support subscript")];
  }
  if (subscript !== undefined || !KNOWN_FIELDS.has(fieldPath)) {
    const why = `error converting fieldPath: field label not supported: ${subscript === undefined ? fieldPath : path}`;
    return [invalid(`${at}.fieldPath`, fieldPath, why)];
  }
  return supported.includes(fieldPath) ? [] : [notSupported(`${at}.fieldPath`, fieldPath, supported)];
}

export const volumeFields: readonly string[] = VOLUME_FIELDS;

/** A request or limit of a container. A volume must name the container. */
export function validateResourceReference(reference: Fields, at: string, isVolume: boolean): FieldError[] {
  const resource = text(reference["resource"]);
  if (isVolume && text(reference["containerName"]) === "") return [required(`${at}.containerName`)];
  if (resource === "") return [required(`${at}.resource`)];
  const isKnown = CONTAINER_RESOURCES.includes(resource) || /^(limits|requests)\.hugepages-/.test(resource);
  return isKnown ? [] : [notSupported(`${at}.resource`, resource, CONTAINER_RESOURCES)];
}

export function validateEnvironmentSources(sources: unknown, at: string): FieldError[] {
  return fieldsList(sources).flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const here = `${at}[${index}]`;
    const errors: FieldError[] = [];
    if (text(prefix) !== "") {
      for (const message of environmentVariableName(text(prefix))) {
        errors.push(invalid(`${here}.prefix`, prefix, message));
      }
    }
    const given = [
      { source: configMapRef, field: "configMapRef" },
      { source: secretRef, field: "secretRef" },
    ].filter(({ source }) => !isMissing(source));
    for (const { source, field } of given) {
      const name = text(fields(source)["name"]);
      if (name === "") errors.push(required(`${here}.${field}.name`));
      else {
        for (const message of nameIsDnsSubdomain(name, true)) {
          errors.push(invalid(`${here}.${field}.name`, name, message));
        }
      }
    }
    // The server's path names the list, not the item.
    if (given.length === 0) errors.push(invalid(at, "", "must specify one of: `configMapRef` or `secretRef`"));
    if (given.length > 1) errors.push(invalid(at, "", "may not have more than one field specified at a time"));
    return errors;
  });
}

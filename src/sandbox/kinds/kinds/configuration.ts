import type { FieldError, KubeObject } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { forbidden, immutable, invalid, required, tooLong } from "../../fieldErrors.ts";
import { byteLength, configMapKey } from "../names.ts";
import { isEqual, isMissing, text, textMap, withFieldOf } from "../values.ts";

/** Size limit of a ConfigMap or Secret, in bytes. */
const LARGEST = 1024 * 1024;

function validateKeys(
  object: KubeObject,
  field: string,
  isTaken: (key: string) => boolean = () => false,
): FieldError[] {
  return Object.keys(textMap(object[field])).flatMap((key) => {
    const wrong = configMapKey(key);
    if (isTaken(key)) wrong.push("duplicate of key present in binaryData");
    return wrong.map((message) => invalid(`${field}[${key}]`, key, message));
  });
}

/** Decoded length in bytes of a base64 value. */
function decodedLength(value: string): number {
  const padding = value.endsWith("==") ? 2 : value.endsWith("=") ? 1 : 0;
  return (value.length / 4) * 3 - padding;
}

function size(map: unknown, length: (value: string) => number): number {
  return Object.values(textMap(map)).reduce((sum, value) => sum + length(text(value)), 0);
}

/** An object once declared immutable stays immutable, and so do these fields. */
function validateImmutable(object: KubeObject, old: KubeObject | undefined, held: readonly string[]): FieldError[] {
  if (old?.["immutable"] !== true) return [];
  const why = "field is immutable when `immutable` is set";
  const errors = object["immutable"] === true ? [] : [forbidden("immutable", why)];
  return [
    ...errors,
    ...held.filter((field) => !isEqual(object[field], old[field])).map((field) => forbidden(field, why)),
  ];
}

export const configMap: KindDefinition = {
  validate(object, old) {
    const errors = validateImmutable(object, old, ["data", "binaryData"]);
    const binary = textMap(object["binaryData"]);
    errors.push(...validateKeys(object, "data", (key) => Object.hasOwn(binary, key)));
    errors.push(...validateKeys(object, "binaryData"));
    if (size(object["data"], byteLength) + size(binary, decodedLength) > LARGEST) errors.push(tooLong("[]", LARGEST));
    return errors;
  },
};

const SERVICE_ACCOUNT_NAME = "kubernetes.io/service-account.name";

export const secret: KindDefinition = {
  prepareForUpdate: (object, old) => (text(object["type"]) === "" ? withFieldOf(object, old, "type") : object),
  validate(object, old) {
    const errors: FieldError[] = [];
    if (old !== undefined && text(object["type"]) !== text(old["type"])) {
      errors.push(immutable("type", text(object["type"])));
    }
    errors.push(...validateImmutable(object, old, ["data"]), ...validateKeys(object, "data"));
    if (size(object["data"], decodedLength) > LARGEST) errors.push(tooLong("data", LARGEST));
    return [...errors, ...validateType(object)];
  },
  selectableFields: (object) => ({ type: text(object["type"]) }),
};

/** Checks the keys that a Secret's type requires. */
function validateType(object: KubeObject): FieldError[] {
  const contents = textMap(object["data"]);
  const missing = (...keys: string[]) =>
    keys.filter((key) => isMissing(contents[key])).map((key) => required(`data[${key}]`));
  switch (text(object["type"])) {
    case "kubernetes.io/service-account-token":
      if (text(object.metadata.annotations?.[SERVICE_ACCOUNT_NAME]) !== "") return [];
      return [required(`metadata.annotations[${SERVICE_ACCOUNT_NAME}]`)];
    case "kubernetes.io/dockercfg":
      return validateDocument(contents, ".dockercfg");
    case "kubernetes.io/dockerconfigjson":
      return validateDocument(contents, ".dockerconfigjson");
    case "kubernetes.io/basic-auth": {
      const both = missing("username", "password");
      return both.length === 2 ? both : [];
    }
    case "kubernetes.io/ssh-auth":
      return text(contents["ssh-privatekey"]) === "" ? [required("data[ssh-privatekey]")] : [];
    case "kubernetes.io/tls":
      return missing("tls.crt", "tls.key");
    default:
      return [];
  }
}

function validateDocument(contents: Readonly<Record<string, string>>, key: string): FieldError[] {
  const encoded = contents[key];
  if (encoded === undefined) return [required(`data[${key}]`)];
  const refused = (why: string) => [invalid(`data[${key}]`, "<secret contents redacted>", why)];
  try {
    const value: unknown = JSON.parse(Buffer.from(encoded, "base64").toString());
    return typeof value === "object" && !Array.isArray(value) ? [] : refused("it must be a JSON object");
  } catch {
    return refused("it is no JSON");
  }
}

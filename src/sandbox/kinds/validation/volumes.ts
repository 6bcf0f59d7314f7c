import type { FieldError } from "../../types.ts";
import { duplicate, forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsLabel } from "../names.ts";
import { quantityNanos } from "../quantity.ts";
import { count, fields, fieldsList, isMissing, text, type Fields } from "../values.ts";
import { validateFieldReference, validateResourceReference, volumeFields } from "./environment.ts";

const MODE_TEXT = "must be a number between 0 and 0777 (octal), both inclusive";
const HOST_PATH_TYPES = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

type Validator = (source: Fields, at: string) => FieldError[];

/** Volume sources whose fields are checked. Of other sources only the number is checked. */
const SOURCES: Readonly<Record<string, Validator>> = {
  hostPath: validateHostPath,
  secret: (source, at) => validateKeyedSource(source, "secretName", at),
  configMap: (source, at) => validateKeyedSource(source, "name", at),
  persistentVolumeClaim: ({ claimName }, at) => needed(claimName, `${at}.claimName`),
  nfs: ({ server, path }, at) => [
    ...needed(server, `${at}.server`),
    ...(text(path) === "" || text(path).startsWith("/")
      ? needed(path, `${at}.path`)
      : [invalid(`${at}.path`, path, "must be an absolute path")]),
  ],
  csi: ({ driver }, at) => needed(driver, `${at}.driver`),
  projected: validateProjected,
  downwardAPI: ({ defaultMode, items }, at) => [
    ...fileMode(defaultMode, `${at}.defaultMode`),
    ...fieldsList(items).flatMap((item) => validateDownwardFile(item, at)),
  ],
};

/** The names of valid volumes, and the errors of the others. */
export function validateVolumes(volumes: unknown, at: string): { names: Set<string>; errors: FieldError[] } {
  const names = new Set<string>();
  const errors: FieldError[] = [];
  fieldsList(volumes).forEach((volume, index) => {
    const here = `${at}[${index}]`;
    const name = text(volume["name"]);
    const found = validateSource(volume, here);
    if (name === "") found.push(required(`${here}.name`));
    else found.push(...dnsLabel(name).map((message) => invalid(`${here}.name`, name, message)));
    if (names.has(name)) found.push(duplicate(`${here}.name`, name));
    if (found.length === 0) names.add(name);
    errors.push(...found);
  });
  return { names, errors };
}

function validateSource(volume: Fields, at: string): FieldError[] {
  const kinds = Object.keys(volume).filter((field) => field !== "name" && !isMissing(volume[field]));
  const errors: FieldError[] = [];
  // The server checks emptyDir first.
  kinds.sort((a, b) => Number(b === "emptyDir") - Number(a === "emptyDir"));
  kinds.forEach((kind, index) => {
    const source = fields(volume[kind]);
    if (kind === "emptyDir") {
      if ((quantityNanos(text(source["sizeLimit"])) ?? 0n) < 0n) {
        errors.push(forbidden(`${at}.emptyDir.sizeLimit`, "SizeLimit field must be a valid resource quantity"));
      }
    } else if (index > 0) errors.push(forbidden(`${at}.${kind}`, "may not specify more than 1 volume type"));
    else errors.push(...(SOURCES[kind]?.(source, `${at}.${kind}`) ?? []));
  });
  if (kinds.length === 0) errors.push(required(at, "must specify a volume type"));
  return errors;
}

function needed(value: unknown, at: string): FieldError[] {
  return text(value) === "" ? [required(at)] : [];
}

function validateHostPath({ path, type }: Fields, at: string): FieldError[] {
  if (text(path) === "") return [required(`${at}.path`)];
  const errors = noStepBack(text(path), `${at}.path`);
  if (!isMissing(type) && !HOST_PATH_TYPES.includes(text(type))) {
    errors.push(notSupported(`${at}.type`, type, HOST_PATH_TYPES));
  }
  return errors;
}

function validateKeyedSource(source: Fields, nameField: string, at: string): FieldError[] {
  return [
    ...needed(source[nameField], `${at}.${nameField}`),
    ...fileMode(source["defaultMode"], `${at}.defaultMode`),
    ...fieldsList(source["items"]).flatMap((item, index) => validateKeyToPath(item, `${at}.items[${index}]`)),
  ];
}

function validateKeyToPath({ key, path, mode }: Fields, at: string): FieldError[] {
  return [
    ...needed(key, `${at}.key`),
    ...needed(path, `${at}.path`),
    ...validateFilePath(text(path), `${at}.path`),
    ...fileMode(mode, `${at}.mode`),
  ];
}

function validateProjected(source: Fields, at: string): FieldError[] {
  const errors = fileMode(source["defaultMode"], `${at}.defaultMode`);
  const paths = new Set<string>();
  const take = (path: string, name: string) => {
    if (path === "") return;
    if (paths.has(path)) errors.push(invalid(at, name, "conflicting duplicate paths"));
    paths.add(path);
  };
  fieldsList(source["sources"]).forEach((projection, index) => {
    const here = `${at}.sources[${index}]`;
    const kinds = Object.keys(projection).filter((kind) => !isMissing(projection[kind]));
    for (const kind of ["secret", "configMap"]) {
      if (isMissing(projection[kind])) continue;
      const { name, items } = fields(projection[kind]);
      errors.push(...needed(name, `${here}.${kind}.name`));
      fieldsList(items).forEach((item, at) => {
        errors.push(...validateKeyToPath(item, `${here}.${kind}.items[${at}]`));
        take(text(item["path"]), text(name));
      });
    }
    for (const item of fieldsList(fields(projection["downwardAPI"])["items"])) {
      errors.push(...validateDownwardFile(item, `${here}.downwardAPI`));
      take(text(item["path"]), text(item["path"]));
    }
    if (!isMissing(projection["serviceAccountToken"])) {
      const { expirationSeconds, path } = fields(projection["serviceAccountToken"]);
      if (count(expirationSeconds) < 600) {
        const field = `${here}.serviceAccountToken.expirationSeconds`;
        errors.push(invalid(field, expirationSeconds, "may not specify a duration less than 10 minutes"));
      }
      if (text(path) === "") errors.push(required(`${at}.path`));
      else errors.push(...validateFilePath(text(path), `${at}.path`));
    }
    if (kinds.length > 1) errors.push(forbidden(here, "may not specify more than 1 volume type per source"));
  });
  return errors;
}

function validateDownwardFile({ path, fieldRef, resourceFieldRef, mode }: Fields, at: string): FieldError[] {
  const errors = needed(path, `${at}.path`);
  errors.push(...validateFilePath(text(path), `${at}.path`));
  if (!isMissing(fieldRef)) {
    errors.push(...validateFieldReference(fields(fieldRef), volumeFields, `${at}.fieldRef`));
    if (!isMissing(resourceFieldRef)) {
      errors.push(invalid(at, "resource", "fieldRef and resourceFieldRef can not be specified simultaneously"));
    }
  } else if (!isMissing(resourceFieldRef)) {
    errors.push(...validateResourceReference(fields(resourceFieldRef), `${at}.resourceFieldRef`, true));
  } else errors.push(required(at, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...fileMode(mode, `${at}.mode`)];
}

function fileMode(mode: unknown, at: string): FieldError[] {
  return typeof mode === "number" && (mode < 0 || mode > 0o777) ? [invalid(at, mode, MODE_TEXT)] : [];
}

/** The path stays inside the volume and avoids the names that the kubelet uses. */
function validateFilePath(path: string, at: string): FieldError[] {
  const errors = validateDescendingPath(path, at);
  if (path.startsWith("..") && !path.startsWith("../")) {
    errors.push(invalid(at, path, "must not start with '..'"));
  }
  return errors;
}

/** A relative path that does not leave its folder. */
export function validateDescendingPath(path: string, at: string): FieldError[] {
  const errors = path.startsWith("/") ? [invalid(at, path, "must be a relative path")] : [];
  return [...errors, ...noStepBack(path, at)];
}

function noStepBack(path: string, at: string): FieldError[] {
  return path.split("/").includes("..") ? [invalid(at, path, "must not contain '..'")] : [];
}

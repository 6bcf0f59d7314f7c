import { ConversionError } from "../conversion/index.ts";
import { type ConvertedVersion, type KindDefinition, KINDS, type KindVersion } from "./kinds.ts";
import { type KubeObject, parseApiVersion } from "../metadata/index.ts";

/**
 * Also a part of an object, through the stored version. Throws {@link ConversionError} for an unknown kind or version,
 * and for values that the wanted version cannot express.
 */
export function convertObject(
  object: KubeObject,
  apiVersion: string,
  kinds: readonly KindDefinition[] = KINDS,
): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const [from, to] = [parseApiVersion(object.apiVersion), parseApiVersion(apiVersion)];
  const kind = kinds.find((one) => one.group === from.group && one.group === to.group && one.kind === object.kind);
  const [given, wanted] = [from, to].map(({ version }) => kind?.versions.find(({ name }) => name === version));
  if (given === undefined || wanted === undefined) {
    throw new ConversionError(
      `${object.kind} of ${object.apiVersion} cannot be converted to ${apiVersion}; ${knownOf(object.kind, kinds)}`,
    );
  }
  // The server sends metadata with every partial object, and requires metadata in the answer.
  const whole = { ...object, metadata: object.metadata ?? {} };
  const stored = hasConversion(given) ? given.conversion.toStored(whole) : whole;
  const converted = hasConversion(wanted) ? wanted.conversion.fromStored(stored) : stored;
  return { ...converted, apiVersion };
}

function hasConversion(version: KindVersion): version is ConvertedVersion {
  return "conversion" in version;
}

function knownOf(kind: string, kinds: readonly KindDefinition[]): string {
  const known = kinds
    .filter((one) => one.kind === kind)
    .flatMap(({ group, versions }) => versions.map(({ name }) => `${group}/${name}`));
  return known.length === 0 ? "this kind is not Meridian's" : `this manager knows it as ${known.join(" and ")}`;
}

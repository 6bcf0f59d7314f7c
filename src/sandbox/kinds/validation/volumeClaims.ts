import type { FieldError } from "../../types.ts";
import { forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import { dnsSubdomain } from "../names.ts";
import { quantityNanos } from "../quantity.ts";
import { fields, type Fields, isMissing, text, texts } from "../values.ts";
import { validateLabelSelector } from "./selectors.ts";

export const accessModes: readonly string[] = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];
export const volumeModes: readonly string[] = ["Block", "Filesystem"];

export function validateClaimSpec(spec: Fields, at: string): FieldError[] {
  const modes = texts(spec["accessModes"]);
  const errors = modes.length === 0 ? [required(`${at}.accessModes`, "at least 1 access mode is required")] : [];
  errors.push(...validateLabelSelector(spec["selector"], `${at}.selector`));
  for (const mode of modes) {
    if (!accessModes.includes(mode)) errors.push(notSupported(`${at}.accessModes`, mode, accessModes));
  }
  if (
    modes.includes("ReadWriteOncePod") &&
    modes.some((mode) => mode !== "ReadWriteOncePod" && accessModes.includes(mode))
  ) {
    errors.push(forbidden(`${at}.accessModes`, "may not use ReadWriteOncePod with other access modes"));
  }
  const storage = fields(fields(spec["resources"])["requests"])["storage"];
  if (isMissing(storage)) errors.push(required(`${at}.resources[storage]`));
  else if ((quantityNanos(text(storage)) ?? 0n) <= 0n) {
    errors.push(invalid(`${at}.resources[storage]`, storage, "must be greater than zero"));
  }
  const { storageClassName, volumeMode } = spec;
  if (text(storageClassName) !== "") {
    for (const message of dnsSubdomain(text(storageClassName))) {
      errors.push(invalid(`${at}.storageClassName`, storageClassName, message));
    }
  }
  if (!isMissing(volumeMode) && !volumeModes.includes(text(volumeMode))) {
    errors.push(notSupported(`${at}.volumeMode`, volumeMode, volumeModes));
  }
  return errors;
}

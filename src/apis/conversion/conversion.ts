import { type KubeObject } from "../metadata/index.ts";

/** An object cannot be read in the wanted version; the message says why, and what to change. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

/**
 * Conversion of a version to the stored version of its kind, and back. Every pair of versions converts through the
 * stored version, and a round trip from either side gives the same object.
 *
 * The server also asks for partial objects, when it works out which fields a manager owns. `metadata` is always there,
 * perhaps empty. `spec` and `status` may be missing, and are then missing from the answer too. The caller writes
 * `apiVersion`. Throws {@link ConversionError} for values that the other version cannot express.
 */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

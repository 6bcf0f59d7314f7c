import { type KubeObject } from "../metadata/index.ts";

/** An object cannot be read in the wanted version; the message says why, and what to change. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

/**
 * How a version becomes the stored version of its kind, and comes from it: every pair of versions converts by way of the stored one. There
 * and back is the same object, whichever side it begins on. The server also asks for parts of objects, when it works out which fields a
 * manager owns: `metadata` is always there, perhaps empty, and `spec` and `status` may be missing, then as well from the answer. The
 * caller writes `apiVersion`. Throws {@link ConversionError} for what cannot be said in the other version.
 */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

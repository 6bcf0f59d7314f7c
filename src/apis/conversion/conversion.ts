import { type KubeObject } from "../metadata/index.ts";

/** An object cannot be read in the wanted version; the message says why, and what to change. */
export class ConversionError extends Error {
  override readonly name = "ConversionError";
}

/**
 * Between a version and the stored one of its kind; a round trip from either side gives the same object. Of partial
 * objects, which the server asks for to tell owners of fields, only `metadata` is there for sure. The caller writes
 * `apiVersion`. Throws {@link ConversionError} for values that the other version cannot express.
 */
export interface Conversion {
  toStored(object: KubeObject): KubeObject;
  fromStored(object: KubeObject): KubeObject;
}

import { type KubeObject, setMember } from "../../apis/index.ts";
import { type Fields, isFields } from "../values.ts";

const known = new WeakMap<KubeObject, KubeObject>();

/**
 * Converts `stringData` of a Secret to `data`, as the server does. A server-side apply gives nobody the `data`: a
 * removed key would stay on the member, and a changed value would not count as drift. Other objects, and what the
 * server will refuse, stay as they are.
 */
export function withSecretData(object: KubeObject): KubeObject {
  const { stringData, ...rest } = object;
  if (object.kind !== "Secret" || object.apiVersion !== "v1" || !isFields(stringData)) return object;
  let made = known.get(object);
  if (made === undefined) {
    const data = dataOf(rest["data"], stringData);
    if (data === undefined) return object;
    known.set(object, (made = { ...rest, data }));
  }
  return made;
}

function dataOf(data: unknown, stringData: Fields): Record<string, unknown> | undefined {
  if (data !== undefined && data !== null && !isFields(data)) return undefined;
  const result: Record<string, unknown> = { ...data };
  for (const [key, text] of Object.entries(stringData)) {
    if (typeof text !== "string") return undefined;
    setMember(result, key, base64(text));
  }
  return result;
}

function base64(text: string): string {
  let bytes = "";
  for (const byte of new TextEncoder().encode(text)) bytes += String.fromCharCode(byte);
  return btoa(bytes);
}

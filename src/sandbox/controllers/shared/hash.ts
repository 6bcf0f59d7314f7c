import { canonicalJson } from "../../../apis/index.ts";

const ALPHABET = "bcdfghjklmnpqrstvwxz2456789";

/**
 * The hash of a template, for the names of ReplicaSets and ControllerRevisions. It has the form of Kubernetes' hash but
 * another value, because Kubernetes hashes a text that only Go prints. `collisions` changes the hash of the same
 * template.
 */
export function templateHash(template: unknown, collisions = 0): string {
  let hash = 0x811c9dc5;
  const text = collisions === 0 ? canonicalJson(template) : `${canonicalJson(template)}${collisions}`;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  let encoded = "";
  for (const digit of String(hash >>> 0)) encoded += ALPHABET[digit.charCodeAt(0) % ALPHABET.length];
  return encoded;
}

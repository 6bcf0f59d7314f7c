import { CONVERSION_ANNOTATION, FEDERATION_GROUP, parseApiVersion } from "../apis/index.ts";

/**
 * Whether a label or annotation concerns only the hub's object and so is not propagated: kubectl's bookkeeping holds the whole
 * object, secrets included, and Meridian writes its own marks onto each member object.
 */
export function staysOnHub(key: string): boolean {
  return (
    key === "kubectl.kubernetes.io/last-applied-configuration" ||
    key === CONVERSION_ANNOTATION ||
    parseApiVersion(key).group === FEDERATION_GROUP
  );
}

import { CONVERSION_ANNOTATION, FEDERATION_GROUP, parseApiVersion } from "../apis/index.ts";

/**
 * Whether a label or annotation speaks of the hub's object itself and so must not travel: kubectl's bookkeeping holds the whole
 * object, secrets included; Meridian writes its own marks for each member object.
 */
export function staysOnHub(key: string): boolean {
  return (
    key === "kubectl.kubernetes.io/last-applied-configuration" ||
    key === CONVERSION_ANNOTATION ||
    parseApiVersion(key).group === FEDERATION_GROUP
  );
}

import type { KubeObject } from "../../types.ts";
import type { Api, Target } from "../api.ts";
import { changeObject, checkName } from "./update.ts";

/**
 * Sets the `spec.finalizers` of a namespace, which no other request can change. A namespace that is being deleted goes
 * once the list is empty. Throws a StatusError.
 */
export async function finalizeNamespace(api: Api, target: Target, submitted: KubeObject): Promise<KubeObject> {
  checkName(target, submitted);
  const { finalizers = [] } = (submitted["spec"] ?? {}) as { finalizers?: string[] };
  const { object } = await changeObject(api, { ...target, direct: true }, (live) => {
    const { finalizers: _, ...spec } = (live["spec"] ?? {}) as Record<string, unknown>;
    return Promise.resolve({ ...live, spec: finalizers.length === 0 ? spec : { ...spec, finalizers } });
  });
  return object;
}

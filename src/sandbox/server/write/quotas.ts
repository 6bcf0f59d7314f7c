import { trackWrite } from "../../fields/index.ts";
import { chargesOf, QuotaRefusal } from "../../quota/index.ts";
import type { KubeObject } from "../../types.ts";
import { type Api, SERVER_MANAGER, type Target } from "../api.ts";
import { refusal } from "./builtinAdmission.ts";

const QUOTAS = { group: "", plural: "resourcequotas" };

/**
 * Checks a write against the ResourceQuotas of the namespace. Returns a function that updates their usage; the caller
 * must call it synchronously together with the write. Throws a StatusError 403.
 */
export function chargeQuotas(api: Api, target: Target, object: KubeObject, old: KubeObject | undefined): () => void {
  const { endpoint, subresource } = target;
  const collection = api.store.collection(QUOTAS);
  const { namespace } = object.metadata;
  if (collection.size === 0 || namespace === undefined || subresource !== undefined) return NOTHING;
  const quotas = collection.list(namespace);
  try {
    const charges = chargesOf(quotas, endpoint.storedAs, object, old);
    if (target.context.dryRun) return NOTHING;
    return () => {
      for (const { quota, used } of charges) {
        const status = { ...(quota["status"] as object), used };
        api.store.put(QUOTAS, tracked(api, quota, { ...quota, status }), quota);
      }
    };
  } catch (error) {
    if (error instanceof QuotaRefusal) throw refusal(target, object.metadata.name, error.message);
    throw error;
  }
}

const NOTHING = () => undefined;

function tracked(api: Api, live: KubeObject, submitted: KubeObject): KubeObject {
  const { resource, apiVersion } = api.catalog.stored(QUOTAS);
  return trackWrite({
    operation: "Update",
    live,
    submitted,
    manager: SERVER_MANAGER,
    apiVersion,
    subresource: "status",
    now: api.clock.now(),
    resource,
  });
}

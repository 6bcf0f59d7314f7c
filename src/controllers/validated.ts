import {
  DEFAULT_REPLICA_BOUNDS,
  type KubeObject,
  PAAS_GROUP,
  parseApiVersion,
  parseReplicaBounds,
  REPLICA_BOUNDS_ANNOTATION,
} from "../apis/index.ts";
import type { Why } from "../desiredstate/index.ts";
import type { HubCache } from "../hub/index.ts";

/**
 * What admission would say of an object that is there: an object may have come while the webhooks were off, or when the bounds of its namespace
 * were others. Where namespaces are not followed, the usual bounds hold. Undefined where admission judges none of that kind.
 */
export function validated(
  { apiVersion, kind, metadata, spec }: KubeObject,
  namespaces: Pick<NonNullable<HubCache["namespaces"]>, "get"> | undefined,
): { refusal: Why | undefined } | undefined {
  if (parseApiVersion(apiVersion).group !== PAAS_GROUP || kind !== "DemoApplication") return undefined;
  const { replica } = (spec ?? {}) as { replica?: unknown };
  const annotation = namespaces?.get(metadata.namespace ?? "")?.metadata.annotations?.[REPLICA_BOUNDS_ANNOTATION];
  const bounds = annotation === undefined ? undefined : parseReplicaBounds(annotation);
  const { least, most } = bounds ?? DEFAULT_REPLICA_BOUNDS;
  if (typeof replica !== "number" || (replica >= least && replica <= most)) return { refusal: undefined };
  const message = `spec.replica: ${replica} is not within ${least} to ${most}, the bounds of the namespace; admission was not asked`;
  return { refusal: { reason: "ReplicasOutOfBounds", message } };
}

import {
  DEFAULT_REPLICA_BOUNDS,
  type FederatedStatus,
  type KubeObject,
  PAAS_GROUP,
  parseApiVersion,
  parseReplicaBounds,
  REPLICA_BOUNDS_ANNOTATION,
} from "../../apis/index.ts";
import type { Why } from "../../desiredstate/index.ts";
import type { HubCache } from "../../hub/index.ts";

type Namespaces = HubCache["namespaces"];
type Namespace = NonNullable<ReturnType<Namespaces["get"]>>;

/**
 * The verdict of admission on an existing object: the webhooks may have been off, or the bounds of the namespace
 * others. Undefined if admission does not check the kind.
 */
export function validated(
  { apiVersion, kind, metadata, spec }: KubeObject,
  namespaces: Pick<Namespaces, "get" | "synced">,
  previous: FederatedStatus | undefined,
): { refusal: Why | undefined } | undefined {
  if (parseApiVersion(apiVersion).group !== PAAS_GROUP || kind !== "DemoApplication") return undefined;
  const namespace = namespaces.get(metadata.namespace ?? "");
  const said = previous?.conditions?.find(({ type }) => type === "Validated");
  // Until the namespaces are read, their bounds are unknown, and the previous verdict stays.
  if (!namespaces.synced && namespace === undefined && said !== undefined) {
    const { status, reason, message } = said;
    return { refusal: status === "False" ? { reason, message } : undefined };
  }
  const { replica } = (spec ?? {}) as { replica?: unknown };
  const annotation = boundsOf(namespace);
  const bounds = annotation === undefined ? undefined : parseReplicaBounds(annotation);
  const { least, most } = bounds ?? DEFAULT_REPLICA_BOUNDS;
  if (typeof replica !== "number" || (replica >= least && replica <= most)) return { refusal: undefined };
  const message = `spec.replica: ${replica} is not within ${least} to ${most}, the bounds of the namespace; admission was not asked`;
  return { refusal: { reason: "ReplicasOutOfBounds", message } };
}

/** True if the bounds of a namespace have changed, so that earlier verdicts on its objects may be outdated. */
export function changedBounds({ object, old }: { object: Namespace; old?: Namespace | undefined }): boolean {
  return boundsOf(old) !== boundsOf(object);
}

function boundsOf(namespace: Namespace | undefined): string | undefined {
  return namespace?.metadata.annotations?.[REPLICA_BOUNDS_ANNOTATION];
}

import { FEDERATION_API_VERSION } from "../apis/index.ts";
import { shortMessage } from "../interpreter/index.ts";
import type { EventRecorder } from "../observability/index.ts";
import type { Hub } from "./hub.ts";

/** A namespace that Meridian made is left on a member, since nobody can say what is in it. */
export function tellKeptNamespace(
  events: Pick<EventRecorder, "record">,
  hub: Hub,
  cluster: string,
  namespace: string,
  why: string,
): void {
  const uid = hub.clusters.get(cluster)?.metadata.uid;
  events.record({
    regarding: {
      apiVersion: FEDERATION_API_VERSION,
      kind: "MemberCluster",
      name: cluster,
      ...(uid === undefined ? {} : { uid }),
    },
    type: "Warning",
    reason: "NamespaceKept",
    action: "CleanUp",
    note: shortMessage(`namespace ${namespace} stays on the member: ${why}`),
  });
}

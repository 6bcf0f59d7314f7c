import { defined } from "../../../apis/index.ts";
import { builtinRoles } from "../../authorization/index.ts";
import { trackWrite } from "../../fields/index.ts";
import type { KubeObject, LocalClient } from "../../types.ts";
import { type Api, SERVER_MANAGER } from "../api.ts";
import { timestamp } from "../../timestamp.ts";

const NAMESPACES = ["default", "kube-system", "kube-public", "kube-node-lease"];

/** Creates the objects that every cluster starts with. Existing objects stay unchanged. */
export async function bootstrap(api: Api, client: LocalClient, port: number): Promise<void> {
  for (const name of NAMESPACES) {
    const namespaces = { group: "", plural: "namespaces" };
    if (client.get(namespaces, undefined, name) !== undefined) continue;
    await client.create(namespaces, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    });
  }
  for (const role of builtinRoles()) putRole(api, role);
  const services = { group: "", plural: "services" };
  if (client.get(services, "default", "kubernetes") === undefined) {
    await client.create(services, kubernetesService(api.services.clusterIPRange, port));
  }
}

/** The Service `kubernetes`, with the first address of the range. */
function kubernetesService(range: string, port: number): KubeObject {
  const first = (range.split("/")[0] ?? "").replace(/\d+$/, (last) => String(Number(last) + 1));
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kubernetes", namespace: "default", labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      clusterIP: first,
      ipFamilyPolicy: "SingleStack",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  };
}

/** Roles with managedFields. Apart from the time they are equal in all clusters of the process. */
const trackedRoles = new WeakMap<KubeObject, KubeObject>();

/**
 * Puts a built-in role straight into the store, because it is valid by construction. Over a hundred roles are equal in
 * each of perhaps two hundred clusters, so they share everything but their metadata.
 */
function putRole(api: Api, role: KubeObject): void {
  const endpoint = api.catalog.byKind(role.apiVersion, role.kind);
  if (endpoint === undefined) throw new Error(`${role.kind} is not served`);
  const { namespace, name } = role.metadata;
  if (api.store.collection(endpoint.storedAs).get(namespace, name) !== undefined) return;
  const now = api.clock.now();
  let tracked = trackedRoles.get(role);
  if (tracked === undefined) {
    tracked = trackWrite({
      operation: "Update",
      live: undefined,
      submitted: role,
      manager: SERVER_MANAGER,
      apiVersion: role.apiVersion,
      now,
      resource: endpoint.resource,
    });
    trackedRoles.set(role, tracked);
  }
  const time = timestamp(now);
  const managedFields = tracked.metadata.managedFields?.map((entry) => ({ ...entry, time }));
  const metadata = {
    ...tracked.metadata,
    uid: api.newUid(),
    creationTimestamp: time,
    ...defined({ managedFields }),
  };
  api.store.put(endpoint.storedAs, { ...tracked, metadata }, undefined);
}

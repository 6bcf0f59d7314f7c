import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { CONFIGMAPS, MEMBERCLUSTERS, PLACEMENTS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { placement, placing } from "./planning.ts";

/** An object of a kind that is sent to the members as it is. */
export function configMap(name: string, metadata: Partial<KubeObject["metadata"]> = {}): KubeObject {
  const managedFields = [{ manager: "kubectl", fieldsV1: { "f:data": { "f:a": {} } } }];
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", managedFields, ...metadata },
    data: { a: "1" },
  };
}

export const SETTINGS = refKey(refOf(configMap("settings")));

/** Two ConfigMaps. A policy selects `settings`, and does not select `other`. */
export async function sending() {
  const selects = { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "settings" }] };
  const all = await placing({
    apps: [],
    placements: [placement(["a"], selects)],
    sent: { type: CONFIGMAPS, objects: [configMap("settings"), configMap("other")] },
  });
  const { reconcile, settle, server } = all;
  // The cluster must not be the hub itself, which has the object already.
  server.merge(MEMBERCLUSTERS, undefined, "a", {
    metadata: { generation: 2 },
    spec: { connection: { local: null, secretRef: { name: "a" } } },
  });
  await settle();
  /** Reconciles twice: the second reconcile sees the writes of the first one. */
  const plan = async (): Promise<void> => {
    await reconcile(SETTINGS);
    await settle();
    await reconcile(SETTINGS);
  };
  const change = async (patch: object, name = "settings"): Promise<void> => {
    server.merge(CONFIGMAPS, "default", name, patch);
    await settle();
  };
  const unselect = async (): Promise<void> => {
    server.delete(PLACEMENTS, "default", "everywhere");
    await settle();
  };
  const onHub = (name = "settings") => server.get(CONFIGMAPS, "default", name);
  const bindings = () => server.list(RESOURCEBINDINGS).map(({ metadata }) => metadata.name);
  const rowLines = () => all.rowLines(SETTINGS);
  return { ...all, plan, change, unselect, onHub, bindings, rowLines };
}

import type { KubeObject } from "../../src/apis/index.ts";
import { Api } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { collectionPath } from "./objects.ts";

const RBAC = "rbac.authorization.k8s.io";

/** Of Meridian's kinds: what the chart adds to `edit`. */
const OWN_RESOURCES = ["manifestbundles", "overridepolicies", "placements"];

/** Makes a namespace on the hub, and an account that may do there what a tenant may, and what `more` says. */
export async function tenantOf(federation: Federation, team: string, more: readonly object[] = []): Promise<Api> {
  const { api } = federation;
  await federation.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: team } } as KubeObject);
  await api.create(collectionPath("ServiceAccount", team), {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "tenant" },
  });
  const everything = ["get", "list", "watch", "create", "update", "patch", "delete"];
  await federation.apply({
    apiVersion: `${RBAC}/v1`,
    kind: "Role",
    metadata: { name: "tenant", namespace: team },
    rules: [
      { apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: everything },
      { apiGroups: ["federation.paas.cmft.com"], resources: OWN_RESOURCES, verbs: everything },
      { apiGroups: [""], resources: ["configmaps", "secrets"], verbs: everything },
      ...more,
    ],
  } as KubeObject);
  await federation.apply({
    apiVersion: `${RBAC}/v1`,
    kind: "RoleBinding",
    metadata: { name: "tenant", namespace: team },
    roleRef: { apiGroup: RBAC, kind: "Role", name: "tenant" },
    subjects: [{ kind: "ServiceAccount", namespace: team, name: "tenant" }],
  } as KubeObject);
  const { server, caData } = federation.hub;
  return new Api({ server, ca: caData, token: await federation.hub.serviceAccountToken(team, "tenant", 3600) });
}

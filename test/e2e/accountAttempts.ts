import { DEFAULT_SYSTEM_NAMESPACE } from "../../src/apis/index.ts";
import { collectionPath, objectPath } from "./objects.ts";

/** What the account of the hub on a member might try, and which of its bounds refuses that. */

type AccountAttempt = [what: string, method: string, path: string, body: unknown, says: string, contentType?: string];

export const CLUSTER_ADMIN = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" };

export const labelsOf = (hubId: string) => ({ "federation.paas.cmft.com/managed-by": hubId });

export const configMap = (namespace: string, of: string, metadata: object = {}) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: of, namespace, ...metadata },
});

/**
 * `name` is the account's, and that of the policy which bounds it. The namespace `theirs` holds a ConfigMap `foreign`, one that has the hub's
 * label, one `controlled` by a controller, and `anothers`, which another hub has applied.
 */
export function attemptsOf(hubId: string, name: string): AccountAttempt[] {
  const labels = (id = hubId) => labelsOf(id);
  const merge = "application/merge-patch+json";
  const apply = "application/apply-patch+yaml";
  const token = "kubernetes.io/service-account-token";
  const theirs = collectionPath("ConfigMap", "theirs");
  const protectedOnes = "writes nothing into a protected namespace";
  const tokens = "writes no Secret that holds the token of a service account";
  const powers = "writes nothing that gives rights or changes the API";
  const marks = `writes only objects with its label federation.paas.cmft.com/managed-by=${hubId}`;
  const over = "writes nothing over what belongs to the cluster, to another hub or to a controller";
  const mine = { metadata: { labels: labels() } };
  const open = { metadata: { labels: { ...labels(), "pod-security.kubernetes.io/enforce": "privileged" } } };
  const parts = "writes whole objects, and asks for no token but its own";
  const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
  const rule = { metadata: { name: "r", labels: labels() }, rules: [] };
  const binding = { metadata: { name: "b", labels: labels() }, roleRef: CLUSTER_ADMIN, subjects: [] };
  const webhook = { metadata: { name: "w", labels: labels() }, webhooks: [] };
  const admission = "/apis/admissionregistration.k8s.io/v1";
  return [
    [
      "create in kube-system",
      "POST",
      collectionPath("ConfigMap", "kube-system"),
      configMap("kube-system", "x", { labels: labels() }),
      protectedOnes,
    ],
    [
      "apply in kube-public",
      "PATCH",
      `${objectPath("ConfigMap", "kube-public", "x")}?fieldManager=meridian`,
      configMap("kube-public", "x", { labels: labels() }),
      protectedOnes,
      apply,
    ],
    [
      "patch in kube-system",
      "PATCH",
      objectPath("ConfigMap", "kube-system", "marked"),
      { data: {}, metadata: { annotations: { a: "b" } } },
      protectedOnes,
      merge,
    ],
    ["delete in kube-system", "DELETE", objectPath("ConfigMap", "kube-system", "marked"), undefined, protectedOnes],
    [
      "delete kube-node-lease",
      "DELETE",
      objectPath("Namespace", undefined, "kube-node-lease"),
      undefined,
      protectedOnes,
    ],
    [
      "label kube-node-lease",
      "PATCH",
      objectPath("Namespace", undefined, "kube-node-lease"),
      { metadata: { labels: labels() } },
      protectedOnes,
      merge,
    ],
    [
      "create a namespace of Kubernetes",
      "POST",
      collectionPath("Namespace"),
      { metadata: { name: "kube-mine", labels: labels() } },
      protectedOnes,
    ],
    [
      "create in its own namespace",
      "POST",
      collectionPath("ConfigMap", DEFAULT_SYSTEM_NAMESPACE),
      configMap(DEFAULT_SYSTEM_NAMESPACE, "x", { labels: labels() }),
      protectedOnes,
    ],
    [
      "create an account",
      "POST",
      collectionPath("ServiceAccount", DEFAULT_SYSTEM_NAMESPACE),
      { metadata: { name: "x", labels: labels() } },
      protectedOnes,
    ],
    [
      "create a token Secret",
      "POST",
      collectionPath("Secret", "theirs"),
      {
        metadata: { name: "t", labels: labels(), annotations: { "kubernetes.io/service-account.name": "default" } },
        type: token,
      },
      tokens,
    ],
    [
      "create a Secret with an account's name",
      "POST",
      collectionPath("Secret", "theirs"),
      {
        metadata: { name: "t", labels: labels(), annotations: { "kubernetes.io/service-account.name": "default" } },
      },
      tokens,
    ],
    ["ask for another's token", "POST", `${objectPath("ServiceAccount", "theirs", "default")}/token`, request, parts],
    [
      "ask for a token in kube-system",
      "POST",
      `${objectPath("ServiceAccount", "kube-system", "default")}/token`,
      request,
      protectedOnes,
    ],
    ["create a ClusterRole", "POST", collectionPath("ClusterRole"), rule, powers],
    ["create a ClusterRoleBinding", "POST", collectionPath("ClusterRoleBinding"), binding, powers],
    ["create a Role", "POST", collectionPath("Role", "theirs"), rule, powers],
    ["create a RoleBinding", "POST", collectionPath("RoleBinding", "theirs"), binding, powers],
    ["change its own ClusterRole", "PATCH", objectPath("ClusterRole", undefined, name), { rules: [] }, powers, merge],
    ["delete a ClusterRole", "DELETE", objectPath("ClusterRole", undefined, "view"), undefined, powers],
    ["create a mutating webhook", "POST", `${admission}/mutatingwebhookconfigurations`, webhook, powers],
    ["create a validating webhook", "POST", `${admission}/validatingwebhookconfigurations`, webhook, powers],
    ["create without the label", "POST", theirs, configMap("theirs", "x"), marks],
    ["create with another hub's label", "POST", theirs, configMap("theirs", "x", { labels: labels("other") }), marks],
    ["patch what is not the hub's", "PATCH", `${theirs}/foreign`, { data: { a: "b" } }, marks, merge],
    ["replace what is not the hub's", "PUT", `${theirs}/foreign`, configMap("theirs", "foreign"), marks],
    ["delete what is not the hub's", "DELETE", `${theirs}/foreign`, undefined, marks],
    ["take over the API server's Service", "PATCH", objectPath("Service", "default", "kubernetes"), mine, over, merge],
    ["take over a namespace", "PATCH", objectPath("Namespace", undefined, "default"), mine, over, merge],
    ["take over a namespace of others", "PATCH", objectPath("Namespace", undefined, "theirs"), mine, over, merge],
    ["open a namespace of others", "PATCH", objectPath("Namespace", undefined, "theirs"), open, over, merge],
    ["take over what a controller made", "PATCH", `${theirs}/controlled`, mine, over, merge],
    ["take over what another hub wrote", "PATCH", `${theirs}/anothers`, mine, over, merge],
    ["delete all of a kind", "DELETE", theirs, undefined, marks],
    ["delete a namespace of others", "DELETE", objectPath("Namespace", undefined, "theirs"), undefined, marks],
  ];
}

import { expect } from "vitest";
import type { Api } from "../envtest/index.ts";

/** What the account that join makes may do on its member, and what it may not: `member` asks as this account. */
export async function expectExactRights(member: Api, account: string): Promise<void> {
  const status = async (method: string, path: string, body?: unknown) =>
    (await member.request(method, path, body)).status;
  const deployment = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "x" } };
  const tokenOf = (name: string, namespace = "meridian-system") =>
    [
      "POST",
      `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    ] as const;
  const allowed = {
    deployments: await status("POST", "/apis/apps/v1/namespaces/default/deployments?dryRun=All", deployment),
    nodes: await status("GET", "/api/v1/nodes"),
    identity: await status("GET", "/api/v1/namespaces/kube-system"),
    ready: await status("GET", "/readyz"),
    version: await status("GET", "/version"),
    renewal: await status(...tokenOf(account)),
  };
  expect(allowed).toEqual({ deployments: 422, nodes: 200, identity: 200, ready: 200, version: 200, renewal: 201 });
  const forbidden = {
    otherToken: await status(...tokenOf("default")),
    tokenElsewhere: await status(...tokenOf(account, "kube-system")),
    pods: await status("POST", "/api/v1/namespaces/default/pods", {}),
    roles: await status("POST", "/apis/rbac.authorization.k8s.io/v1/clusterroles", {}),
    ownRole: await status("PATCH", `/apis/rbac.authorization.k8s.io/v1/clusterroles/${account}`, undefined),
    otherRole: await status("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles/view"),
    nodes: await status("DELETE", "/api/v1/nodes/x"),
  };
  expect(new Set(Object.values(forbidden))).toEqual(new Set([403]));
}

/** Lists every built-in namespaced kind that can be listed: how many there are, and which the member refuses. */
export async function listEveryKind(member: Api): Promise<{ looked: number; refused: string[] }> {
  const { groups } = await member.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>("/apis");
  const roots = ["/api/v1", ...groups.map(({ preferredVersion }) => `/apis/${preferredVersion.groupVersion}`)];
  const refused: string[] = [];
  let looked = 0;
  for (const root of roots) {
    const { resources } = await member.get<{ resources: { name: string; namespaced: boolean; verbs: string[] }[] }>(
      root,
    );
    for (const { name } of resources.filter((resource) => resource.namespaced && resource.verbs.includes("list"))) {
      looked += 1;
      const { status } = await member.request("GET", `${root}/namespaces/default/${name}?limit=1`);
      if (status !== 200) refused.push(`${root}/${name}: ${status}`);
    }
  }
  return { looked, refused };
}

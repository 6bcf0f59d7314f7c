import { Client, type Side } from "./client.ts";

/**
 * Does once what kube-controller-manager does for ever: the roles view, edit and admin are made of smaller ones. The real server of the
 * comparison runs without controllers, so that nothing but a case writes in a case's namespace.
 */
export async function aggregateRoles(side: Side): Promise<void> {
  await using client = new Client(side);
  const path = (name: string) => `/apis/rbac.authorization.k8s.io/v1/clusterroles/${name}`;
  const authorization = `Bearer ${side.token}`;
  const rulesOf = async (name: string): Promise<unknown[]> => {
    const { code, body } = await client.send({ method: "GET", path: path(name), headers: { authorization } });
    if (code !== 200) throw new Error(`${side.name} has no role ${name}: ${JSON.stringify(body)}`);
    return (body as { rules: unknown[] | null }).rules ?? [];
  };
  const [view, edit, admin] = [
    await rulesOf("system:aggregate-to-view"),
    await rulesOf("system:aggregate-to-edit"),
    await rulesOf("system:aggregate-to-admin"),
  ];
  const rules = { view, edit: [...edit, ...view], admin: [...admin, ...edit, ...view] };
  for (const [name, wanted] of Object.entries(rules)) {
    const { code, body } = await client.send({
      method: "PATCH",
      path: path(name),
      headers: { authorization, "content-type": "application/merge-patch+json" },
      body: JSON.stringify({ rules: wanted }),
    });
    if (code !== 200) throw new Error(`${side.name} refuses the rules of ${name}: ${JSON.stringify(body)}`);
  }
}

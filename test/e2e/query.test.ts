import { expect, test } from "vitest";
import { DEFAULT_SYSTEM_NAMESPACE } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";

/** The query API with the TokenReviews and SubjectAccessReviews of an API server, and reads on a joined member. */

const SHANGHAI = "shanghai-1";
const GROUP = "query.federation.paas.cmft.com";
const RBAC = "rbac.authorization.k8s.io";

const federation = useFederation({
  members: [{ name: SHANGHAI, region: "cn-shanghai" }],
  managerArgs: ["--query-members"],
  joinArgs: ["--pod-logs"],
});

interface Answer {
  code: number;
  text: string;
}

/** A service account with these rights in one namespace, and the queries that it asks. */
async function reader(name: string, namespace: string, rules: object[]) {
  const metadata = { name, namespace };
  const account = { ...metadata, namespace: DEFAULT_SYSTEM_NAMESPACE };
  await federation.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata: account } as never);
  await federation.apply({ apiVersion: `${RBAC}/v1`, kind: "Role", metadata, rules } as never);
  await federation.apply({
    ...{ apiVersion: `${RBAC}/v1`, kind: "RoleBinding", metadata },
    roleRef: { apiGroup: RBAC, kind: "Role", name },
    subjects: [{ kind: "ServiceAccount", name, namespace: DEFAULT_SYSTEM_NAMESPACE }],
  } as never);
  const token = await federation.hub.serviceAccountToken(DEFAULT_SYSTEM_NAMESPACE, name, 3600);
  return async (path: string, authorization = `Bearer ${token}`): Promise<Answer> => {
    const url = `${federation.manager.url}/apis/${GROUP}/v1alpha1/${path}`;
    const response = await fetch(url, { headers: { authorization } });
    return { code: response.status, text: await response.text() };
  };
}

const LISTS_APPS = { apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["list"] };
const READS_PODS = { apiGroups: [GROUP], resources: ["placedobjects/pods", "placedobjects/log"], verbs: ["get"] };

test("a tenant reads his objects in full and their pods on the member, and nothing of others", async () => {
  const [own, others] = [await federation.namespace(), await federation.namespace()];
  for (const namespace of [own, others]) {
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI));
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1 });
  }
  const ask = await reader("tenant", own, [LISTS_APPS, READS_PODS]);
  const lister = await reader("lister", own, [LISTS_APPS]);
  const row = (namespace: string, name = "shop"): string =>
    `namespaces/${namespace}/federatedobjects/DemoApplication.paas.cmft.com:${name}`;
  const placed = (namespace: string, name = "shop"): string =>
    `namespaces/${namespace}/placedobjects/DemoApplication.paas.cmft.com:${name}:${SHANGHAI}`;

  await eventually(async () => {
    const { code, text } = await ask(`${row(own)}/full`);
    expect([code, text]).toEqual([200, expect.stringContaining(SHANGHAI)]);
    expect((JSON.parse(text) as { status: object }).status).toMatchObject({
      state: "Available",
      placed: [{ cluster: SHANGHAI, state: "Available", stale: false }],
      explanation: { clusters: [{ name: SHANGHAI, chosen: true, steps: [] }] },
      differences: [
        { cluster: SHANGHAI, objects: expect.arrayContaining([expect.objectContaining({ change: "None" })]) },
      ],
    });
  });
  expect((await ask(row(own), "Bearer nonsense")).code).toBe(401);

  const pods = await ask(`${placed(own)}/pods`);
  expect([pods.code, pods.text]).toEqual([200, expect.stringMatching(/"items":\[\{"name":"shop-/)]);
  // The pods of these clusters run nothing: the member lets the log be read, and it is empty.
  expect(await ask(`${placed(own)}/log?tailLines=5`)).toEqual({ code: 200, text: "" });

  expect(await lister(`${placed(own)}/log`)).toMatchObject({ code: 403 });
  for (const part of ["pods", "log"]) {
    const there = await ask(`${placed(others)}/${part}`);
    expect(there).toEqual(await ask(`${placed(others, "nothing")}/${part}`));
    expect(there.code).toBe(403);
  }
  expect((await ask(`${row(others)}/full`)).code).toBe(403);
  await eventually(async () => {
    const lines = (await federation.manager.log()).split("\n").filter((line) => line.includes('"MemberRead"'));
    expect(lines.filter((line) => line.includes("tenant"))).toHaveLength(6);
  });
});

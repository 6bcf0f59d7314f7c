import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../src/apis/index.ts";
import { freePort } from "../../src/cmd/realClusters/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { CommandFailure, eventually, kubectl, meridian } from "../envtest/index.ts";
import { find, render } from "../chart/chart.ts";
import { SERVICE_ARGUMENTS, ServicePort } from "../chart/serviceNetwork.ts";
import { useFederation } from "./federation.ts";
import { objectPath } from "./objects.ts";
import { aggregation, get, kubectlUntil, textUntil } from "./queryAggregation.ts";

/**
 * The APIService of the chart on an API server with its aggregation layer, which dials the Service's address. A listener
 * there carries each connection to the manager, as kube-proxy does.
 */

const SHANGHAI = "shanghai-1";
const GROUP = "query.federation.paas.cmft.com";
const NAME = `v1alpha1.${GROUP}`;
const API_SERVICE = `/apis/apiregistration.k8s.io/v1/apiservices/${NAME}`;
const RBAC = "rbac.authorization.k8s.io";
const [TEAM, OTHERS] = ["team", "payroll"];
const SERVICE = "meridian-webhook";

const layer = await aggregation([`${SERVICE}.${DEFAULT_SYSTEM_NAMESPACE}.svc`, "127.0.0.1"]);
const federation = useFederation({
  members: [{ name: SHANGHAI, region: "cn-shanghai" }],
  hub: { apiserverArgs: [...SERVICE_ARGUMENTS, ...layer.apiserverArgs] },
});
afterAll(() => layer[Symbol.asyncDispose]());

let carrier: ServicePort;
/** Of the query API with TLS. */
let port: number;

beforeAll(async () => {
  for (const name of [TEAM, OTHERS])
    await federation.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } } as KubeObject);
  const [service, apiService, ...roles] = await chartObjects();
  const served = (await federation.kubectl(["apply", "-o", "json", "-f", "-"], JSON.stringify(service))) as string;
  const { spec } = JSON.parse(served) as { spec: { clusterIP: string; ports: { name: string; port: number }[] } };
  const { port: servicePort = 0 } = spec.ports.find(({ name }) => name === "queries") ?? {};
  carrier = await ServicePort.listen(spec.clusterIP, servicePort);
  await federation.kubectl(["apply", "-f", "-"], JSON.stringify(endpoints(servicePort)));
  for (const object of [apiService, ...roles]) await federation.kubectl(["apply", "-f", "-"], JSON.stringify(object));
  await startManager();
  for (const namespace of [TEAM, OTHERS]) {
    await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI));
    await federation.apply(demoApplication(`${namespace}-shop`).namespace(namespace));
    await federation.untilAvailable(namespace, `${namespace}-shop`, { [SHANGHAI]: 1 });
  }
  await eventually(async () => expect(await availability()).toMatchObject({ status: "True" }), { timeout: 60_000 });
});
afterAll(() => carrier?.[Symbol.asyncDispose]());

/** As the chart renders them. cert-manager would write the authority into the APIService. */
async function chartObjects(): Promise<KubeObject[]> {
  const values = ["queries.apiService.enabled=true", "webhooks.certificates.mode=CertManager"];
  const objects = await render(values.flatMap((value) => ["--set", value]));
  const apiService = find(objects, "APIService", NAME);
  expect(apiService.metadata.annotations).toHaveProperty(["cert-manager.io/inject-ca-from"]);
  expect(apiService.spec?.["service"]).toMatchObject({ name: SERVICE, namespace: DEFAULT_SYSTEM_NAMESPACE });
  const caBundle = Buffer.from(layer.servingCa).toString("base64");
  const roles = objects.filter(
    ({ metadata: { labels = {} } }) => "rbac.authorization.k8s.io/aggregate-to-view" in labels,
  );
  expect(roles).toHaveLength(1);
  return [find(objects, "Service", SERVICE), { ...apiService, spec: { ...apiService.spec, caBundle } }, ...roles];
}

/** The hub looks whether there are any. It dials the Service, so that the address is of no use. */
function endpoints(servicePort: number): KubeObject {
  const labels = { "kubernetes.io/service-name": SERVICE };
  return {
    ...{ apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice" },
    metadata: { name: `${SERVICE}-1`, namespace: DEFAULT_SYSTEM_NAMESPACE, labels },
    addressType: "IPv4",
    endpoints: [{ addresses: ["192.0.2.1"], conditions: { ready: true } }],
    ports: ["webhooks", "queries"].map((name) => ({ name, port: servicePort, protocol: "TCP" })),
  } as KubeObject;
}

async function startManager(): Promise<void> {
  await federation.manager.stop();
  const webhookPort = await freePort();
  port = await freePort();
  await federation.startManager({
    args: [
      ...["--webhooks", "--webhook-port", `${webhookPort}`, "--webhook-url", `https://127.0.0.1:${webhookPort}`],
      ...["--webhook-cert-dir", layer.servingFolder, "--query-port", `${port}`],
    ],
  });
  carrier.add("manager", port);
}

async function availability(): Promise<{ status: string; message: string } | undefined> {
  const { status } = (await federation.api.get(API_SERVICE)) as unknown as {
    status?: { conditions?: { type: string; status: string; message: string }[] };
  };
  return status?.conditions?.find(({ type }) => type === "Available");
}

/** A ServiceAccount of the hub: the file for kubectl, and its token. */
async function account(name: string, rules: { namespace?: string; rules: object[] }[]) {
  const metadata = { name, namespace: DEFAULT_SYSTEM_NAMESPACE };
  await federation.apply({ apiVersion: "v1", kind: "ServiceAccount", metadata } as never);
  for (const [index, { namespace, rules: list }] of rules.entries()) {
    const kind = namespace === undefined ? "ClusterRole" : "Role";
    const own = { name: `${name}-${index}`, ...(namespace === undefined ? {} : { namespace }) };
    await federation.apply({ apiVersion: `${RBAC}/v1`, kind, metadata: own, rules: list } as never);
    await federation.apply({
      ...{ apiVersion: `${RBAC}/v1`, kind: `${kind}Binding`, metadata: own },
      roleRef: { apiGroup: RBAC, kind, name: own.name },
      subjects: [{ kind: "ServiceAccount", ...metadata }],
    } as never);
  }
  const token = await federation.hub.serviceAccountToken(DEFAULT_SYSTEM_NAMESPACE, name, 3600);
  const kubeconfigFile = join(federation.fleet.dir, `${name}.kubeconfig`);
  await writeFile(kubeconfigFile, federation.hub.kubeconfigFor({ token }), { mode: 0o600 });
  return { kubeconfigFile, token };
}

const QUERIES = { apiGroups: [GROUP], resources: ["*"], verbs: ["get", "list", "watch"] };
const APPLICATIONS = { apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["list"] };

/** What kubectl says when it fails. */
async function refusal(cluster: { kubeconfigFile: string }, args: string[]): Promise<string> {
  const answer = await kubectl(cluster, args).catch((error: unknown) => error);
  expect(answer).toBeInstanceOf(CommandFailure);
  return (answer as CommandFailure).result.stderr;
}

describe("kubectl", () => {
  test.each([
    { args: "get federatedobjects -A", says: /^NAMESPACE +OBJECT .*\n(.*\n)*team +DemoApplication\/team-shop +1\/1 / },
    { args: `get placedobjects -n ${TEAM}`, says: /^OBJECT .*\nDemoApplication\/team-shop +shanghai-1 +1\/1 .*\n$/ },
    { args: "get fleetclusters", says: /\nshanghai-1 .*Ready/ },
    { args: "get transitions -A", says: /^NAMESPACE +WHEN +OBJECT +CLUSTER +FROM +TO +REASON\n[^]*shanghai-1/ },
    {
      args: `get federatedobject DemoApplication.paas.cmft.com:team-shop -n ${TEAM} -o yaml`,
      says: /state: Available/,
    },
    { args: `api-resources --api-group ${GROUP}`, says: /federatedobjects.*\n(.*\n)*placedobjects/ },
    { args: "get federatedobjects -A --chunk-size=1 -o name", says: /payroll-shop\n.*team-shop\n/ },
  ])("$args", async ({ args, says }) => {
    const printed = await federation.kubectl(args.split(" "));
    expect(printed).toMatch(says);
  });

  test("prints the columns of the rows, and more of them with -o wide", async () => {
    const columns = async (...more: string[]): Promise<string[]> =>
      (await federation.kubectl(["get", "federatedobjects", "-n", TEAM, ...more])).split("\n")[0]?.split(/ {2,}/) ?? [];
    const [few, many] = [await columns(), await columns("-o", "wide")];
    expect(few).toContain("READY");
    expect(many.length).toBeGreaterThan(few.length);
    expect(many).toEqual(expect.arrayContaining(few.map((name) => name.trim())));
  });

  test("follows a change with -w", async () => {
    const args = ["get", "federatedobjects", "-n", TEAM, "-w"];
    const change = () => federation.apply(demoApplication("team-shop").namespace(TEAM).replica(2));
    const { printed, failed } = await kubectlUntil(federation.hub.kubeconfigFile, args, /team-shop +2\/2/, change);
    expect([failed, printed]).toEqual(["", expect.stringMatching(/team-shop +1\/1[^]*team-shop +2\/2/)]);
  });
});

describe("RBAC of the hub decides", () => {
  test("without a right on the group nothing is asked of the manager", async () => {
    const nobody = await account("nobody", [{ namespace: TEAM, rules: [APPLICATIONS] }]);
    expect(await refusal(nobody, ["get", "federatedobjects", "-n", TEAM])).toMatch(/Forbidden.*cannot list resource/);
  });

  test("with it, rows are those of objects that may be listed", async () => {
    const tenant = await account("tenant", [{ rules: [QUERIES] }, { namespace: TEAM, rules: [APPLICATIONS] }]);
    await eventually(async () => {
      const printed = await kubectl(tenant, ["get", "federatedobjects,placedobjects", "-A"]);
      expect(printed).toContain("team-shop");
      expect(printed).not.toContain("payroll");
    });
    expect(await refusal(tenant, ["get", "federatedobjects", "-n", OTHERS])).toMatch(/Forbidden.*you may not list/);
    expect(await refusal(tenant, ["get", "fleetclusters"])).toMatch(/Forbidden/);
  });

  test("whoever may view a namespace reads its rows", async () => {
    const viewer = await account("viewer", []);
    await federation.apply({
      ...{ apiVersion: `${RBAC}/v1`, kind: "RoleBinding", metadata: { name: "viewer", namespace: TEAM } },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "viewer", namespace: DEFAULT_SYSTEM_NAMESPACE }],
    } as never);
    for (const resource of ["federatedobjects", "placedobjects", "transitions"])
      await eventually(async () => expect(await kubectl(viewer, ["get", resource, "-n", TEAM])).toContain("team-shop"));
    const row = `/apis/${GROUP}/v1alpha1/namespaces/${TEAM}/federatedobjects/DemoApplication.paas.cmft.com:team-shop`;
    expect(await kubectl(viewer, ["get", "--raw", `${row}/full`])).toContain('"explanation"');
    expect(await refusal(viewer, ["get", "federatedobjects", "-n", OTHERS])).toMatch(/Forbidden/);
    const pods = `${row.replace("federated", "placed")}:${SHANGHAI}/pods`;
    expect(await refusal(viewer, ["get", "--raw", pods])).toMatch(/Forbidden/);
  });

  test("whoever may view all namespaces follows them as the page does behind kubectl proxy", async () => {
    const reader = await account("reader", []);
    await federation.apply({
      ...{ apiVersion: `${RBAC}/v1`, kind: "ClusterRoleBinding", metadata: { name: "reader" } },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "view" },
      subjects: [{ kind: "ServiceAccount", name: "reader", namespace: DEFAULT_SYSTEM_NAMESPACE }],
    } as never);
    const asked = { rows: "federatedobjects", clusters: "fleetclusters" };
    const call = {
      url: `${federation.hub.server}/apis/${GROUP}/v1alpha1/watches?${new URLSearchParams(asked).toString()}`,
      ca: federation.hub.caData,
      headers: { authorization: `Bearer ${reader.token}`, accept: "text/event-stream" },
    };
    // The role has no right on clusters: the manager refuses that watch alone.
    const both = /^(?=[^]*"watch":"rows"[^\n]*team-shop)(?=[^]*"watch":"clusters"[^\n]*"code":403)/;
    await eventually(async () => expect(await textUntil(call, both)).toMatch(both));
  });

  test("a name in the headers of a request to the hub has no effect", async () => {
    const tenant = await account("forger", [{ rules: [QUERIES] }, { namespace: TEAM, rules: [APPLICATIONS] }]);
    const url = `${federation.hub.server}/apis/${GROUP}/v1alpha1/federatedobjects`;
    const headers = {
      authorization: `Bearer ${tenant.token}`,
      "x-remote-user": "admin",
      "x-remote-group": "system:masters",
    };
    await eventually(async () => {
      const { code, text } = await get({ url, ca: federation.hub.caData, headers });
      expect([code, text]).toEqual([200, expect.stringContaining("team-shop")]);
      expect(text).not.toContain("payroll");
    });
  });
});

describe("a request past the hub, with a name in its headers,", () => {
  const headers = { "x-remote-user": "admin", "x-remote-group": "system:masters" };
  const ask = (as?: { cert: string; key: string }) =>
    get({
      url: `https://127.0.0.1:${port}/apis/${GROUP}/v1alpha1/federatedobjects`,
      ...{ ca: layer.servingCa, headers, ...(as === undefined ? {} : { as }) },
    }).catch((error: NodeJS.ErrnoException) => ({ code: 0, text: String(error) }));

  test("is answered if the front proxy's certificate proves it: the others fail for their certificate", async () => {
    expect(await ask(layer.frontProxy)).toMatchObject({ code: 200, text: expect.stringContaining("payroll-shop") });
  });

  test.each([
    ["has no certificate", undefined],
    ["has one of the same authority for another name", layer.otherName],
    ["has one of an authority of the same name", layer.stranger],
  ])("is refused if it %s", async (_, as) => {
    const { code, text } = await ask(as);
    expect([0, 401], text).toContain(code);
    expect(text).not.toContain("shop");
  });
});

describe("a manager that is stopped", () => {
  const doomed = "doomed";

  beforeAll(async () => {
    carrier.remove("manager");
    await federation.manager.stop();
    await eventually(async () => expect(await availability()).toMatchObject({ status: "False" }), { timeout: 90_000 });
  });

  test("gives an error of kubectl that says so", async () => {
    for (const args of [
      ["get", "federatedobjects", "-A"],
      ["get", "placedobjects", "-n", TEAM],
    ])
      expect(await refusal(federation.hub, args)).toMatch(
        /currently unable to handle the request|the server doesn't have a resource type|no matches for kind/,
      );
    expect((await availability())?.message).toMatch(/failing or missing response from https:/);
    const { stderr, stdout } = await meridian(federation.hub, ["status", "-A", "--source", "objects"]);
    expect(stderr + stdout).toContain("team-shop");
  });

  test("keeps namespaces from being deleted, until the APIService is removed", async () => {
    await federation.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name: doomed } } as KubeObject);
    const path = objectPath("Namespace", undefined, doomed);
    await federation.api.delete(path);
    await eventually(
      async () => {
        const { status } = (await federation.api.get(path)) as unknown as {
          status: { conditions?: { type: string; status: string; message: string }[] };
        };
        expect(status.conditions).toContainEqual(
          expect.objectContaining({
            type: "NamespaceDeletionDiscoveryFailure",
            status: "True",
            message: expect.stringContaining(GROUP),
          }),
        );
      },
      { timeout: 60_000, message: "the reason of the namespace" },
    );
    await federation.api.delete(API_SERVICE);
    await eventually(async () => expect(await federation.api.find(path)).toBeUndefined(), { timeout: 90_000 });
  });
});

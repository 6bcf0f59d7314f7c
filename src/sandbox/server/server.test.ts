import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, get } from "node:https";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import kubectl from "../protobuf/testdata/kubectl.json" with { type: "json" };
import { HttpsClient } from "../testing/httpsClient.ts";
import { configMap, deployment, widget, widgetCrd, widgetVersion } from "../testing/objects.ts";
import { useCluster } from "../testing/useCluster.ts";

/** What test/conformance does not show: other connections and encodings, forgotten history, metrics. */

const CORE = "/api/v1/namespaces/default";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const PROTOBUF = { contentType: "application/vnd.kubernetes.protobuf" };

const used = useCluster();

/** Creates a namespace of the test's own. */
let count = 0;
async function namespace(): Promise<string> {
  const name = `test-${++count}`;
  expect((await used.client.send("POST", "/api/v1/namespaces", { metadata: { name } })).status).toBe(201);
  return `/api/v1/namespaces/${name}`;
}

/** Creates the CRD, and waits until its objects are served. */
async function served(crd: ReturnType<typeof widgetCrd>): Promise<void> {
  await using watch = await used.client.watch(`${CRDS}?watch=true&fieldSelector=metadata.name%3D${crd.metadata.name}`);
  expect((await used.client.send("POST", CRDS, crd)).status).toBe(201);
  await watch.until(({ object }) => JSON.stringify(object["status"] ?? {}).includes('"Established","status":"True"'));
}

describe("a connection", () => {
  test("of HTTP/1.1 does as well as HTTP/2", async () => {
    const old = new HttpsClient(used.cluster, { http1: true });
    onTestFinished(() => old.close());
    expect((await old.send("GET", CORE)).body).toMatchObject({ metadata: { name: "default" } });
    await using watch = await old.watch("/api/v1/namespaces?watch=true");
    expect((await watch.next())?.type).toBe("ADDED");
  });

  test("of HTTP/1.1 is kept for the next request, without a time after which it ends", async () => {
    const agent = new Agent({ keepAlive: true, ca: used.cluster.caPem });
    onTestFinished(() => agent.destroy());
    const ask = async () => {
      const request = get(`${used.cluster.url}/readyz`, { agent });
      const [response] = (await once(request, "response")) as [IncomingMessage];
      const port = response.socket.localPort;
      response.resume();
      await once(response, "end");
      return { port, keepAlive: response.headers["keep-alive"] };
    };
    const first = await ask();
    expect(first.keepAlive).toBeUndefined();
    expect(await ask()).toEqual(first);
  });
});

describe("who asks", () => {
  test("with a password is anonymous", async () => {
    const headers = { authorization: "Basic YW5uOnNlY3JldA==" };
    expect((await used.client.send("GET", "/api/v1/pods", undefined, { headers })).body["message"]).toBe(
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    );
  });
});

describe("what is submitted", () => {
  test("may not be too large", async () => {
    const large = configMap("a", { a: "x".repeat(4 * 1024 * 1024) });
    expect((await used.client.send("POST", `${CORE}/configmaps`, large)).status).toBe(413);
  });

  test("in protobuf is taken as if it were JSON, or refused when it cannot be read", async () => {
    const sent = kubectl.find(({ object }) => object.kind === "Deployment");
    const answer = await used.client.send("POST", DEPLOYMENTS, Buffer.from(sent?.body ?? "", "base64"), PROTOBUF);
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name: "web" }, spec: { replicas: 2 } } });
    const bad = await used.client.send("POST", DEPLOYMENTS, Buffer.from("{}"), PROTOBUF);
    expect(bad).toMatchObject({ status: 400, body: { reason: "BadRequest" } });
  });

  test("changes nothing, not even the time, where only the text of a quantity differs", async () => {
    const web = deployment("small", 1);
    const [container] = web.spec.template.spec.containers;
    Object.assign(container ?? {}, { resources: { limits: { cpu: "0.5" } } });
    const apply = () => used.client.patch(`${DEPLOYMENTS}/small?fieldManager=tool`, web, "apply");
    const created = await apply();
    expect(created.status).toBe(201);
    used.cluster.faults.set({ clockSkewMs: 5000 });
    onTestFinished(() => used.cluster.faults.clear());
    expect((await apply()).body).toEqual(created.body);
  });
});

describe("custom resources", () => {
  beforeAll(() => served(widgetCrd()));

  test("lose empty metadata, and nobody owns it", async () => {
    const metadata = { name: "bare", labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    const path = "/apis/example.com/v1/namespaces/default/widgets";
    const { body } = await used.client.send("POST", path, { ...widget("bare"), metadata });
    const { managedFields, ...kept } = body["metadata"] as Record<string, unknown>;
    const names = ["creationTimestamp", "generation", "name", "namespace", "resourceVersion", "uid"];
    expect(Object.keys(kept).sort()).toEqual(names);
    expect(JSON.stringify(managedFields)).not.toContain("f:metadata");
  });

  test("are no longer stored in a version that their CRD forgets, after which that version can go", async () => {
    const group = "old.example.com";
    await served(widgetCrd({ group, versions: [widgetVersion("v1", true), widgetVersion("v2", false)] }));
    const path = `${CRDS}/widgets.${group}`;
    const versions = [widgetVersion("v2", true), widgetVersion("v1", false)];
    const turned = await used.client.patch(path, { spec: { versions } }, "merge");
    expect(turned.body["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
    const forget = [{ op: "replace", path: "/status/storedVersions", value: ["v2"] }];
    const forgotten = await used.client.patch(`${path}/status`, forget, "json");
    expect(forgotten).toMatchObject({ status: 200, body: { status: { storedVersions: ["v2"] } } });
    const left = await used.client.patch(path, { spec: { versions: versions.slice(0, 1) } }, "merge");
    expect(left).toMatchObject({ status: 200, body: { spec: { versions: [{ name: "v2" }] } } });
  });
});

test("metrics count requests as kube-apiserver does", async () => {
  const path = await namespace();
  await used.client.patch(`${path}/configmaps/a?fieldManager=me`, configMap("a"), "apply");
  const { text } = await used.client.send("GET", "/metrics");
  expect(text).toMatch(
    /^apiserver_request_total\{code="201",.*resource="configmaps",scope="resource",.*verb="APPLY",version="v1"\} \d+$/m,
  );
  expect(text).toMatch(/^apiserver_storage_objects\{resource="namespaces"\} \d+$/m);
});

test("a list whose next page is too old can be continued inconsistently", async () => {
  const path = await namespace();
  for (const name of ["a", "b", "c"]) await used.client.send("POST", `${path}/configmaps`, configMap(name));
  const first = await used.client.send("GET", `${path}/configmaps?limit=1`);
  const token = (first.body["metadata"] as { continue: string }).continue;
  await used.client.send("DELETE", `${path}/configmaps/b`);
  used.cluster.compact();
  const expired = await used.client.send("GET", `${path}/configmaps?limit=5&continue=${token}`);
  expect(expired.body).toMatchObject({ code: 410, reason: "Expired" });
  const next = (expired.body["metadata"] as { continue: string }).continue;
  const rest = await used.client.list(`${path}/configmaps?limit=5&continue=${next}`);
  expect(rest.map(({ metadata }) => metadata.name)).toEqual(["c"]);
});

test("the namespaces that a cluster needs are spared", async () => {
  const refused = { code: 403, reason: "Forbidden" };
  expect((await used.client.send("DELETE", "/api/v1/namespaces/kube-system")).body).toMatchObject(refused);
});

import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, get } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import kubectl from "../protobuf/testdata/kubectl.json" with { type: "json" };
import { HttpsClient } from "../testing/httpsClient.ts";
import { configMap, deployment } from "../testing/objects.ts";
import { useCluster } from "../testing/useCluster.ts";

/** What test/conformance cannot show, because both servers there speak JSON over one kind of connection, and keep their history. */

const CORE = "/api/v1/namespaces/default";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const PROTOBUF = { contentType: "application/vnd.kubernetes.protobuf" };

const used = useCluster();

/** A namespace for each test, so that none sees what another one left. */
let count = 0;
async function namespace(): Promise<string> {
  const name = `test-${++count}`;
  expect((await used.client.send("POST", "/api/v1/namespaces", { metadata: { name } })).status).toBe(201);
  return `/api/v1/namespaces/${name}`;
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

  test("may ask as somebody else, as the administrator", async () => {
    const headers = { "impersonate-user": "jane", "impersonate-group": "developers" };
    const refused = await used.client.send("GET", "/api/v1/secrets", undefined, { headers });
    expect(refused.body["message"]).toContain('User "jane" cannot list resource "secrets"');
    const review = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
    const self = await used.client.send("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review, {
      headers,
    });
    expect(self.body["status"]).toMatchObject({
      userInfo: { username: "jane", groups: ["developers", "system:authenticated"] },
    });
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

  test("by a strategic merge patch loses directives inside of new items", async () => {
    await used.client.send("POST", DEPLOYMENTS, deployment("directed", 1));
    const env = [{ name: "A", value: "1", $patch: "merge" }];
    const container = { name: "new", image: "nginx:1", "$setElementOrder/env": [{ name: "A" }], env };
    const patch = { spec: { template: { spec: { containers: [container] } } } };
    const path = `${DEPLOYMENTS}/directed?fieldValidation=Ignore`;
    const { status, text } = await used.client.patch(path, patch, "strategic");
    expect(status).toBe(200);
    expect(text).not.toMatch(/\$(patch|setElementOrder)/);
  });

  test("as a dry run leaves the revision and the node ports as they are", async () => {
    const path = await namespace();
    const before = used.cluster.resourceVersion();
    const ports = [{ port: 80, nodePort: 31_999 }];
    const service = (name: string) => ({ metadata: { name }, spec: { type: "NodePort", ports } });
    expect((await used.client.send("POST", `${path}/services?dryRun=All`, service("a"))).status).toBe(201);
    expect(used.cluster.resourceVersion()).toBe(before);
    expect((await used.client.send("POST", `${path}/services`, service("b"))).status).toBe(201);
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

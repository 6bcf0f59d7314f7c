import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SandboxCluster, startSandboxCluster } from "../index.ts";
import { HttpsClient } from "../testing/httpsClient.ts";
import { configMap, deployment } from "../testing/objects.ts";

/** What the server itself is answerable for; that it answers as kube-apiserver does, object by object, is shown by test/conformance. */

let cluster: SandboxCluster;
let client: HttpsClient;
const errors: unknown[] = [];

beforeAll(async () => {
  cluster = await startSandboxCluster({
    name: "test",
    controllers: false,
    onError: (error) => void errors.push(error),
  });
  client = new HttpsClient(cluster);
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
  expect(errors).toEqual([]);
});

/** A namespace for each test, so that none sees what another one left. */
let count = 0;
async function namespace(): Promise<string> {
  const name = `test-${++count}`;
  expect((await client.send("POST", "/api/v1/namespaces", { metadata: { name } })).status).toBe(201);
  return `/api/v1/namespaces/${name}`;
}

describe("who asks", () => {
  test("a wrong token is refused, none at all is anonymous", async () => {
    const wrong = new HttpsClient({ ...cluster, adminToken: "wrong" });
    expect((await wrong.send("GET", "/api/v1/pods")).body).toMatchObject({ code: 401, reason: "Unauthorized" });
    await wrong.close();
    const nobody = { authorization: "" };
    const refused = await client.send("GET", "/api/v1/pods", undefined, { headers: nobody });
    expect(refused.status).toBe(403);
    expect(refused.body["message"]).toBe(
      'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope',
    );
    const password = { authorization: "Basic YW5uOnNlY3JldA==" };
    expect((await client.send("GET", "/api/v1/pods", undefined, { headers: password })).status).toBe(403);
    for (const path of ["/readyz", "/livez", "/healthz", "/version"]) {
      expect((await client.send("GET", path, undefined, { headers: nobody })).status).toBe(200);
    }
  });

  test("a ServiceAccount gets in with its token, may what its role allows, and ends with its account", async () => {
    const path = await namespace();
    const name = path.split("/").at(-1) ?? "";
    await client.send("POST", `${path}/serviceaccounts`, { metadata: { name: "robot" } });
    const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${name}`;
    await client.send("POST", `${rbac}/roles`, {
      metadata: { name: "reader" },
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get", "list"] }],
    });
    await client.send("POST", `${rbac}/rolebindings`, {
      metadata: { name: "reader" },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
      subjects: [{ kind: "ServiceAccount", namespace: name, name: "robot" }],
    });
    const issued = await client.send("POST", `${path}/serviceaccounts/robot/token`, {
      spec: { expirationSeconds: 3600 },
    });
    expect(issued.status).toBe(201);
    const { token, expirationTimestamp } = issued.body["status"] as { token: string; expirationTimestamp: string };
    expect(Date.parse(expirationTimestamp) - Date.now()).toBeGreaterThan(3_590_000);

    const robot = new HttpsClient({ ...cluster, adminToken: token });
    expect((await robot.send("GET", `${path}/configmaps`)).status).toBe(200);
    expect((await robot.send("POST", `${path}/configmaps`, configMap("a"))).status).toBe(403);
    expect((await robot.send("GET", "/api/v1/configmaps")).status).toBe(403);
    const review = await client.send("POST", "/apis/authentication.k8s.io/v1/tokenreviews", {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token },
    });
    expect(review.body["status"]).toMatchObject({
      authenticated: true,
      user: { username: `system:serviceaccount:${name}:robot` },
    });
    await client.send("DELETE", `${path}/serviceaccounts/robot`);
    expect((await robot.send("GET", `${path}/configmaps`)).status).toBe(401);
    await robot.close();
  });

  test("the administrator may ask as somebody else", async () => {
    const headers = { "impersonate-user": "jane", "impersonate-group": "developers" };
    const refused = await client.send("GET", "/api/v1/secrets", undefined, { headers });
    expect(refused.body["message"]).toContain('User "jane" cannot list resource "secrets"');
    const self = await client.send(
      "POST",
      "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
      { headers },
    );
    expect(self.body["status"]).toMatchObject({
      userInfo: { username: "jane", groups: ["developers", "system:authenticated"] },
    });
  });
});

describe("what is asked for", () => {
  test("what is not served is not found, and what a resource cannot do is not allowed", async () => {
    expect((await client.send("GET", "/api/v1/nonsense")).body).toMatchObject({ code: 404, reason: "NotFound" });
    expect(await client.send("GET", "/apis/nonsense/v1/things")).toMatchObject({
      status: 404,
      text: "404 page not found\n",
    });
    expect((await client.send("PUT", "/api/v1/namespaces", {})).body).toMatchObject({ code: 405 });
    expect((await client.send("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")).status).toBe(405);
  });

  test("HTTP/1.1 does as well as HTTP/2", async () => {
    const old = new HttpsClient(cluster, { http1: true });
    expect((await old.send("GET", "/api/v1/namespaces/default")).body).toMatchObject({ metadata: { name: "default" } });
    await using watch = await old.watch("/api/v1/namespaces?watch=true");
    expect((await watch.next())?.type).toBe("ADDED");
    await old.close();
  });

  test("a body that is too large is refused", async () => {
    const path = await namespace();
    const answer = await client.send("POST", `${path}/configmaps`, configMap("a", { a: "x".repeat(4 * 1024 * 1024) }));
    expect(answer.status).toBe(413);
  });

  test("a body may be YAML, and an answer too", async () => {
    const path = await namespace();
    const yaml = "metadata:\n  name: a\ndata:\n  key: value\n";
    expect((await client.send("POST", `${path}/configmaps`, yaml, { contentType: "application/yaml" })).status).toBe(
      201,
    );
    const answer = await client.send("GET", `${path}/configmaps/a`, undefined, {
      headers: { accept: "application/yaml" },
    });
    expect(answer.headers["content-type"]).toBe("application/yaml");
    expect(answer.text).toContain("key: value");
  });

  test("unknown and repeated fields are warned of, or refused when that is wished", async () => {
    const path = await namespace();
    const body = '{"metadata":{"name":"a"},"data":{"x":"1","x":"2"},"other":1}';
    const warned = await client.send("POST", `${path}/configmaps`, body);
    expect(warned.status).toBe(201);
    const warnings = [warned.headers["warning"]].flat().join(" ");
    expect(warnings).toContain('duplicate field \\"data.x\\"');
    expect(warnings).toContain('unknown field \\"other\\"');
    const refused = await client.send("PUT", `${path}/configmaps/a?fieldValidation=Strict`, body);
    expect(refused.body).toMatchObject({
      code: 400,
      message: expect.stringContaining("strict decoding error") as string,
    });
    expect((await client.send("GET", `${path}/configmaps/a`)).body).not.toHaveProperty("other");
  });

  test("a dry run answers as if, and changes nothing", async () => {
    const path = await namespace();
    const before = cluster.resourceVersion();
    const created = await client.send("POST", `${path}/configmaps?dryRun=All`, configMap("a"));
    expect(created.status).toBe(201);
    expect(created.body["metadata"]).not.toHaveProperty("resourceVersion");
    expect((await client.send("GET", `${path}/configmaps/a`)).status).toBe(404);
    await client.send("POST", `${path}/services?dryRun=All`, {
      metadata: { name: "a" },
      spec: { type: "NodePort", ports: [{ port: 80, nodePort: 31_999 }] },
    });
    expect(cluster.resourceVersion()).toBe(before);
    // What a dry run took is given back.
    const service = { metadata: { name: "b" }, spec: { type: "NodePort", ports: [{ port: 80, nodePort: 31_999 }] } };
    expect((await client.send("POST", `${path}/services`, service)).status).toBe(201);
    await client.send("DELETE", `${path}/services/b?dryRun=All`);
    expect((await client.send("GET", `${path}/services/b`)).status).toBe(200);
  });

  test("a write that changes nothing is no write", async () => {
    const path = await namespace();
    const { body } = await client.send("POST", `${path}/configmaps`, configMap("a", { a: "1" }));
    const revision = cluster.resourceVersion();
    expect((await client.send("PUT", `${path}/configmaps/a`, body)).body).toEqual(body);
    expect((await client.patch(`${path}/configmaps/a`, { data: { a: "1" } }, "merge")).body).toEqual(body);
    expect(cluster.resourceVersion()).toBe(revision);
  });

  test("metrics count requests as kube-apiserver does", async () => {
    const path = await namespace();
    await client.patch(`${path}/configmaps/a?fieldManager=me`, configMap("a"), "apply");
    const { text } = await client.send("GET", "/metrics");
    expect(text).toMatch(
      /^apiserver_request_total\{code="201",.*resource="configmaps",scope="resource",.*verb="APPLY",version="v1"\} \d+$/m,
    );
    expect(text).toMatch(/^apiserver_storage_objects\{resource="namespaces"\} \d+$/m);
  });
});

describe("lists", () => {
  test("come in pages that all show one revision", async () => {
    const path = await namespace();
    for (const name of ["a", "b", "c", "d", "e"]) await client.send("POST", `${path}/configmaps`, configMap(name));
    const first = await client.send("GET", `${path}/configmaps?limit=2`);
    const meta = first.body["metadata"] as { continue: string; remainingItemCount: number; resourceVersion: string };
    expect(meta.remainingItemCount).toBe(3);
    await client.send("DELETE", `${path}/configmaps/c`);
    await client.send("POST", `${path}/configmaps`, configMap("bb"));
    const names: string[] = [];
    let token: string | undefined = meta.continue;
    while (token !== undefined) {
      const page = await client.send("GET", `${path}/configmaps?limit=2&continue=${token}`);
      const { metadata, items } = page.body as {
        metadata: { continue?: string; resourceVersion: string };
        items: { metadata: { name: string } }[];
      };
      expect(metadata.resourceVersion).toBe(meta.resourceVersion);
      names.push(...items.map((item) => item.metadata.name));
      token = metadata.continue;
    }
    expect(names).toEqual(["c", "d", "e"]);
  });

  test("whose next page is too old can be continued inconsistently", async () => {
    const path = await namespace();
    for (const name of ["a", "b", "c"]) await client.send("POST", `${path}/configmaps`, configMap(name));
    const first = await client.send("GET", `${path}/configmaps?limit=1`);
    const token = (first.body["metadata"] as { continue: string }).continue;
    await client.send("DELETE", `${path}/configmaps/b`);
    cluster.compact();
    const expired = await client.send("GET", `${path}/configmaps?limit=5&continue=${token}`);
    expect(expired.body).toMatchObject({ code: 410, reason: "Expired" });
    const next = (expired.body["metadata"] as { continue: string }).continue;
    const rest = await client.send("GET", `${path}/configmaps?limit=5&continue=${next}`);
    expect((rest.body["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name)).toEqual([
      "c",
    ]);
  });

  test("select by labels and fields", async () => {
    const path = await namespace();
    for (const name of ["a", "b"]) {
      await client.send("POST", `${path}/configmaps`, { metadata: { name, labels: { name } } });
    }
    const names = async (query: string) =>
      (await client.list(`${path}/configmaps?${query}`)).map(({ metadata }) => metadata.name);
    expect(await names("labelSelector=name+in+(b,c)")).toEqual(["b"]);
    expect(await names("fieldSelector=metadata.name!%3Db")).toEqual(["a"]);
    expect(await names("fieldSelector=metadata.name%3Db")).toEqual(["b"]);
    expect(await names("fieldSelector=metadata.name%3Dnone")).toEqual([]);
  });

  test("can be had as of an exact revision, and not of a future one", async () => {
    const path = await namespace();
    await client.send("POST", `${path}/configmaps`, configMap("a"));
    const revision = cluster.resourceVersion();
    await client.send("POST", `${path}/configmaps`, configMap("b"));
    const exact = await client.list(`${path}/configmaps?resourceVersion=${revision}&resourceVersionMatch=Exact`);
    expect(exact.map(({ metadata }) => metadata.name)).toEqual(["a"]);
    const future = await client.send("GET", `${path}/configmaps?resourceVersion=99999999`);
    expect(future.body).toMatchObject({ code: 504, reason: "Timeout" });
  });

  test("of metadata only leave the rest out", async () => {
    const path = await namespace();
    await client.send("POST", `${path}/configmaps`, configMap("a", { secret: "x" }));
    const accept = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
    const { body, text } = await client.send("GET", `${path}/configmaps`, undefined, { headers: { accept } });
    expect(body["kind"]).toBe("PartialObjectMetadataList");
    expect(text).not.toContain('secret":"x');
  });
});

describe("deletion", () => {
  test("waits for finalizers", async () => {
    const path = await namespace();
    await client.send("POST", `${path}/configmaps`, { metadata: { name: "a", finalizers: ["example.com/hold"] } });
    const { body } = await client.send("DELETE", `${path}/configmaps/a`);
    expect(body["metadata"]).toHaveProperty("deletionTimestamp");
    expect((await client.send("GET", `${path}/configmaps/a`)).status).toBe(200);
    await client.patch(`${path}/configmaps/a`, { metadata: { finalizers: null } }, "merge");
    expect((await client.send("GET", `${path}/configmaps/a`)).status).toBe(404);
  });

  test("keeps to its preconditions", async () => {
    const path = await namespace();
    const { body } = await client.send("POST", `${path}/configmaps`, configMap("a"));
    const { uid, resourceVersion } = body["metadata"] as { uid: string; resourceVersion: string };
    for (const preconditions of [{ uid: "other" }, { resourceVersion: "1" }]) {
      expect((await client.send("DELETE", `${path}/configmaps/a`, { preconditions })).status).toBe(409);
    }
    const right = { preconditions: { uid, resourceVersion } };
    expect((await client.send("DELETE", `${path}/configmaps/a`, right)).body).toMatchObject({
      status: "Success",
      details: { uid },
    });
  });

  test("of a collection takes only what is selected", async () => {
    const path = await namespace();
    for (const name of ["a", "b", "c"]) {
      await client.send("POST", `${path}/configmaps`, { metadata: { name, labels: { gone: String(name !== "b") } } });
    }
    const { body } = await client.send("DELETE", `${path}/configmaps?labelSelector=gone%3Dtrue`);
    expect((body["items"] as unknown[]).length).toBe(2);
    expect((await client.list(`${path}/configmaps`)).map(({ metadata }) => metadata.name)).toEqual(["b"]);
  });

  test("spares the namespaces that a cluster needs", async () => {
    expect((await client.send("DELETE", "/api/v1/namespaces/kube-system")).body).toMatchObject({
      code: 403,
      reason: "Forbidden",
    });
  });
});

describe("scale", () => {
  test("changes the replicas and notes who did", async () => {
    const name = (await namespace()).split("/").at(-1) ?? "";
    const path = `/apis/apps/v1/namespaces/${name}/deployments`;
    await client.send("POST", path, deployment("web", 1));
    const scaled = await client.patch(`${path}/web/scale`, { spec: { replicas: 3 } }, "merge");
    expect(scaled.body).toMatchObject({ kind: "Scale", spec: { replicas: 3 }, status: { selector: "app=web" } });
    const { body } = await client.send("GET", `${path}/web`);
    expect(body).toMatchObject({ spec: { replicas: 3 }, metadata: { generation: 2 } });
    const { managedFields } = body["metadata"] as { managedFields: { subresource?: string; fieldsV1: unknown }[] };
    expect(managedFields.find(({ subresource }) => subresource === "scale")?.fieldsV1).toEqual({
      "f:spec": { "f:replicas": {} },
    });
    const wrong = await client.send("PUT", `${path}/web/scale`, { metadata: { name: "web" }, spec: { replicas: -1 } });
    expect(wrong.body).toMatchObject({ code: 422, details: { kind: "Scale" } });
  });
});

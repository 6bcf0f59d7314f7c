import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SandboxCluster, startSandboxCluster } from "../index.ts";
import { HttpsClient } from "../testing/httpsClient.ts";
import { widget, widgetCrd, widgetVersion } from "../testing/objects.ts";

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

async function served(crd: ReturnType<typeof widgetCrd>): Promise<void> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await using watch = await client.watch(`${path}?watch=true&fieldSelector=metadata.name%3D${crd.metadata.name}`);
  expect((await client.send("POST", path, crd)).status).toBe(201);
  await watch.until(({ object }) => {
    // Like a real server, this one says null before it knows.
    const { conditions } = (object["status"] ?? {}) as { conditions?: { type: string; status: string }[] | null };
    return conditions?.some(({ type, status }) => type === "Established" && status === "True") === true;
  });
}

describe("custom resources", () => {
  test("are served from the moment on at which their CRD is established, with defaults, validation, status and scale", async () => {
    await served(widgetCrd());
    const path = "/apis/example.com/v1/namespaces/default/widgets";
    const created = await client.send("POST", path, { ...widget("a", { color: "red", junk: 1 }), status: { size: 9 } });
    expect(created.body).toMatchObject({ spec: { size: 1, color: "red" }, metadata: { generation: 1 } });
    expect(created.body).not.toHaveProperty("status");
    expect(created.body["spec"]).not.toHaveProperty("junk");
    const refused = await client.send("POST", path, widget("b", { size: -1, color: "blue" }));
    expect(refused.body).toMatchObject({ code: 422, reason: "Invalid" });
    expect(refused.body["message"]).toContain(
      "spec.size: Invalid value: -1: spec.size in body should be greater than or equal to 0",
    );

    const status = await client.patch(`${path}/a/status`, { spec: { size: 5 }, status: { size: 2 } }, "merge");
    expect(status.body).toMatchObject({ spec: { size: 1 }, status: { size: 2 }, metadata: { generation: 1 } });
    const scaled = await client.patch(`${path}/a/scale`, { spec: { replicas: 4 } }, "merge");
    expect(scaled.body).toMatchObject({ spec: { replicas: 4 }, status: { replicas: 2 } });
    expect((await client.send("GET", `${path}/a`)).body).toMatchObject({
      spec: { size: 4 },
      metadata: { generation: 2 },
    });
    expect((await client.patch(`${path}/a`, {}, "strategic")).status).toBe(415);
    const unconditional = await client.send("PUT", `${path}/a`, widget("a"));
    expect(unconditional.body["message"]).toContain(
      "metadata.resourceVersion: Invalid value: 0: must be specified for an update",
    );
  });

  test("go when their CRD goes, which waits for them", async () => {
    const crd = widgetCrd({ group: "going.example.com" });
    await served(crd);
    const path = "/apis/going.example.com/v1/namespaces/default/widgets";
    const object = { ...widget("a"), apiVersion: "going.example.com/v1" };
    await client.send("POST", path, { ...object, metadata: { name: "a", finalizers: ["example.com/hold"] } });
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    await using watch = await client.watch(`${crds}?watch=true&fieldSelector=metadata.name%3D${crd.metadata.name}`);
    await using objects = await client.watch(`${path}?watch=true`);
    await client.send("DELETE", `${crds}/${crd.metadata.name}`);
    await watch.until(({ object: { metadata } }) => metadata.deletionTimestamp !== undefined);
    expect((await client.send("POST", path, { ...object, metadata: { name: "b" } })).status).toBe(405);
    await client.patch(`${path}/a`, { metadata: { finalizers: null } }, "merge");
    await watch.until(({ type }) => type === "DELETED");
    expect((await client.send("GET", path)).status).toBe(404);
    await objects.until(({ type }) => type === "DELETED");
    // Nothing more will ever come.
    expect(await objects.next()).toBeUndefined();
  });

  test("are converted between versions by their apiVersion alone when nobody else does it", async () => {
    await served(
      widgetCrd({
        group: "many.example.com",
        versions: [widgetVersion("v1", true), widgetVersion("v2", false, { deprecated: true })],
      }),
    );
    const path = (version: string) => `/apis/many.example.com/${version}/namespaces/default/widgets`;
    const object = { ...widget("a", { size: 2 }), apiVersion: "many.example.com/v2" };
    const created = await client.send("POST", path("v2"), object);
    expect(created.body["apiVersion"]).toBe("many.example.com/v2");
    expect(created.headers["warning"]).toContain("many.example.com/v2 Widget is deprecated");
    const other = await client.send("GET", `${path("v1")}/a`);
    expect(other.body).toMatchObject({ apiVersion: "many.example.com/v1", spec: { size: 2 } });
    await using watch = await client.watch(`${path("v2")}?watch=true`);
    expect((await watch.next())?.object.apiVersion).toBe("many.example.com/v2");
  });

  test("are no longer stored in a version that their CRD forgets, after which that version can go", async () => {
    const crd = widgetCrd({
      group: "old.example.com",
      versions: [widgetVersion("v1", true), widgetVersion("v2", false)],
    });
    await served(crd);
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
    const versions = [widgetVersion("v2", true), widgetVersion("v1", false)];
    const turned = await client.patch(path, { spec: { versions } }, "merge");
    expect(turned.body["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
    const forget = [
      { op: "test", path: "/status/storedVersions", value: ["v1", "v2"] },
      { op: "replace", path: "/status/storedVersions", value: ["v2"] },
    ];
    const forgotten = await client.patch(`${path}/status`, forget, "json");
    expect(forgotten).toMatchObject({ status: 200, body: { status: { storedVersions: ["v2"] } } });
    const left = await client.patch(path, { spec: { versions: versions.slice(0, 1) } }, "merge");
    expect(left).toMatchObject({ status: 200, body: { spec: { versions: [{ name: "v2" }] } } });
  });
});

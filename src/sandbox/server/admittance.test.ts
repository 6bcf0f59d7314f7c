import { afterAll, beforeAll, describe, expect, test } from "vitest";
import kubectl from "../protobuf/testdata/kubectl.json" with { type: "json" };
import { type SandboxCluster, startSandboxCluster } from "../index.ts";
import { HttpsClient } from "../testing/httpsClient.ts";
import { deployment, widget, widgetCrd } from "../testing/objects.ts";

/** What the server makes of what comes in, before anything is stored. */

const CORE = "/api/v1/namespaces/default";
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const WIDGETS = "/apis/example.com/v1/namespaces/default/widgets";
const PROTOBUF = { contentType: "application/vnd.kubernetes.protobuf" };

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
  const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await using watch = await client.watch(`${crds}?watch=true`);
  expect((await client.send("POST", crds, widgetCrd())).status).toBe(201);
  await watch.until(({ object }) => JSON.stringify(object["status"] ?? {}).includes('"Established","status":"True"'));
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
  expect(errors).toEqual([]);
});

describe("what the server adds to a new object", () => {
  test.each([
    {
      kind: "a claim",
      path: `${CORE}/persistentvolumeclaims`,
      object: {
        metadata: { name: "claim" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
      want: { metadata: { finalizers: ["kubernetes.io/pvc-protection"] } },
    },
    {
      kind: "a volume",
      path: "/api/v1/persistentvolumes",
      object: {
        metadata: { name: "volume", finalizers: ["example.com/mine"] },
        spec: { accessModes: ["ReadWriteOnce"], capacity: { storage: "1Gi" }, hostPath: { path: "/x" } },
      },
      want: { metadata: { finalizers: ["example.com/mine", "kubernetes.io/pv-protection"] } },
    },
    {
      kind: "a node",
      path: "/api/v1/nodes",
      object: { metadata: { name: "node" } },
      want: { spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] } },
    },
    {
      kind: "a node that brings its taint",
      path: "/api/v1/nodes",
      object: {
        metadata: { name: "tainted" },
        spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] },
      },
      want: { spec: { taints: [{ key: "node.kubernetes.io/not-ready", effect: "NoSchedule" }] } },
    },
  ])("protects $kind", async ({ path, object, want }) => {
    const { status, body } = await client.send("POST", path, object);
    expect({ status, body }).toMatchObject({ status: 201, body: want });
  });
});

describe("what is submitted", () => {
  test("in protobuf is taken as if it were JSON", async () => {
    const sent = kubectl.find(({ object }) => object.kind === "Deployment");
    const answer = await client.send("POST", DEPLOYMENTS, Buffer.from(sent?.body ?? "", "base64"), PROTOBUF);
    expect(answer).toMatchObject({ status: 201, body: { metadata: { name: "web" }, spec: { replicas: 2 } } });
  });

  test("in protobuf that cannot be read is refused", async () => {
    const answer = await client.send("POST", DEPLOYMENTS, Buffer.from("{}"), PROTOBUF);
    expect(answer).toMatchObject({ status: 400, body: { reason: "BadRequest" } });
  });

  test("loses empty metadata of a custom resource, and nobody owns it", async () => {
    const metadata = { name: "bare", labels: {}, annotations: {}, finalizers: [], ownerReferences: [] };
    const { body, status } = await client.send("POST", WIDGETS, { ...widget("bare"), metadata });
    expect(status).toBe(201);
    const { managedFields, ...kept } = body["metadata"] as Record<string, unknown>;
    expect(Object.keys(kept).sort()).toEqual([
      "creationTimestamp",
      "generation",
      "name",
      "namespace",
      "resourceVersion",
      "uid",
    ]);
    expect(JSON.stringify(managedFields)).not.toContain("f:metadata");
  });

  test("by a strategic merge patch loses directives inside of new items", async () => {
    await client.send("POST", DEPLOYMENTS, deployment("directed", 1));
    const containers = [
      {
        name: "new",
        image: "nginx:1",
        "$setElementOrder/env": [{ name: "B" }, { name: "A" }],
        env: [
          { name: "A", value: "1", $patch: "merge" },
          { name: "B", value: "2" },
        ],
      },
    ];
    const patch = { spec: { template: { spec: { containers } } } };
    const path = `${DEPLOYMENTS}/directed?fieldValidation=Ignore`;
    const { status, text } = await client.patch(path, patch, "strategic");
    expect(status).toBe(200);
    expect(text).not.toMatch(/\$(patch|setElementOrder)/);
  });

  test("as an Event of events.k8s.io is refused under the name of the core group", async () => {
    const { body } = await client.send("POST", "/apis/events.k8s.io/v1/namespaces/default/events", {
      metadata: { name: "nothing" },
      eventTime: "2026-01-01T00:00:00.000000Z",
    });
    expect(body).toMatchObject({ code: 422, details: { kind: "Event" } });
    expect(body["message"]).toMatch(/^Event "nothing" is invalid/);
    expect(body["details"]).not.toHaveProperty("group");
  });

  test("for a dry run may name an address that a Service has, and takes none", async () => {
    const service = (name: string, clusterIP?: string) => ({
      metadata: { name },
      spec: { selector: { app: name }, ports: [{ port: 80 }], ...(clusterIP === undefined ? {} : { clusterIP }) },
    });
    const first = await client.send("POST", `${CORE}/services`, service("one"));
    const { clusterIP } = first.body["spec"] as { clusterIP: string };
    const dry = await client.send("POST", `${CORE}/services?dryRun=All`, service("two", clusterIP));
    expect(dry.status).toBe(201);
    expect((await client.send("POST", `${CORE}/services`, service("two", clusterIP))).status).toBe(422);
  });

  test("as a CRD is judged by its schema, and by its names", async () => {
    const crd = widgetCrd({ group: "bad.example.com" });
    const version = crd.spec.versions[0] as { schema: { openAPIV3Schema: { properties: Record<string, unknown> } } };
    const openAPIV3Schema = { ...version.schema.openAPIV3Schema, properties: { spec: {} } };
    const bad = {
      ...crd,
      metadata: { name: "other.bad.example.com" },
      spec: { ...crd.spec, versions: [{ ...version, schema: { openAPIV3Schema } }] },
    };
    const { body } = await client.send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", bad);
    expect(body["code"]).toBe(422);
    expect(body["message"]).toContain("metadata.name");
    expect(body["message"]).toContain(".properties[spec].type: Required value");
  });
});

describe("what changes nothing", () => {
  test("is not written, also where the text of a quantity differs, and keeps its time", async () => {
    const apply = (cpu: number | string) =>
      client.patch(
        `${DEPLOYMENTS}/small?fieldManager=tool`,
        {
          ...deployment("small", 1),
          spec: {
            ...deployment("small", 1).spec,
            template: {
              metadata: { labels: { app: "small" } },
              spec: { containers: [{ name: "app", image: "nginx:1", resources: { limits: { cpu } } }] },
            },
          },
        },
        "apply",
      );
    const created = await apply("0.5");
    expect(created.status).toBe(201);
    const skewed = 5000;
    cluster.faults.set({ clockSkewMs: skewed });
    try {
      const again = await apply("0.5");
      expect(again.status).toBe(200);
      expect(again.body).toEqual(created.body);
    } finally {
      cluster.faults.clear();
    }
  });

  test("of the status in an apply of the object is owned by nobody, and put back", async () => {
    await client.send("POST", WIDGETS, widget("stated"));
    await client.patch(`${WIDGETS}/stated/status`, { status: { size: 7 } }, "merge");
    const applied = await client.patch(
      `${WIDGETS}/stated?fieldManager=tool&force=true`,
      { ...widget("stated", { size: 3 }), status: { size: 9 } },
      "apply",
    );
    expect(applied.body).toMatchObject({ spec: { size: 3 }, status: { size: 7 } });
    const { managedFields } = applied.body["metadata"] as { managedFields: { manager: string; fieldsV1: unknown }[] };
    expect(managedFields.find(({ manager }) => manager === "tool")?.fieldsV1).toEqual({ "f:spec": { "f:size": {} } });
  });
});

describe("a Table", () => {
  test("says of a Pod that has ended that it is complete", async () => {
    const spec = { restartPolicy: "Never", containers: [{ name: "app", image: "busybox" }] };
    for (const name of ["fine", "broken", "running"]) {
      await client.send("POST", `${CORE}/pods`, { metadata: { name }, spec });
    }
    const phases = { fine: "Succeeded", broken: "Failed", running: "Running" };
    for (const [name, phase] of Object.entries(phases)) {
      await client.patch(`${CORE}/pods/${name}/status`, { status: { phase } }, "merge");
    }
    const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
    const { body } = await client.send("GET", `${CORE}/pods`, undefined, { headers: { accept } });
    const rows = body["rows"] as { cells: string[]; conditions?: unknown }[];
    const completed = (reason: string, message: string) => [{ type: "Completed", status: "True", reason, message }];
    expect(Object.fromEntries(rows.map(({ cells, conditions }) => [cells[0], conditions]))).toEqual({
      fine: completed("Succeeded", "The pod has completed successfully."),
      broken: completed("Failed", "The pod failed."),
      running: undefined,
    });
  });
});

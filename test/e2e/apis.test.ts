import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  convertObject,
  crdNameOf,
  customResourceDefinitions,
  DEFAULT_SYSTEM_NAMESPACE,
  servingAllVersions,
  type KubeObject,
  kindOf,
  parseObject,
} from "../../src/apis/index.ts";
import {
  KINDS_STORED_AS_NEXT,
  KINDS_WITH_NEXT,
  NEXT_API_VERSION,
  NEXT_VERSION,
} from "../../src/apis/testing/nextVersion.ts";
import { BAD_OBJECTS } from "../builders/badObjects.ts";
import { GOOD_OBJECTS } from "../builders/goodObjects.ts";
import { applicationObject, clusterObject } from "../builders/policyObjects.ts";
import { type ApiResponse, eventually, type Fleet, kubectl, type Plane } from "../envtest/index.ts";
import { hasKubectl, startFleetHere } from "./federation.ts";
import { crdOf, giveVersions, goodObjectsOf, patchCrd, pathIn, serveKinds, triedOf } from "./nextVersion.ts";

/** What a real API server makes of the CRDs: it is the judge of what the schemas and rules say. */

interface Status {
  message: string;
  details?: { causes?: { field?: string }[] };
}

let fleet: Fleet<Plane>;
let hub: Plane;

beforeAll(async () => {
  fleet = await startFleetHere({ hub: { controllerManager: false }, members: [] });
  hub = fleet.hub;
  const crds = customResourceDefinitions().map(servingAllVersions);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await Promise.all(crds.map((crd) => hub.api.create(path, crd)));
  await eventually(async () => {
    const conditions = (await hub.api.list(path)).flatMap((crd) => conditionsOf(crd));
    const established = conditions.filter(({ type, status }) => type === "Established" && status === "True");
    expect(established).toHaveLength(crds.length);
    expect(conditions.map(({ type }) => type)).not.toContain("NonStructuralSchema");
  });
  // Established comes a moment before the resource is served.
  await eventually(() => Promise.all(GOOD_OBJECTS.map(({ object }) => hub.api.list(collectionOf(object)))));
});

afterAll(() => fleet?.[Symbol.asyncDispose]());

/** Less what a write changes that drops the owners of fields. */
function withoutOwners({ metadata, ...rest }: KubeObject): object {
  const { managedFields: _, resourceVersion: __, ...kept } = metadata;
  return { ...rest, metadata: kept };
}

function conditionsOf(object: KubeObject): { type: string; status: string }[] {
  return (object["status"] as { conditions?: { type: string; status: string }[] } | undefined)?.conditions ?? [];
}

function collectionOf(object: KubeObject): string {
  const kind = kindOf(object)?.kind;
  if (kind === undefined) throw new Error(`${object.kind} is not one of Meridian's kinds`);
  const namespace = kind.namespaced ? `namespaces/${object.metadata.namespace}/` : "";
  return `/apis/${object.apiVersion}/${namespace}${kind.plural}`;
}

function dryRun<T>(object: KubeObject): Promise<ApiResponse<T>> {
  return hub.api.request<T>("POST", `${collectionOf(object)}?dryRun=All&fieldValidation=Strict`, object);
}

describe("a real API server", () => {
  test.each([...GOOD_OBJECTS])("accepts $name, and stores it as the parser reads it", async ({ object }) => {
    const { status, body } = await dryRun<KubeObject & Status>(object);
    expect(status, body.message).toBe(201);
    const parsed = parseObject(object);
    expect(parsed).toMatchObject({ ok: true });
    expect(body["spec"]).toEqual(parsed.ok ? parsed.object["spec"] : undefined);
  });

  test.each([...BAD_OBJECTS])("refuses $name, and names the field", async ({ object, field }) => {
    const { status, body } = await dryRun<Status>(object);
    // Unknown fields are found while the object is read, before it is looked at: 400 instead of 422.
    expect([400, 422]).toContain(status);
    const named = (body.details?.causes ?? []).map((cause) => cause.field);
    expect(named.includes(field) || body.message.includes(field), body.message).toBe(true);
  });

  test("does not let a MemberCluster become another cluster", async () => {
    await hub.api.create(collectionOf(clusterObject({})), clusterObject({}, "hub"));
    const path = `${collectionOf(clusterObject({}))}/hub`;
    const connection = { local: null, kubeconfigSecretRef: { name: "hub" } };
    await expect(hub.api.patch(path, "merge", { spec: { connection } })).rejects.toThrow(/spec\.connection.*local/);
    await expect(hub.api.patch(path, "merge", { spec: { provider: "aliyun" } })).resolves.toBeDefined();
  });

  test.runIf(hasKubectl())(
    "takes the shipped placements with one kubectl apply, and a second one changes nothing",
    async () => {
      const versions = () =>
        kubectl(hub, [
          "get",
          "placements,overridepolicies,demoapplications",
          "-o",
          "jsonpath={.items[*].metadata.resourceVersion}",
        ]);
      expect(await kubectl(hub, ["apply", "-f", "placements/"])).toContain("nginx-demo created");
      const before = await versions();
      await kubectl(hub, ["apply", "-f", "placements/"]);
      expect(before.split(" ")).toHaveLength(14);
      expect(await versions()).toBe(before);
    },
  );
});

describe("a DemoApplication on a real API server", () => {
  const demo = applicationObject({ replica: 2, env: [{ name: "A", value: "1" }] }, "scaled");
  const path = `${collectionOf(demo)}/scaled`;
  beforeAll(() => hub.api.create(collectionOf(demo), demo));

  test.runIf(hasKubectl()).each(["v1", "v1beta1"])("is scaled with kubectl in %s", async (version) => {
    const replicas = version === "v1" ? 7 : 9;
    await kubectl(hub, ["scale", `demoapplication.${version}.paas.cmft.com/scaled`, `--replicas=${replicas}`]);
    expect((await hub.api.get(path))["spec"]).toMatchObject({ replica: replicas });
  });

  test.runIf(hasKubectl())("is not scaled beyond its bounds", async () => {
    await expect(kubectl(hub, ["scale", "demo/scaled", "--replicas=1001"])).rejects.toThrow(/spec\.replica/);
  });

  test("tells an autoscaler how many replicas are ready, and by which labels they are found", async () => {
    await applyStatus("meridian", {
      replicas: { desired: 9, updated: 9, ready: 8, available: 8 },
      selector: "app=scaled",
    });
    expect((await hub.api.get(`${path}/scale`))["status"]).toEqual({ replicas: 8, selector: "app=scaled" });
  });

  test.runIf(hasKubectl())("takes a whole status, and shows it in its table", async () => {
    const condition = {
      status: "True",
      reason: "Settled",
      observedGeneration: 1,
      lastTransitionTime: "2026-11-21T08:22:14Z",
    };
    const replicas = { desired: 9, updated: 9, ready: 8, available: 8 };
    const status = {
      observedGeneration: 1,
      placement: { kind: "Placement", namespace: "default", name: "everywhere" },
      replicas,
      selector: "app=scaled",
      availableClusters: "1/2",
      conditions: [
        { ...condition, type: "Available", message: "1 of 2 clusters available" },
        { ...condition, type: "Progressing", message: "" },
      ],
      clusters: [
        {
          name: "shanghai-1",
          region: "cn-shanghai",
          state: "Available",
          replicas,
          desiredHash: "7f3c",
          observedHash: "7f3c",
          observedAt: "2026-11-21T08:26:00Z",
        },
        {
          name: "frankfurt-1",
          state: "Unknown",
          reason: "ClusterUnreachable",
          message: "connection refused",
          replicas,
        },
      ],
      summary: [{ region: "us-east-1", clusters: 3, replicas }],
      runs: {
        summary: "nginx:1.26",
        clusters: 5,
        differing: 5,
        versions: [{ image: "nginx:1.26", clusters: 5 }],
      },
    };
    expect((await applyStatus("meridian", status))["status"]).toEqual(status);
    const [heads, row] = (await kubectl(hub, ["get", "demo", "scaled"]))
      .trim()
      .split("\n")
      .map((line) => line.split(/\s{2,}/));
    expect(heads?.map((head) => head.trim())).toEqual([
      "NAME",
      "IMAGE",
      "RUNS",
      "DESIRED",
      "READY",
      "CLUSTERS",
      "AVAILABLE",
      "AGE",
    ]);
    expect(row?.slice(0, 7)).toEqual(["scaled", "nginx:1.27", "nginx:1.26", "9", "8", "1/2", "True"]);
  });

  test("lets each reporter own its cluster's entry, and nobody else's", async () => {
    const entry = { state: "Available", replicas: { desired: 1, updated: 1, ready: 1, available: 1 } };
    await applyStatus("agent-a", { clusters: [{ name: "a", ...entry }] });
    await applyStatus("agent-b", { clusters: [{ name: "b", ...entry }] });
    await expect(applyStatus("agent-b", { clusters: [{ name: "a", ...entry, state: "Failed" }] })).rejects.toThrow(
      /409/,
    );
    const { status } = (await hub.api.get(path)) as unknown as {
      status: { clusters: { name: string; state: string }[] };
    };
    expect(status.clusters).toContainEqual({ name: "a", ...entry });
    expect(status.clusters).toContainEqual({ name: "b", ...entry });
  });

  test.runIf(hasKubectl())("is selected by its image, and is found in the categories meridian and all", async () => {
    expect(await kubectl(hub, ["get", "demo", "--field-selector=spec.image=nginx:1.27", "-o", "name"])).toContain(
      "/scaled",
    );
    expect(await kubectl(hub, ["get", "demo", "--field-selector=spec.image=nginx:2", "-o", "name"])).toBe("");
    expect(await kubectl(hub, ["get", "meridian", "-o", "name"])).toContain("/scaled");
    expect(await kubectl(hub, ["get", "all", "-o", "name"])).toContain("/scaled");
  });

  async function applyStatus(fieldManager: string, status: object): Promise<KubeObject> {
    const { status: code, body } = await hub.api.request<KubeObject>(
      "PATCH",
      `${path}/status?fieldManager=${fieldManager}`,
      { apiVersion: demo.apiVersion, kind: demo.kind, metadata: { name: "scaled" }, status },
      { contentType: "application/apply-patch+yaml" },
    );
    if (code !== 200) throw new Error(`${code}: ${JSON.stringify(body)}`);
    return body;
  }
});

describe("a version of the federation kinds that comes after v1alpha1", () => {
  const [served, stored] = [triedOf(KINDS_WITH_NEXT), triedOf(KINDS_STORED_AS_NEXT)];
  const crds = served.map(crdNameOf);
  const objects = goodObjectsOf(served);
  /** A real server on a busy machine takes seconds for a change of a CRD. */
  const patience = { timeout: 120_000 };
  const before = new Map<string, KubeObject>();
  let webhooks: AsyncDisposable | undefined;

  const path = (object: KubeObject, version?: string) => pathIn(KINDS_WITH_NEXT, object, version);
  const demo = applicationObject({ replica: 1 }, "converted");
  const stop = async () => {
    await webhooks?.[Symbol.asyncDispose]();
    webhooks = undefined;
  };
  const forEachObject = <T>(act: (object: KubeObject) => Promise<T>): Promise<T[]> => Promise.all(objects.map(act));
  const readAll = (version?: string) => forEachObject((object) => hub.api.get(path(object, version)));

  beforeAll(async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: DEFAULT_SYSTEM_NAMESPACE } };
    await hub.api.create("/api/v1/namespaces", namespace);
    await forEachObject(async (object) => {
      before.set(path(object), await hub.api.create(collectionOf(object), object));
    });
    await hub.api.create(collectionOf(demo), demo);
  });
  afterAll(stop);

  test("has its conversion by webhook before it comes, and nobody is called for a kind of one version", async () => {
    const clientConfig = { url: "https://127.0.0.1:1/convert" };
    const webhook = { conversionReviewVersions: ["v1"], clientConfig };
    const all = [...crds, "demoapplications.paas.cmft.com"];
    for (const name of all) await patchCrd(hub, name, { spec: { conversion: { strategy: "Webhook", webhook } } });
    await eventually(() => expect(hub.api.get(path(demo, "v1beta1"))).rejects.toThrow(/conversion webhook/), patience);
    await forEachObject(async (object) => {
      expect(await hub.api.get(path(object))).toEqual(before.get(path(object)));
      const copy = { ...object, metadata: { ...object.metadata, name: `${object.metadata.name}-alone` } };
      await hub.api.create(collectionOf(copy), copy);
      await hub.api.patch(path(copy), "merge", { metadata: { labels: { tier: "test" } } });
      expect(await hub.api.delete(path(copy))).toBe(true);
    });
  });

  test("is served once a manager that knows it converts, and shows every v1alpha1 object whole", async () => {
    await giveVersions(hub, served);
    webhooks = await serveKinds(hub, served);
    await eventually(() => readAll(NEXT_VERSION), patience);
    await forEachObject(async (object) => {
      const first = before.get(path(object)) ?? object;
      const { metadata, ...rest } = await hub.api.get(path(object, NEXT_VERSION));
      const { metadata: expected, ...wanted } = convertObject(first, NEXT_API_VERSION, served);
      expect(rest).toEqual(wanted);
      expect(metadata.uid).toBe(expected.uid);
      // What was read is written back, which changes nothing of what is stored. While the CRDs change, a server may lose its connection to the webhook.
      await eventually(async () => {
        const whole = { metadata, ...rest };
        const { body, status } = await hub.api.request<KubeObject>("PUT", path(object, NEXT_VERSION), whole);
        expect(status, JSON.stringify(body)).toBe(200);
      }, patience);
      // A server whose webhook fails while it tracks who owns which field takes the write all the same, and drops all owners.
      const now = await hub.api.get(path(object));
      const isTracked = now.metadata.managedFields !== undefined;
      expect(isTracked ? now : withoutOwners(now)).toEqual(isTracked ? first : withoutOwners(first));
    });
  });

  test("keeps what v1alpha1 cannot hold, through a v1alpha1 client that writes the object", async () => {
    const name = "two-clients";
    const next = { ...clusterObject({ operator: "own", purpose: "for trials" }, name), apiVersion: NEXT_API_VERSION };
    await hub.api.create(`/apis/${NEXT_API_VERSION}/memberclusters`, next);
    const old = await hub.api.get(path(clusterObject({}, name)));
    expect(old["spec"]).toEqual({ connection: { local: {} }, provider: "own" });
    await hub.api.patch(path(clusterObject({}, name)), "merge", { spec: { provider: "aliyun" } });
    expect((await hub.api.get(path(next)))["spec"]).toEqual({
      connection: { local: {} },
      operator: "aliyun",
      purpose: "for trials",
    });
    expect((await hub.api.get(path(next))).metadata.annotations).toBeUndefined();
  });

  test("waits while no manager answers, and v1alpha1 goes on", async () => {
    await stop();
    const object = clusterObject({}, "two-clients");
    await expect(hub.api.get(path(object, NEXT_VERSION))).rejects.toThrow(/conversion webhook/);
    expect((await hub.api.get(path(object)))["spec"]).toMatchObject({ provider: "aliyun" });
  });

  test("becomes the stored one, in which every object is written anew, and v1alpha1 can go", async () => {
    webhooks = await serveKinds(hub, stored);
    await eventually(() => readAll(NEXT_VERSION), patience);
    const seen = await readAll();
    await giveVersions(hub, stored, () => true);
    for (const name of crds) {
      const storedVersions = async () => (await crdOf(hub, name)).status.storedVersions;
      await eventually(async () => expect(await storedVersions()).toEqual([NEXT_VERSION]), patience);
    }
    const after = await readAll();
    const bare = ({ metadata: { uid, name }, ...rest }: KubeObject) => ({ ...rest, uid, name });
    expect(after.map(bare)).toEqual(seen.map(bare));
    const next = await readAll(NEXT_VERSION);
    await stop();
    for (const name of crds) {
      const { versions } = (await crdOf(hub, name)).spec;
      await patchCrd(hub, name, {
        spec: { versions: versions.filter(({ storage }) => storage), conversion: { strategy: "None", webhook: null } },
      });
    }
    const old = () => hub.api.request("GET", path(clusterObject({}, "two-clients")));
    await eventually(async () => expect((await old()).status).toBe(404), patience);
    expect(await readAll(NEXT_VERSION)).toEqual(next);
  });
});

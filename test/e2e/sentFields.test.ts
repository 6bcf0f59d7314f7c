import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import {
  canonicalJson,
  FEDERATION_API_VERSION,
  type KubeObject,
  type ManagedFieldsEntry,
  parseJson,
  printYaml,
  type ResourceBinding,
} from "../../src/apis/index.ts";
import { eventually, kubectl, meridian, throughout } from "../envtest/index.ts";
import { type Federation, useFederation } from "./federation.ts";
import {
  defaultClasses,
  sentEverywhere,
  sentPaths,
  writtenCollection,
  writtenObjects,
  writtenPath,
} from "./sentObjects.ts";
import { expectSentOnce } from "./twiceWritten.ts";
import { expectToTravel } from "./travelling.ts";
import { DOCUMENTS_OF_A_ROUND, expectBundleSameAsPlain, expectSameAsPlain, placeDocuments } from "./sameAsPlain.ts";
import { contentOf, sampleOf, valueObjects, valuesDefinition } from "./writtenValues.ts";

const SHANGHAI = "shanghai-1";

const federation = useFederation({
  members: [{ name: SHANGHAI, region: "cn-shanghai" }],
  unjoined: [SHANGHAI],
});

beforeAll(async () => {
  // Its administrator's: this is about kinds, not about rights.
  const { plane } = federation.member(SHANGHAI);
  await federation.joinByHand(SHANGHAI, plane.kubeconfig);
  await federation.untilMemberIs(SHANGHAI, "True");
  for (const one of defaultClasses("the-hub")) await federation.api.create(writtenCollection(one), one);
  for (const one of defaultClasses(SHANGHAI)) await federation.memberApi(SHANGHAI).create(writtenCollection(one), one);
});

/** How people and programs create what they have written, each in a namespace of its own. */
const WAYS: Record<string, (objects: KubeObject[]) => Promise<unknown>> = {
  create: (objects) => byKubectl(objects, "create"),
  apply: (objects) => byKubectl(objects, "apply"),
  "apply --server-side": (objects) => byKubectl(objects, "apply", "--server-side"),
  helm: (objects) => byProgram(objects, "helm"),
  controller: (objects) => byProgram(objects, "robot-operator"),
};

async function byKubectl(items: KubeObject[], ...verb: string[]): Promise<void> {
  await written(federation.hub, items, ...verb);
}

async function written(cluster: { kubeconfigFile: string }, items: KubeObject[], ...verb: string[]): Promise<void> {
  const stdin = JSON.stringify({ apiVersion: "v1", kind: "List", items });
  await kubectl(cluster, [...verb, "-f", "-"], { stdin });
}

async function byProgram(objects: KubeObject[], fieldManager: string): Promise<void> {
  for (const object of objects)
    await federation.api.create(`${writtenCollection(object)}?fieldManager=${fieldManager}`, object);
}

/** What the hub's controllers add once the object is there. */
async function controllersWork(namespace: string, objects: KubeObject[]): Promise<void> {
  const as = "fieldManager=kube-controller-manager";
  const find = (kind: string, name: string): KubeObject => {
    const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const merge = (path: string, patch: object) => federation.api.patch(`${path}?${as}`, "merge", patch);
  await merge(writtenPath(find("PersistentVolumeClaim", "claim")), { spec: { volumeName: `disk-${namespace}` } });
  await merge(writtenPath(find("PersistentVolume", `disk-${namespace}`)), {
    spec: { claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name: "claim", uid: "1" } },
  });
  await merge(`${writtenPath(find("Deployment", "scaled"))}/scale`, { spec: { replicas: 4 } });
  await merge(writtenPath(find("Deployment", "web")), {
    metadata: { annotations: { "deployment.kubernetes.io/x": "1" } },
  });
}

const slug = (way: string): string => way.replaceAll(/[^a-z]+/g, "-");

describe("what is sent of an object, by its kind and by how it was created", () => {
  test("is all that was written, and nothing that the hub has allocated or decided", { timeout: 300_000 }, async () => {
    const placed = new Map<string, KubeObject[]>();
    for (const [index, [way, make]] of Object.entries(WAYS).entries()) {
      const namespace = `w-${slug(way)}`;
      await federation.api.create("/api/v1/namespaces", {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace, labels: { sent: "yes" } },
      });
      // From the part of the range that the server does not allocate from by itself.
      const objects = writtenObjects(namespace, 30_050 + index);
      await make(objects);
      await controllersWork(namespace, objects);
      placed.set(way, objects);
    }
    const all = [...placed.values()].flat();
    await federation.apply(sentEverywhere(all));

    const member = federation.memberApi(SHANGHAI);
    await eventually(
      async () => {
        const missing: string[] = [];
        for (const object of all)
          if ((await member.find(writtenPath(object))) === undefined) missing.push(writtenPath(object));
        expect(missing).toEqual([]);
      },
      { timeout: 120_000, message: "every object is on the member" },
    );

    const table: string[] = [];
    const ways = [...placed];
    for (const [index, example] of (ways[0]?.[1] ?? []).entries()) {
      const sent = new Map<string, Set<string>>();
      for (const [way, objects] of ways) {
        const object = objects[index] ?? example;
        const name = object.metadata.name.replaceAll(`w-${slug(way)}`, "NAMESPACE");
        const paths = sentPaths(await member.get(writtenPath(object)));
        for (const path of paths) {
          const text = path.replaceAll(`w-${slug(way)}`, "NAMESPACE").replace(/"port":3005\d/, '"port":PORT');
          sent.set(text, (sent.get(text) ?? new Set()).add(way));
        }
        if (way === ways[0]?.[0]) table.push(`${example.kind} ${name}`);
      }
      for (const path of [...sent.keys()].toSorted()) {
        const by = sent.get(path) ?? new Set();
        table.push(`  ${path}${by.size === ways.length ? "" : `  (${[...by].join(", ")})`}`);
      }
    }
    await expect(`${table.join("\n")}\n`).toMatchFileSnapshot("./sentFields.golden.txt");

    // Each cluster has its own classes for what names none.
    const classOf = async (kind: string, name: string, field: string): Promise<unknown[]> =>
      await Promise.all(
        all
          .filter((object) => object.kind === kind && object.metadata.name === name)
          .map(async (object) => {
            const { spec } = await member.get<KubeObject & { spec: Record<string, unknown> }>(writtenPath(object));
            return spec[field];
          }),
      );
    const own = ways.map(() => `default-of-${SHANGHAI}`);
    expect(await classOf("PersistentVolumeClaim", "defaulted", "storageClassName")).toEqual(own);
    expect(await classOf("Ingress", "web", "ingressClassName")).toEqual(own);

    // The controllers of the member work on what was sent, and Meridian has nothing to put right.
    const appliedAt = async (object: KubeObject): Promise<string | undefined> => {
      const { metadata } = await member.get<KubeObject>(writtenPath(object));
      return metadata.managedFields?.find(({ manager }: ManagedFieldsEntry) => manager === "meridian")?.time;
    };
    const times = await Promise.all(all.map(appliedAt));
    await throughout(8_000, async () => expect(await Promise.all(all.map(appliedAt))).toEqual(times), 2_000);
  });
});

describe("the values of what is sent", () => {
  const NAMESPACES = ["create", "apply", "apply --server-side"].map((way) => [way, `values-${slug(way)}`] as const);
  const BUNDLED = "values-bundled";
  const objectsIn = async (api: Federation["api"], namespace: string): Promise<string[]> => {
    const found = valueObjects(namespace).map(async (object) => {
      const one = await api.find(writtenPath(object));
      return one === undefined ? `no ${object.kind} ${object.metadata.name}` : contentOf(one);
    });
    return Promise.all(found);
  };
  const wide = { apiVersion: FEDERATION_API_VERSION, kind: "ClusterPlacement" };
  const selected = { labelSelector: { matchLabels: { values: "yes" } } };

  test("are those that plain kubectl gives a cluster, of objects and of bundles", { timeout: 180_000 }, async () => {
    const member = federation.memberApi(SHANGHAI);
    for (const api of [federation.api, member])
      await api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", valuesDefinition);
    const kinds = [...new Map(valueObjects("x").map(({ apiVersion, kind }) => [kind, { apiVersion, kind }])).values()];
    const bundles = { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle" };
    const resourceSelectors = [...kinds, bundles].map((kind) => ({ ...kind, ...selected }));
    await federation.apply({ ...wide, metadata: { name: "values" }, spec: { resourceSelectors } } as KubeObject);
    const plain = { kubeconfigFile: federation.member(SHANGHAI).plane.kubeconfigFile };
    for (const [way, namespace] of [...NAMESPACES, ["create", BUNDLED] as const]) {
      const verb = way.split(" ");
      await kubectl(plain, ["create", "namespace", `plain-${namespace}`]);
      await eventually(() => written(plain, valueObjects(`plain-${namespace}`), ...verb), {
        message: "kinds are served",
      });
      await kubectl(federation.hub, ["create", "namespace", namespace]);
      const objects = valueObjects(namespace);
      const manifests = objects.map(({ metadata: { namespace: _, ...metadata }, ...rest }) => ({ ...rest, metadata }));
      const metadata = { name: "all", namespace, labels: { values: "yes" } };
      const bundle = { ...bundles, metadata, spec: { manifests } } as KubeObject;
      await eventually(() => written(federation.hub, namespace === BUNDLED ? [bundle] : objects, ...verb), {
        message: "kinds are served",
      });
    }
    for (const namespace of [...NAMESPACES.map(([, name]) => name), BUNDLED]) {
      const want = await objectsIn(member, `plain-${namespace}`);
      await eventually(async () => expect(await objectsIn(member, namespace)).toEqual(want), {
        timeout: 60_000,
        message: `what is sent from ${namespace}`,
      });
    }
  });

  test("are put back to the last digit", async () => {
    const member = federation.memberApi(SHANGHAI);
    const [namespace] = NAMESPACES.map(([, name]) => name);
    for (const where of [namespace ?? "", BUNDLED]) {
      const path = `/apis/values.example.com/v1/namespaces/${where}/docs/numbers`;
      await member.patch(`${path}?fieldManager=stranger`, "merge", { spec: { id: 9007199254740992n } });
      const empty = `/apis/values.example.com/v1/namespaces/${where}/docs/empty`;
      await member.patch(`${empty}?fieldManager=stranger`, "merge", { spec: { list: ["x"], nothing: "x" } });
      await eventually(
        async () => {
          const [numbers, nothing] = await Promise.all([path, empty].map((at) => member.get<KubeObject>(at)));
          expect(numbers?.["spec"]).toMatchObject({ id: 9007199254740993n });
          expect(nothing?.["spec"]).toMatchObject({ list: [], nothing: null });
        },
        { timeout: 60_000, message: `values are back in ${where}` },
      );
    }
  });

  test("stay empty when a person takes out the last one, whatever the default of the schema is", async () => {
    const namespace = "values-apply";
    const doc = valueObjects(namespace).find(({ metadata }) => metadata.name === "empty") as KubeObject;
    const filled = { ...doc, spec: { keyed: [{ name: "a" }], set: ["a"], map: { a: "1" }, list: ["a"] } };
    const onMember = async (): Promise<unknown> =>
      (await federation.memberApi(SHANGHAI).get<KubeObject>(writtenPath(doc)))["spec"];
    await written(federation.hub, [filled], "apply");
    await eventually(async () => expect(await onMember()).toMatchObject(filled.spec), { timeout: 30_000 });
    await written(federation.hub, [doc], "apply");
    const want = { keyed: [], set: [], map: {}, list: [] };
    await eventually(async () => expect(await onMember()).toMatchObject(want), { timeout: 30_000 });
    expect((await federation.api.get<KubeObject>(writtenPath(doc)))["spec"]).toEqual(await onMember());
  });

  test("are in files as kubectl reads them, and are printed so that kubectl reads the same", async () => {
    const namespace = "values-files";
    await kubectl(federation.hub, ["create", "namespace", namespace]);
    const file = join(federation.fleet.dir, "mode.yaml");
    const template = `metadata: {labels: {a: b}}
    spec:
      volumes: [{name: v, configMap: {name: c, defaultMode: 0400}}]
      containers: [{name: c, image: "i:1", tty: yes, stdin: off, env: [{name: A, value: "0400"}]}]`;
    await writeFile(
      file,
      `apiVersion: apps/v1
kind: Deployment
metadata: {name: mode, namespace: ${namespace}, labels: {values: "yes"}}
spec:
  replicas: 00
  selector: {matchLabels: {a: b}}
  template:
    ${template}
`,
    );
    await kubectl(federation.hub, ["apply", "-f", file]);
    await eventually(async () => {
      const { code, stdout, stderr } = await meridian(federation.hub, ["plan", "-f", file, "-n", namespace]);
      expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    });

    const value = sampleOf(400, 30);
    const doc = {
      apiVersion: "values.example.com/v1",
      kind: "Doc",
      metadata: { name: "printed" },
      spec: { any: value },
    };
    const dryRun = ["create", "--dry-run=client", "--validate=false", "-o", "json", "-f", "-"];
    const read = parseJson(await kubectl(federation.hub, dryRun, { stdin: printYaml(doc) })) as typeof doc;
    expect(canonicalJson(read.spec.any)).toBe(canonicalJson(value));
  });
});

describe("entries of one key, which the hub takes and no apply carries", () => {
  test.each(["create", "apply"])("are one, or refused with the path, after kubectl %s and in a bundle", (verb) =>
    expectSentOnce(federation, SHANGHAI, verb),
  );
});

describe("an object that travels with another one", () => {
  test("has the present data when its own Placement goes, and is overridden like one that is placed", () =>
    expectToTravel(federation, SHANGHAI));
});

describe("random documents, edited by three managers", () => {
  // More of them with MERIDIAN_PROPERTY_RUNS, others with MERIDIAN_PROPERTY_SEED.
  const first = Number(process.env["MERIDIAN_PROPERTY_SEED"] ?? 31);
  const rounds = Math.ceil(Number(process.env["MERIDIAN_PROPERTY_RUNS"] ?? 1) / DOCUMENTS_OF_A_ROUND);
  const seeds = Array.from({ length: rounds }, (_, round) => ({ seed: first + round * DOCUMENTS_OF_A_ROUND }));
  beforeAll(() => placeDocuments(federation, SHANGHAI));

  test.each(seeds)("are what plain kubectl makes of them, seed $seed", { timeout: 600_000 }, ({ seed }) =>
    expectSameAsPlain(federation, SHANGHAI, { documents: DOCUMENTS_OF_A_ROUND, edits: 10, seed }),
  );

  test.each(seeds)("are the same in a bundle, seed $seed", { timeout: 600_000 }, ({ seed }) =>
    expectBundleSameAsPlain(federation, SHANGHAI, { documents: DOCUMENTS_OF_A_ROUND / 2, edits: 6, seed }),
  );
});

describe("the binding of an object that is sent as it is", () => {
  const namespace = "bound";
  const configMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "settings", namespace },
    data: { a: "1" },
  };
  const bindingPath = `/apis/${FEDERATION_API_VERSION}/namespaces/${namespace}/resourcebindings/configmap.settings`;

  beforeAll(async () => {
    await federation.api.create("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await federation.apply({
      apiVersion: FEDERATION_API_VERSION,
      kind: "Placement",
      metadata: { name: "settings", namespace },
      spec: { resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap", name: "settings" }] },
    } as KubeObject);
  });

  async function placed(): Promise<void> {
    await federation.api.create(writtenCollection(configMap), configMap);
    await eventually(
      async () => {
        const line = await kubectl(federation.hub, ["get", "resourcebinding", "-n", namespace, "--no-headers"]);
        expect(line).toMatch(/^configmap\.settings +ConfigMap +settings .* 1\/1 +True /);
      },
      { timeout: 60_000, message: "the binding says that the object is available" },
    );
    expect(await federation.memberApi(SHANGHAI).find(writtenPath(configMap))).toBeDefined();
    // Also of a kind whose generations the server does not count.
    const ready = ["wait", "--for=condition=Ready", "--timeout=30s", "resourcebinding/configmap.settings"];
    await kubectl(federation.hub, [...ready, "-n", namespace]);
  }

  async function untilGone(): Promise<void> {
    await eventually(
      async () => {
        expect(await federation.api.find(writtenPath(configMap))).toBeUndefined();
        expect(await federation.api.find(bindingPath)).toBeUndefined();
        expect(await federation.memberApi(SHANGHAI).find(writtenPath(configMap))).toBeUndefined();
      },
      { timeout: 60_000, message: "nothing of the object is left" },
    );
  }

  test("is there for as long as anything of the object is, also where the server deletes what the object owns first", async () => {
    await placed();
    await kubectl(federation.hub, [
      "delete",
      "configmap",
      "settings",
      "-n",
      namespace,
      "--cascade=foreground",
      "--wait=false",
    ]);
    await untilGone();
  });

  test("is no obstacle to the deletion of the namespace", async () => {
    await placed();
    await kubectl(federation.hub, ["delete", "namespace", namespace, "--timeout=60s"]);
    await untilGone();
  });
});

describe("an object whose kind has a status of its own", () => {
  const namespace = "summed";
  const definition = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "databases.summed.example.com" },
    spec: {
      group: "summed.example.com",
      names: { kind: "Database", plural: "databases" },
      scope: "Namespaced",
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: {
                spec: { type: "object", properties: { nodes: { type: "integer" } } },
                status: {
                  type: "object",
                  properties: { readyNodes: { type: "integer" }, observedGeneration: { type: "integer" } },
                },
              },
            },
          },
        },
      ],
    },
  };
  const database = {
    apiVersion: "summed.example.com/v1",
    kind: "Database",
    metadata: { name: "db", namespace },
    spec: { nodes: 2 },
  };
  const bindingPath = `/apis/${FEDERATION_API_VERSION}/namespaces/${namespace}/resourcebindings/database.summed.example.com.db`;
  const said = (manager: string, api: Federation["api"], status: object) =>
    api.patch(`${writtenPath(database)}/status?fieldManager=${manager}`, "merge", { status });
  const statusOnHub = async (): Promise<unknown> =>
    (await federation.api.get<KubeObject>(writtenPath(database)))["status"];

  async function reason(type: string): Promise<string | undefined> {
    const binding = await federation.api.find<ResourceBinding>(bindingPath);
    return binding?.status?.conditions?.find((condition) => condition.type === type)?.reason;
  }

  test("is as healthy as its placement says, and has the sum of the members' statuses until somebody else writes it", async () => {
    const member = federation.memberApi(SHANGHAI);
    for (const api of [federation.api, member])
      await api.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    await federation.api.create("/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace },
    });
    await eventually(() => federation.api.create(writtenCollection(database), database), {
      message: "the kind is served",
    });
    await federation.apply({
      apiVersion: FEDERATION_API_VERSION,
      kind: "Placement",
      metadata: { name: "databases", namespace },
      spec: {
        resourceSelectors: [{ apiVersion: "summed.example.com/v1", kind: "Database" }],
        health: [{ kind: "Database", available: "object.status.readyNodes >= object.spec.nodes" }],
        aggregateStatus: true,
      },
    } as KubeObject);
    const until = (message: string, check: () => Promise<void>) => eventually(check, { timeout: 60_000, message });
    await until("its health is not known", async () => expect(await reason("Available")).toBe("HealthNotReadable"));
    await said("operator", member, { readyNodes: 2, observedGeneration: 1 });
    await until("all is well", async () => {
      expect([await reason("Ready"), await reason("StatusAggregated")]).toEqual(["AllClustersReady", "StatusSummedUp"]);
      expect(await statusOnHub()).toEqual({ readyNodes: 2, observedGeneration: 1 });
    });
    await said("hub-operator", federation.api, { readyNodes: 9 });
    await said("operator", member, { readyNodes: 3 });
    await until("the status is the other's", async () =>
      expect(await reason("StatusAggregated")).toBe("StatusOwnedByOthers"),
    );
    expect(await statusOnHub()).toMatchObject({ readyNodes: 9 });
  });
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import type { KubeObject, ResourceBinding } from "../../../src/apis/index.ts";
import { MYSQL_CRD, type MysqlCluster } from "../../e2e/mysqlOperator.ts";
import {
  collectionPath,
  configMap,
  type DataObject,
  type Deployment,
  foreignDeployment,
  objectPath,
  pathOf,
  type Service,
} from "../../e2e/objects.ts";
import { eventually } from "../../envtest/index.ts";
import { ExampleFleet } from "./exampleFleet.ts";
import { fencedBlocks, read, type Section, sectionsOf } from "./markdown.ts";

/**
 * Every example of the page about policies is applied as it stands there, in a namespace of its own, to the fleet that the page describes; and
 * then what the page says comes of it.
 */

const FIRST = "The application of the examples";
const DATABASE = "Objects of other kinds";
const DEFAULT_PLACEMENT = "Run in some regions";
const POLICIES = ["Placement", "ClusterPlacement", "OverridePolicy", "ClusterOverridePolicy"];
const NAMESPACED = [
  ...["DemoApplication", "Placement", "OverridePolicy", "ManifestBundle"],
  ...["ConfigMap", "MysqlCluster", "ResourceQuota", "Secret", "Service"],
];
const MYSQL_BINDING = "mysqlcluster.mysql.presslabs.org.my-db";

/** What holds once the example was applied; `shop` is the application of the examples. */
type Check = (namespace: string) => Promise<void>;

let fleet: ExampleFleet;

const shopOn = (replicas: Record<string, number>) => (namespace: string) =>
  fleet.untilRuns(namespace, "shop", replicas);
const onMember = <T>(cluster: string, kind: string, namespace: string, name = "shop") =>
  fleet.member(cluster).find<T>(objectPath(kind, namespace, name));

const CHECKS: Record<string, Check> = {
  [DEFAULT_PLACEMENT]: shopOn({ "shanghai-1": 6, "shanghai-2": 6, "singapore-1": 6 }),
  "Choose clusters by name, provider, zone": shopOn({ "shanghai-1": 6 }),
  "Prefer one group of clusters": shopOn({ "shanghai-1": 6, "shanghai-2": 6 }),
  "Leave a lost cluster, and return": shopOn({ "shanghai-1": 6 }),
  "Spread over regions and zones": shopOn({ "shanghai-1": 6, "shanghai-2": 6, "singapore-1": 6 }),
  "Each region runs only its own instances": (namespace) => fleet.untilRuns(namespace, "orders", { "singapore-1": 3 }),
  "Give every namespace a default": shopOn({ "shanghai-1": 6, "shanghai-2": 6, "singapore-1": 6 }),
  "Keep objects off a cluster, and let some through": shopOn({
    "shanghai-1": 6,
    "shanghai-2": 6,
    "singapore-1": 6,
    "frankfurt-1": 6,
  }),
  "Make the hub a member": async (namespace) => {
    await shopOn({ "hub-local": 6 })(namespace);
    const deployment = await fleet.hub.get(objectPath("Deployment", namespace, "shop"));
    expect(deployment.metadata.ownerReferences).toMatchObject([{ kind: "DemoApplication", name: "shop" }]);
  },
  "Divide the replicas by weight": shopOn({ "shanghai-1": 4, "singapore-1": 2 }),
  "Divide the replicas by room": shopOn({ "shanghai-1": 3, "singapore-1": 3 }),
  "Set the replicas of a region": shopOn({ "shanghai-1": 5, "shanghai-2": 5, "singapore-1": 3 }),
  "Change the image, variables, labels, anything": async (namespace) => {
    await shopOn({ "shanghai-1": 6, "shanghai-2": 6, "singapore-1": 6 })(namespace);
    await eventually(async () => {
      const there = await onMember<Deployment>("shanghai-1", "Deployment", namespace);
      expect(there?.spec.template.spec).toMatchObject({
        containers: [{ image: "registry.example.cn/nginx:1.27", env: [{ name: "REGION", value: "cn" }] }],
        terminationGracePeriodSeconds: 45,
      });
      const service = await onMember<Service>("shanghai-1", "Service", namespace);
      expect(service?.spec).toMatchObject({ sessionAffinity: "ClientIP" });
      expect(service?.metadata).toMatchObject({
        labels: { "data-residency": "cn" },
        annotations: { "example.com/owner": "sre-asia" },
      });
    });
    const elsewhere = await onMember<Deployment>("singapore-1", "Deployment", namespace);
    expect(elsewhere?.spec.template.spec.containers[0].image).toBe("nginx:1.27");
  },
  "Change something for every namespace": (namespace) =>
    eventually(async () => {
      const there = await onMember<Deployment>("singapore-1", "Deployment", namespace);
      expect(there?.spec.template.spec.containers[0].image).toBe("mirror.example.com/nginx:1.27");
    }),
  "Leave a field to the member": async (namespace) => {
    await shopOn({ "singapore-1": 1 })(namespace);
    await fleet.member("singapore-1").patch(objectPath("Deployment", namespace, "shop"), "merge", {
      spec: { replicas: 7 },
    });
    const path = objectPath("DemoApplication", namespace, "shop");
    await fleet.hub.patch(path, "merge", { spec: { image: "nginx:1.28" } });
    await eventually(async () => {
      const there = await onMember<Deployment>("singapore-1", "Deployment", namespace);
      expect(there?.spec.template.spec.containers[0].image).toBe("nginx:1.28");
      expect(there?.spec.replicas).toBe(7);
    });
  },
  "Bring configuration along": async (namespace) => {
    await shopOn({ "shanghai-1": 6, "shanghai-2": 6, "singapore-1": 6 })(namespace);
    const there = await onMember<DataObject>("shanghai-2", "ConfigMap", namespace, "shop-config");
    expect(there?.data).toEqual(configMap(namespace, "shop-config", { MODE: "production" }).data);
  },
  "Place objects of any kind": async (namespace) => {
    await eventually(async () => {
      expect(await onMember("singapore-1", "Service", namespace, "shop-internal")).toBeDefined();
      expect(await onMember("singapore-1", "ResourceQuota", namespace)).toBeDefined();
    });
    expect(await onMember("shanghai-1", "ResourceQuota", namespace)).toBeUndefined();
  },
  "Place one kind of several namespaces": () =>
    eventually(async () =>
      expect(await onMember("shanghai-1", "ConfigMap", "shop-settings", "currencies")).toBeDefined(),
    ),
  "Say what a custom kind needs": (namespace) =>
    eventually(async () => {
      for (const cluster of ["shanghai-1", "singapore-1"])
        expect(await onMember(cluster, "Secret", namespace, "my-db-secret")).toBeDefined();
    }),
  "Say what healthy means": async (namespace) => {
    await untilDatabase(namespace, { "singapore-1": "Unknown" });
    await operatorSays("singapore-1", namespace, { readyNodes: 3 });
    await untilDatabase(namespace, { "singapore-1": "Available" });
    await operatorSays("singapore-1", namespace, { error: "no quorum" });
    await untilDatabase(namespace, { "singapore-1": "Failed" });
  },
  "Sum the members' statuses up on the hub": async (namespace) => {
    await operatorSays("shanghai-1", namespace, { readyNodes: 3 });
    await operatorSays("singapore-1", namespace, { readyNodes: 2 });
    await eventually(async () => {
      const { status } = await fleet.hub.get<MysqlCluster>(objectPath("MysqlCluster", namespace, "my-db"));
      expect(status?.readyNodes).toBe(5);
    });
  },
  "Set or divide the replicas of any kind": (namespace) =>
    eventually(async () => {
      const replicas = async (cluster: string) =>
        (await onMember<MysqlCluster>(cluster, "MysqlCluster", namespace, "my-db"))?.spec.replicas;
      expect([await replicas("shanghai-1"), await replicas("singapore-1")]).toEqual([5, 3]);
    }),
  "Send what must not run on the hub": async (namespace) => {
    await eventually(async () => {
      for (const cluster of ["shanghai-1", "singapore-1"])
        expect(await onMember(cluster, "Deployment", namespace, "mysql-operator")).toBeDefined();
    });
    expect(await fleet.hub.find(objectPath("Deployment", namespace, "mysql-operator"))).toBeUndefined();
  },
  // The first stage soaks for longer than the test takes.
  "Roll changes out in stages": shopOn({ "singapore-1": 6 }),
  "Ask Prometheus before a stage is done": shopOn({ "singapore-1": 6 }),
  "Take over what runs already": async (namespace) => {
    await shopOn({ "singapore-1": 6 })(namespace);
    const there = await onMember<Deployment>("singapore-1", "Deployment", namespace);
    expect(there?.metadata.labels).toMatchObject({ "made-by": "somebody-else" });
  },
  "Freeze an object": async (namespace) => {
    await eventually(async () => {
      const { status } = await fleet.application(namespace, "shop");
      expect(status?.conditions?.find(({ type }) => type === "Progressing")).toMatchObject({ reason: "Suspended" });
      expect(status?.clusters ?? []).toEqual([]);
    });
    await fleet.hub.patch(objectPath("Placement", namespace, "shop"), "merge", { spec: { suspend: false } });
  },
  "Leave it running after its deletion": async (namespace) => {
    await shopOn({ "singapore-1": 6 })(namespace);
    await fleet.remove(shop(namespace));
    const left = await onMember<Deployment>("singapore-1", "Deployment", namespace);
    expect(left?.spec.replicas).toBe(6);
    expect(JSON.stringify(left?.metadata.labels ?? {})).not.toContain("federation.paas.cmft.com");
  },
  "Protect an object from deletion": async (namespace) => {
    const path = objectPath("DemoApplication", namespace, "shop");
    await expect(fleet.hub.delete(path)).rejects.toThrow(/protects DemoApplication shop from deletion/);
    const label = "paas.cmft.com/deletion-protection";
    await fleet.hub.patch(path, "merge", { metadata: { labels: { [label]: null } } });
  },
  "Allow a namespace more replicas": async () => {
    const many = shop("big-shop", 500);
    await eventually(() => fleet.apply(many));
    await expect(fleet.apply(shop("default", 500))).rejects.toThrow(/500 is not within 1 to 100/);
    await fleet.remove(many);
  },
};

const sections = sectionsOf(read("placements/README.md"));
const examples = sections.filter(
  ({ title, text }) => ![FIRST, DATABASE].includes(title) && fencedBlocks(text, "yaml").length > 0,
);

function objectsOf({ text }: Pick<Section, "text">, namespace: string): KubeObject[] {
  return fencedBlocks(text, "yaml")
    .flatMap((block) => parseAllDocuments(block).map((document) => document.toJS() as KubeObject))
    .map((object) =>
      NAMESPACED.includes(object.kind) ? { ...object, metadata: { namespace, ...object.metadata } } : object,
    );
}

function objectsUnder(title: string, namespace: string): KubeObject[] {
  return objectsOf(sections.find((section) => section.title === title) ?? { text: "" }, namespace);
}

/** The application of the examples, as the page has it. */
function shop(namespace: string, replica?: number): KubeObject {
  const [object] = objectsUnder(FIRST, namespace);
  if (object === undefined) throw new Error("the page has lost the application of its examples");
  return replica === undefined ? object : { ...object, spec: { ...(object["spec"] as object), replica } };
}

beforeAll(async () => {
  fleet = await ExampleFleet.start([
    { name: "shanghai-1", region: "cn-shanghai", provider: "aliyun" },
    { name: "shanghai-2", region: "cn-shanghai", provider: "aliyun" },
    { name: "singapore-1", region: "ap-southeast-1", provider: "aws" },
    { name: "frankfurt-1", region: "eu-central-1", provider: "aws", taint: "maintenance=true:NoSchedule" },
  ]);
  await fleet.apply(MYSQL_CRD as KubeObject);
  const path = pathOf(MYSQL_CRD);
  const members = ["shanghai-1", "shanghai-2", "singapore-1", "frankfurt-1"];
  await Promise.all(members.map((name) => fleet.member(name).apply(path, MYSQL_CRD as KubeObject, "kubectl")));
}, 60_000);
afterAll(() => fleet?.[Symbol.asyncDispose](), 60_000);

test("every example of the page is tried", () => {
  expect(examples.map(({ title }) => title)).toEqual(Object.keys(CHECKS));
});

const tried = examples.map(({ title, text }, index) => ({
  title,
  namespace: `example-${index}`,
  objects: objectsOf({ text }, `example-${index}`),
}));
const isClusterScoped = ({ kind }: KubeObject): boolean => !NAMESPACED.includes(kind) && kind !== "Namespace";

describe.concurrent("an example for a namespace does what the page says", () => {
  test.each(tried.filter(({ objects }) => !objects.some(isClusterScoped)))("$title", tryExample);
});

/** One after the other, since each reaches the applications of all. */
describe("an example for the whole hub does what the page says", () => {
  test.each(tried.filter(({ objects }) => objects.some(isClusterScoped)))("$title", tryExample);
});

test("the database of the guide comes to its regions with its Secret", async () => {
  const namespace = "default";
  const objects = objectsOf({ text: `\`\`\`yaml\n${read("placements/examples/mysql.yaml")}\`\`\`\n` }, namespace);
  for (const object of objects) await fleet.apply(object);
  await eventually(async () => {
    for (const [cluster, replicas] of [["shanghai-1", 5] as const, ["singapore-1", 2] as const]) {
      const database = await onMember<MysqlCluster>(cluster, "MysqlCluster", namespace, "my-db");
      expect(database?.spec.replicas).toBe(replicas);
      expect(await onMember(cluster, "Secret", namespace, "my-db-secret")).toBeDefined();
    }
  });
});

/** That they do what they say, test/integration/federation/exampleFiles.test.ts shows. */
test.each(["rollout.yaml", "failover.yaml"])("the file %s is admitted as it stands", async (file) => {
  for (const document of parseAllDocuments(read(`placements/examples/${file}`))) {
    const object = document.toJS() as KubeObject;
    await fleet.hub.create(`${collectionPath(object.kind, object.metadata.namespace)}?dryRun=All`, object);
  }
});

async function tryExample({ title, namespace, objects }: (typeof tried)[number]): Promise<void> {
  await fleet.namespace(namespace);
  const isPlaced = objects.some(({ kind }) => kind.endsWith("Placement") || kind === "MemberCluster");
  if (!isPlaced) for (const object of objectsUnder(DEFAULT_PLACEMENT, namespace)) await fleet.apply(object);
  if (title === "Take over what runs already") await makeForeignDeployment(namespace);
  const isAboutDatabase = JSON.stringify(objects).includes("MysqlCluster");
  if (isAboutDatabase) for (const object of objectsUnder(DATABASE, namespace)) await fleet.apply(object);
  const applications = objects.filter(({ kind }) => kind === "DemoApplication");
  try {
    for (const object of objects) await fleet.apply(object);
    if (applications.length === 0) await fleet.apply(shop(namespace));
    for (const policy of objects.filter(({ kind }) => POLICIES.includes(kind))) {
      const { suspend } = policy["spec"] as { suspend?: boolean };
      // The clusters of the test have no zones.
      const isMet = title !== "Spread over regions and zones";
      await fleet.untilReady(policy, suspend === true ? "Suspended" : isMet ? "Applied" : "PartlyEnforced");
    }
    await CHECKS[title]?.(namespace);
    for (const object of [shop(namespace), ...applications]) await fleet.remove(object);
  } finally {
    for (const object of objects.filter(isClusterScoped)) await fleet.remove(object);
  }
}

/** What an operator would write into the status of the database there. */
async function operatorSays(cluster: string, namespace: string, status: object): Promise<void> {
  const path = objectPath("MysqlCluster", namespace, "my-db");
  await eventually(() => fleet.member(cluster).patch(`${path}/status`, "merge", { status }));
}

async function untilDatabase(namespace: string, states: Readonly<Record<string, string>>): Promise<void> {
  await eventually(
    async () => {
      const binding = await fleet.hub.get<ResourceBinding>(objectPath("ResourceBinding", namespace, MYSQL_BINDING));
      const seen = (binding.status?.clusters ?? []).map(({ name, state }) => [name, state]);
      expect(Object.fromEntries(seen)).toEqual(states);
    },
    { message: `the database of ${namespace}` },
  );
}

/** Somebody else's, of the same name. */
async function makeForeignDeployment(name: string): Promise<void> {
  const singapore = fleet.member("singapore-1");
  await singapore.create(collectionPath("Namespace"), { apiVersion: "v1", kind: "Namespace", metadata: { name } });
  await singapore.create(collectionPath("Deployment", name), foreignDeployment(name, "shop"));
}

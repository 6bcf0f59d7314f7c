import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";
import { clusterPlacement } from "../builders/index.ts";
import { eventually, meridian, meridianOk, REPOSITORY } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { ENDPOINT_CONTROLLERS, expectNoTraces, uninstall } from "./installation.ts";
import { FinalizingOperator, MYSQL_CRDS } from "./mysqlOperator.ts";
import { collectionPath, objectPath, pathOf } from "./objects.ts";
import { renderedOperator } from "./operatorChart.ts";

/** An operator comes by the README's guide, with several definitions, and leaves again in each of the ways that there are. Tests build on each other. */

const SHANGHAI = "shanghai-1";
const GROUP = "mysql.presslabs.org";
const OPERATOR = objectPath("Deployment", "default", "mysql-operator");
const DATABASE = objectPath("MysqlCluster", "default", "my-db");
const BACKUPS = `/apis/${GROUP}/v1alpha1/namespaces/default/mysqlbackups`;
const POLICIES = join(REPOSITORY, "placements/examples/mysql.yaml");

const federation = useFederation({
  hub: { kubelet: false },
  members: [{ name: SHANGHAI, region: "cn-shanghai", moreControllers: ENDPOINT_CONTROLLERS }],
  unjoined: [SHANGHAI],
});
let operator: FinalizingOperator;
let chart: string;

beforeAll(async () => {
  operator = new FinalizingOperator(federation.memberApi(SHANGHAI), OPERATOR);
  chart = join(federation.fleet.dir, "mysql-operator");
  await mkdir(join(chart, "crds"), { recursive: true });
  // As charts have them: a file for each, without a separator of documents.
  for (const crd of MYSQL_CRDS) await writeFile(join(chart, "crds", `${crd.metadata.name}.yaml`), stringify(crd));
  await writeFile(join(chart, "rendered.yaml"), renderedOperator("default", MYSQL_CRDS));
});
afterAll(async () => {
  await operator?.[Symbol.asyncDispose]();
});

const member = () => federation.memberApi(SHANGHAI);
const definitions = async (): Promise<string[]> =>
  (await member().list(collectionPath("CustomResourceDefinition"))).flatMap(({ metadata: { name } }) =>
    name.endsWith(GROUP) ? [name] : [],
  );

/** Refused while the namespace of an account of before is still going. */
async function joinWith(...kinds: string[]): Promise<void> {
  const { plane, region } = federation.member(SHANGHAI);
  const joining = ["join", SHANGHAI, "--member-kubeconfig", plane.kubeconfigFile, "--region", region];
  await meridianOk(federation.hub, [...joining, "--kinds", kinds.join()]);
}

/** The guide's commands, from the definitions on the hub to the database on the member. */
async function follow(): Promise<void> {
  await federation.kubectl(["apply", "--server-side", "-f", join(chart, "crds")]);
  const names = await federation.kubectl(["get", "-f", join(chart, "crds"), "-o", "name"]);
  const kinds = names
    .trim()
    .split("\n")
    .map((line) => line.slice(line.indexOf("/") + 1));
  await eventually(
    () => joinWith(...kinds, "CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding"),
    { timeout: 60_000 },
  );
  const prefix = "federation.paas.cmft.com";
  await federation.kubectl([
    "annotate",
    "--overwrite",
    "namespace",
    "default",
    `${prefix}/allowed-bundle-kinds=CustomResourceDefinition,ClusterRole,ClusterRoleBinding`,
    `${prefix}/allowed-service-accounts=mysql-operator`,
  ]);
  await meridianOk(federation.hub, [
    "bundle",
    "create",
    "mysql-operator",
    "-f",
    join(chart, "rendered.yaml"),
    "--apply",
  ]);
  await federation.kubectl(["apply", "-f", POLICIES]);
  await eventually(
    async () => {
      expect(await definitions()).toHaveLength(MYSQL_CRDS.length);
      expect((await member().find(DATABASE))?.metadata.finalizers).toHaveLength(1);
      expect(await member().find(OPERATOR)).toBeDefined();
    },
    { timeout: 90_000, message: "the operator and its database" },
  );
}

/** Nothing of the operator is on the member any more, and the operator had time to clean up. */
async function expectGone(): Promise<void> {
  await eventually(async () => {
    expect(await definitions()).toEqual([]);
    expect(await member().find(OPERATOR)).toBeUndefined();
  });
  expect([...operator.cleanedUp]).toEqual(["default/my-db"]);
  operator.cleanedUp.clear();
}

test("the guide brings the operator and its database, and its last commands take both away", async () => {
  await follow();
  await federation.kubectl(["delete", "mysqlcluster", "my-db"]);
  await federation.kubectl(["delete", "manifestbundle", "mysql-operator"]);
  await federation.kubectl(["delete", "-f", POLICIES, "--ignore-not-found"]);
  await federation.kubectl(["delete", "-f", join(chart, "crds")]);
  await expectGone();
});

/** A kind that the hub and the member define for themselves, the member in that version. */
function widgets(...versions: { name: string; served: boolean; storage: boolean }[]): KubeObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const names = { plural: "widgets", singular: "widget", kind: "Widget" };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: { group: "example.com", scope: "Namespaced", names, versions: versions.map((one) => ({ ...one, schema })) },
  };
}

test.each([{ policy: "--orphan" }, { policy: "--drain" }])(
  "unjoin $policy finds objects in the version that the member serves",
  async ({ policy }) => {
    const definition = widgets({ name: "v1", served: true, storage: true });
    const path = pathOf(definition);
    const api = member();
    await federation.apply(definition);
    await api.apply(path, definition);
    await eventually(() => joinWith("widgets.example.com"), { timeout: 60_000 });
    const widget = { apiVersion: "example.com/v1", kind: "Widget" };
    await federation.apply(clusterPlacement("widgets").selects(widget).onClusters(SHANGHAI));
    const [v1, v2] = ["v1", "v2"].map((version) => `/apis/example.com/${version}/namespaces/default/widgets/left`);
    if (v1 === undefined || v2 === undefined) throw new Error("no path");
    await federation.api.apply(v1, { ...widget, metadata: { name: "left", namespace: "default" } });
    await eventually(async () => expect(await api.find(v1)).toBeDefined(), { timeout: 60_000 });
    await api.apply(
      path,
      widgets({ name: "v1", served: false, storage: false }, { name: "v2", served: true, storage: true }),
    );
    await eventually(async () => expect(await api.find(v2)).toBeDefined());
    const { code, stdout, stderr } = await meridian(federation.hub, ["unjoin", SHANGHAI, policy, "--timeout", "60s"]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 0 });
    const left = await api.find(v2);
    if (policy === "--drain") expect(left).toBeUndefined();
    else expect(JSON.stringify(left?.metadata)).not.toContain("federation.paas.cmft.com");
    await api.delete(path);
    await federation.kubectl(["delete", "clusterplacement", "widgets"]);
  },
);

test("uninstall --drain names what will hold it, and removes the database before its operator", async () => {
  await follow();
  const nightly = { apiVersion: `${GROUP}/v1alpha1`, kind: "MysqlBackup", metadata: { name: "nightly" } };
  await member().create(BACKUPS, nightly);
  const told = await uninstall(federation.hub, ["--drain", "--dry-run"]);
  expect(told).toMatchObject({ code: 1 });
  expect(told.output).toContain(`mysqlbackups.${GROUP} stays on ${SHANGHAI} while MysqlBackup default/nightly`);
  expect(told.output).toContain(`allow-crd-removal=mysqlbackups.${GROUP}`);
  await member().delete(`${BACKUPS}/nightly`);
  expect(await uninstall(federation.hub, ["--drain", "--dry-run"])).toMatchObject({ code: 0 });
  const { code, output } = await uninstall(federation.hub, ["--drain", "--yes"], federation.manager);
  expect({ code, output }).toMatchObject({ code: 0 });
  await expectGone();
  await expectNoTraces([federation.member(SHANGHAI).plane]);
  expect((await federation.api.get(DATABASE)).metadata.finalizers).toBeUndefined();
});

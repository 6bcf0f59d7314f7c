import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DemoApplication, KINDS } from "../../src/apis/index.ts";
import { freePort, type ManagedProcess } from "../../src/cmd/realClusters/index.ts";
import {
  bundle,
  clusterOverridePolicy,
  clusterPlacement,
  demoApplication,
  overridePolicy,
  placement,
} from "../builders/index.ts";
import {
  buildMeridian,
  eventually,
  type Fleet,
  kubectl,
  LISTING_ARGUMENTS,
  meridianOk,
  startFleet,
} from "../envtest/index.ts";
import { helmOk } from "../envtest/helm.ts";
import { CHART, chartArguments, NAMESPACE, objectsIn, RELEASE, type Rendered } from "./chart.ts";
import { ManagerPods } from "./pods.ts";
import { RecordingProxy } from "./recordingProxy.ts";
import { covers, grantedRights, inWords, isForbidden, unusedRights } from "./rights.ts";

/** Granted, and not to be seen in a short test; each with what it is for. */
const SELDOM: readonly [RegExp, string][] = [
  [/^create (subjectaccessreviews|tokenreviews)\./, "callers are reviewed only where somebody asks the query API"],
  [
    /^(create|delete|get|list|patch) controllerrevisions\S*$/,
    "only of objects that are rolled out in stages: test/e2e/rollout.test.ts",
  ],
  [/^list pods$/, "pods are read only where an application does not become healthy on the hub itself"],
  [/^(list|watch) (persistentvolumeclaims|serviceaccounts)$/, "they are read only where an object refers to one"],
  [
    /^get (configmaps|priorityclasses\S+)$/,
    "an object that is gone is asked for by its name where nobody saw how it went",
  ],
  [/^delete resourcebindings\S+$/, "the hub's garbage collector may remove the binding together with its object"],
  [/^create leases\S+ in meridian-system$/, "somebody deleted the Lease"],
  [/^create secrets in meridian-system$/, "somebody deleted the Secret of the webhooks' authority"],
  [/^get secrets in meridian-system$/, "a MemberCluster that arrives before the Secret it names"],
  [/^patch secrets in meridian-system$/, "the token of a member is renewed after 80 % of its life"],
  [/^patch customresourcedefinitions\S+\/status$/, "once, when objects are still stored in a version of before"],
  [/^patch events\.events\.k8s\.io$/, "an Event that repeats for half a minute becomes a series"],
];

/** Kinds that the chart lets the manager place: one of namespaces, and one of the whole cluster. */
const PLACED = [
  { group: "", resources: ["configmaps"] },
  { group: "scheduling.k8s.io", resources: ["priorityclasses"] },
];

/** Name of the webhook configurations: the namespace begins with the name of the release already. */
const CONFIGURATION = "meridian-system";

/** Where the first replica serves the webhooks. */
let webhookPort: number;
let fleet: Fleet;
let proxy: RecordingProxy;
let pods: ManagerPods;
let manager: ManagedProcess;
let standby: ManagedProcess;
let manifest: Rendered[];

beforeAll(async () => {
  await buildMeridian();
  const members = ["frankfurt-1", "shanghai-1"].map((name) => ({ name, region: name }));
  fleet = await startFleet({ members, hub: { apiserverArgs: LISTING_ARGUMENTS } });
  webhookPort = await freePort();
  const set = ["--set", "rbac.secrets.namespaces={default}", "--set-json", `rbac.kinds=${JSON.stringify(PLACED)}`];
  const wait = ["--create-namespace", "--wait", "--timeout", "120s"];
  const install = chartArguments("install", [...wait, ...set, ...byAddress()]);
  await helmOk(["--kubeconfig", fleet.hub.kubeconfigFile, ...install]);
  const hub = ["--kubeconfig", fleet.hub.kubeconfigFile, "--namespace", NAMESPACE];
  manifest = objectsIn(await helmOk(["get", "manifest", RELEASE, ...hub]));
  proxy = await RecordingProxy.start(fleet.hub);
  await startManagers();
});

afterAll(async () => {
  await pods?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

function address(): string {
  return `https://127.0.0.1:${webhookPort}`;
}

/** There is no network of Services here: API servers are shown the way to the webhooks by an address. */
function byAddress(): string[] {
  const script = fileURLToPath(new URL("./webhooksByAddress.ts", import.meta.url));
  return ["--post-renderer", process.execPath, ...[script, address()].flatMap((one) => ["--post-renderer-args", one])];
}

/** Both replicas of the chart: the second waits for its turn. */
async function startManagers(): Promise<void> {
  pods = new ManagerPods({ hub: fleet.hub, folder: fleet.dir, server: proxy.url });
  const replaced = { "--webhook-service": `--webhook-url=${address()}` };
  manager = (await pods.start(manifest, { webhookPort, replaced })).process;
  await untilTrusted();
  standby = (await pods.start(manifest, { replaced })).process;
}

/** Everything that the API server is to trust at the webhooks is written. */
async function untilTrusted(): Promise<void> {
  await eventually(
    async () => {
      for (const { kind, metadata } of manifest.filter(({ kind }) => kind.endsWith("WebhookConfiguration"))) {
        const bundles = await kubectl(fleet.hub, [
          "get",
          kind,
          metadata.name,
          "-o",
          "jsonpath={.webhooks[*].clientConfig.caBundle}",
        ]);
        expect(bundles.length, kind).toBeGreaterThan(100);
      }
    },
    { timeout: 30_000 },
  ).catch(async (error: unknown) => {
    throw new Error(`not trusted:\n${await manager.logTail(60)}`, { cause: error });
  });
}

async function application(name: string): Promise<DemoApplication> {
  const text = await kubectl(fleet.hub, ["get", "demoapplication", name, "-o", "json"]);
  return JSON.parse(text) as DemoApplication;
}

test("with the chart's rights and no others an application is placed, changed and removed", async () => {
  for (const { name, region, plane } of fleet.members) {
    const lease = ["--namespace", NAMESPACE, "--lease-name", "meridian"];
    await meridianOk(fleet.hub, [
      "join",
      name,
      "--region",
      region,
      "--member-kubeconfig",
      plane.kubeconfigFile,
      "--kinds",
      "priorityclasses.scheduling.k8s.io",
      ...lease,
    ]);
  }
  await kubectl(fleet.hub, ["create", "configmap", "settings", "--from-literal=a=b"]);
  await kubectl(fleet.hub, ["create", "secret", "generic", "password", "--from-literal=a=b"]);
  const envFrom = [{ configMapRef: { name: "settings" } }, { secretRef: { name: "password" } }];
  const object = demoApplication("shop").replica(2).port(80).object();
  const shop = { ...object, spec: { ...object.spec, envFrom } };
  const policies = [
    clusterPlacement("everywhere").object(),
    placement("shop").of("shop").object(),
    overridePolicy("shop").onClusters(["nowhere"], { replicas: 1 }).object(),
    clusterOverridePolicy("everything").onClusters(["nowhere"], { replicas: 1 }).object(),
  ];
  const stdin = [...policies, shop].map((one) => JSON.stringify(one)).join("\n---\n");
  await kubectl(fleet.hub, ["apply", "-f", "-"], { stdin });
  const untilReady = async (replicas: number): Promise<void> =>
    eventually(
      async () => {
        const { status } = await application("shop");
        expect(status?.replicas).toMatchObject({ desired: 2 * replicas, ready: 2 * replicas });
      },
      { timeout: 60_000 },
    ).catch(async (error: unknown) => {
      throw new Error(`not ready:\n${await manager.logTail(60)}`, { cause: error });
    });
  await untilReady(2);
  await kubectl(fleet.hub, ["scale", "demoapplication", "shop", "--replicas=3"]);
  await untilReady(3);
  for (const { plane } of fleet.members) {
    expect(await kubectl(plane, ["get", "configmap/settings", "secret/password", "-o", "name"])).toContain("settings");
  }
  await kubectl(fleet.hub, ["delete", "demoapplication", "shop", "--timeout=60s"]);
  await kubectl(fleet.hub, ["delete", "clusterplacement", "everywhere", "--timeout=60s"]);
  const { kubeconfigFile } = fleet.member("shanghai-1").plane;
  const member = ["--member-kubeconfig", kubeconfigFile, "--namespace", NAMESPACE, "--lease-name", "meridian"];
  await meridianOk(fleet.hub, ["unjoin", "shanghai-1", ...member]);
});

test("with the chart's rights and no others objects of the kinds that it names, and bundles, are placed and removed", async () => {
  const config = { apiVersion: "v1", kind: "ConfigMap" };
  const priority = { apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass" };
  const workers = bundle("workers", [{ ...config, metadata: { name: "bundled" } }]);
  const objects = [
    { ...config, metadata: { name: "placed", namespace: "default" } },
    { ...priority, metadata: { name: "placed" }, value: 1 },
    workers,
  ];
  const policies = [
    clusterPlacement("placed")
      .selects({ ...priority, name: "placed" })
      .object(),
    placement("placed")
      .selects({ ...config, name: "placed" }, { apiVersion: workers.apiVersion, kind: workers.kind })
      .object(),
  ];
  const stdin = [...policies, ...objects].map((one) => JSON.stringify(one)).join("\n---\n");
  await kubectl(fleet.hub, ["create", "-f", "-"], { stdin });
  const { plane } = fleet.member("frankfurt-1");
  const copies = ["configmap/placed", "configmap/bundled", "priorityclass/placed"];
  const find = (): Promise<string> => kubectl(plane, ["get", ...copies, "--ignore-not-found", "-o", "name"]);
  const words = (text: string): string[] => text.split("\n").filter((line) => line !== "");
  await eventually(async () => expect(words(await find())).toHaveLength(copies.length), { timeout: 60_000 });
  const ready = ["wait", "--for=condition=Ready", "--timeout=60s", "--all"];
  await kubectl(fleet.hub, [...ready, "resourcebindings,clusterresourcebindings,manifestbundles"]);
  const own = ["configmap/placed", "priorityclass/placed", "manifestbundle/workers"];
  await kubectl(fleet.hub, ["delete", ...own, "--timeout=60s"]);
  expect(words(await find())).toEqual([]);
  await eventually(
    async () =>
      expect(await kubectl(fleet.hub, ["get", "resourcebindings,clusterresourcebindings", "-A", "-o", "name"])).toBe(
        "",
      ),
    { timeout: 30_000 },
  );
  await kubectl(fleet.hub, ["delete", "placement/placed", "clusterplacement/placed", "--timeout=60s"]);
});

test("the chart's webhooks are asked, and answer in both versions", async () => {
  const refused = kubectl(fleet.hub, ["create", "-f", "-"], {
    stdin: JSON.stringify(demoApplication("many").replica(101).object()),
  });
  await expect(refused).rejects.toThrow(/denied the request|request is invalid/);
  await kubectl(fleet.hub, ["create", "-f", "-"], {
    stdin: JSON.stringify(demoApplication("both").replica(1).object()),
  });
  const old = await kubectl(fleet.hub, [
    "get",
    "demoapplications.v1beta1.paas.cmft.com",
    "both",
    "-o",
    "jsonpath={.apiVersion}",
  ]);
  expect(old).toBe("paas.cmft.com/v1beta1");
  const made = await application("both");
  expect(made.metadata.finalizers?.length).toBe(1);
  await kubectl(fleet.hub, ["delete", "demoapplication", "both", "--timeout=60s"]);
});

test("an upgrade and a rollback leave alone 100 objects and everything that the manager wrote", async () => {
  const names = Array.from({ length: 100 }, (_, index) => `app-${index}`);
  const objects = [
    clusterPlacement("everywhere").object(),
    ...names.map((name) => demoApplication(name).replica(1).object()),
  ];
  const stdin = objects.map((object) => JSON.stringify(object)).join("\n---\n");
  await kubectl(fleet.hub, ["create", "-f", "-"], { stdin });
  const look = (what: string[]): Promise<string> => kubectl(fleet.hub, ["get", ...what]);
  const apps =
    "{range .items[*]}{.metadata.name} {.metadata.uid} {.metadata.generation} {.status.replicas.ready}{'\\n'}{end}";
  const settled = async (): Promise<string> => {
    const seen = await look(["demoapplications", "-o", `jsonpath=${apps}`]);
    expect(
      seen
        .trim()
        .split("\n")
        .filter((line) => line.endsWith(" 1")),
    ).toHaveLength(100);
    return seen;
  };
  const before = await eventually(settled, { timeout: 120_000, interval: 500 });
  const written = async (): Promise<string[]> =>
    Promise.all([
      look(["secret", "--namespace", NAMESPACE, `${CONFIGURATION}-webhooks`, "-o", "jsonpath={.data}"]),
      look(["lease", "--namespace", NAMESPACE, "meridian", "-o", "jsonpath={.spec.holderIdentity}"]),
      ...["mutating", "validating"].map((kind) =>
        look([`${kind}webhookconfiguration`, CONFIGURATION, "-o", "jsonpath={.webhooks[*].clientConfig.caBundle}"]),
      ),
      look([
        "crd",
        "demoapplications.paas.cmft.com",
        "-o",
        "jsonpath={.spec.conversion.webhook.clientConfig.caBundle}",
      ]),
      look(["deployments", "--all-namespaces", "-l", "app.kubernetes.io/instance=meridian", "-o", "name"]),
    ]);
  const kept = await written();
  for (const text of kept) expect(text).not.toBe("");

  const hub = ["--kubeconfig", fleet.hub.kubeconfigFile, "--namespace", NAMESPACE];
  const upgrade = [
    "upgrade",
    RELEASE,
    CHART,
    "--reuse-values",
    "--set",
    "logLevel=debug,replicas=3",
    ...byAddress(),
    ...hub,
  ];
  await helmOk([...upgrade, "--wait", "--timeout", "120s"]);
  expect(await look(["deployment", "meridian", "--namespace", NAMESPACE, "-o", "jsonpath={.spec.replicas}"])).toBe("3");
  expect(await written()).toEqual(kept);
  expect(await settled()).toBe(before);

  await helmOk(["rollback", RELEASE, "1", "--wait", "--timeout", "120s", ...hub]);
  expect(await look(["deployment", "meridian", "--namespace", NAMESPACE, "-o", "jsonpath={.spec.replicas}"])).toBe("2");
  expect(await written()).toEqual(kept);
  expect(await settled()).toBe(before);
  await kubectl(fleet.hub, ["delete", "demoapplications", "--all", "--timeout=100s"]);
  await kubectl(fleet.hub, ["delete", "clusterplacement", "everywhere", "--timeout=60s"]);
});

test("nothing that the manager asked for was forbidden", async () => {
  await eventually(
    () => expect(proxy.used().filter(({ resource }) => resource === "events").length).toBeGreaterThan(0),
    { timeout: 20_000 },
  );
  const refused = proxy.used().filter(({ status }) => isForbidden(status));
  expect(refused.map(inWords)).toEqual([]);
});

test("every right that is granted is used, but for those of which it is said why", () => {
  const account = { namespace: NAMESPACE, name: "meridian" };
  const granted = grantedRights(manifest, account);
  const unused = unusedRights(granted, proxy.used());
  expect(unused.filter((right) => !SELDOM.some(([seldom]) => seldom.test(right)))).toEqual([]);
  // What the API server allows everybody is not counted: everything else that was asked for is in the chart's rules.
  const unexplained = proxy.used().filter((used) => !granted.some((right) => covers(right, used)));
  expect(unexplained.map(inWords)).toEqual([]);
});

describe("helm uninstall", () => {
  const labelled = ["-l", "app.kubernetes.io/instance=meridian", "-o", "name"];
  const everywhere = [
    "clusterroles,clusterrolebindings,priorityclasses,mutatingwebhookconfigurations,validatingwebhookconfigurations",
    "deployments,services,serviceaccounts,roles,rolebindings,leases,configmaps,secrets,poddisruptionbudgets,networkpolicies",
  ];
  const hub = (): string[] => ["--kubeconfig", fleet.hub.kubeconfigFile, "--namespace", NAMESPACE];
  const crds = async (): Promise<string[]> =>
    (await kubectl(fleet.hub, ["get", "crds", "-o", "name"])).split("\n").filter((name) => name !== "");

  async function uninstall(): Promise<void> {
    await helmOk(["uninstall", RELEASE, "--wait", "--timeout", "60s", ...hub()]);
    for (const kinds of everywhere) {
      expect(await kubectl(fleet.hub, ["get", kinds, "--all-namespaces", ...labelled])).toBe("");
    }
    // Also what carries no label of the chart.
    expect(await kubectl(fleet.hub, ["get", "leases,secrets", "--namespace", NAMESPACE, "-o", "name"])).toBe("");
  }

  test("takes everything away but the CRDs and their objects, which were to be kept", async () => {
    const { kubeconfigFile } = fleet.member("frankfurt-1").plane;
    const member = ["--member-kubeconfig", kubeconfigFile, "--namespace", NAMESPACE, "--lease-name", "meridian"];
    await meridianOk(fleet.hub, ["unjoin", "frankfurt-1", ...member]);
    await kubectl(fleet.hub, ["create", "-f", "-"], { stdin: JSON.stringify(placement("kept").object()) });
    await Promise.all([manager.stop(20_000), standby.stop(20_000)]);
    await uninstall();
    expect(await crds()).toHaveLength(KINDS.length);
    expect(await kubectl(fleet.hub, ["get", "placements", "-o", "name"])).toContain("kept");
  });

  test("takes the CRDs as well when they were not to be kept, also those of a release before", async () => {
    const set = ["--set", "crds.keep=false", "--wait", "--timeout", "120s"];
    await helmOk(["--kubeconfig", fleet.hub.kubeconfigFile, ...chartArguments("install", set), ...byAddress()]);
    expect(await crds()).toHaveLength(KINDS.length);
    await uninstall();
    await eventually(async () => expect(await crds()).toEqual([]), { timeout: 30_000 });
  });
});

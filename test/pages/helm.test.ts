import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { objectsIn } from "../chart/chart.ts";
import { ManagerPods } from "../chart/pods.ts";
import { SERVICE_ARGUMENTS, ServicePort, whyNoServices } from "../chart/serviceNetwork.ts";
import { eventually, type Fleet, REPOSITORY, startFleet } from "../envtest/index.ts";
import { exampleOf } from "./examples.ts";
import { commandsIn, Reader } from "./reader.ts";

/**
 * What the pages let somebody do who installs Meridian with Helm. No kubelet runs the chart's pods here, and there is no network of Services: the
 * managers are processes with the arguments and the account of the chart. Tests build on each other.
 */

const README = "README.md";
const RUNNING = "charts/meridian/README.md";
const SYSTEM = "meridian-system";
/** The engine that builds images is a stand-in, and so is the registry. */
const BUILDAH = `test "$1" = version || echo "$1" >>"$HOME/asked"`;

const why = await whyNoServices();
if (why !== undefined) process.stderr.write(`a release with its Services is not tried here: ${why}\n`);

let fleet: Fleet;
let reader: Reader;
let auditLog: string;
let audit: AsyncDisposable | undefined;
const running = new Map<string, { pods: ManagerPods; webhooks: ServicePort }>();

/** The flags of the page, with a folder that may be written. */
function auditFlags(): string[] {
  const [command] = commandsIn(RUNNING, "What is read back").map(({ text }) => text.split(" "));
  const place: Record<string, string> = {
    "audit-policy.yaml": join(REPOSITORY, "charts/meridian/files/audit-policy.yaml"),
    "/var/log/kubernetes/audit.log": auditLog,
  };
  return (command ?? [])
    .slice(1)
    .map((flag) => flag.replace(/=(.*)$/, (_, value: string) => `=${place[value] ?? value}`));
}

/** One manager of a release, as the kubelet would run it. */
async function startManager(release: string, namespace: string): Promise<void> {
  const { stdout } = await reader.does(`helm get manifest ${release} --namespace ${namespace}`);
  const service = `kubectl get service ${release}-webhook --namespace ${namespace} -o jsonpath={.spec.clusterIP}`;
  const webhooks = await ServicePort.listen((await reader.does(service)).stdout, 443);
  const pods = new ManagerPods({
    hub: fleet.hub,
    folder: fleet.dir,
    service: webhooks,
    release,
    namespace,
    endpointLagMs: 0,
  });
  running.set(release, { pods, webhooks });
  await pods.start(objectsIn(stdout));
}

async function stopManager(release: string): Promise<void> {
  const { pods, webhooks } = running.get(release) ?? {};
  running.delete(release);
  await pods?.[Symbol.asyncDispose]();
  await webhooks?.[Symbol.asyncDispose]();
}

/** What the pages take to be there: a member, and an application that runs on it. */
async function joinAndApply(): Promise<void> {
  await reader.does(
    "npm run -s meridian -- join shanghai-1 --member-kubeconfig shanghai.kubeconfig --region cn-shanghai",
  );
  await eventually(() => reader.does("kubectl apply -f shop.yaml"));
  await reader.does("kubectl wait --for=condition=Ready --timeout=60s demoapplication/shop");
}

describe.skipIf(why !== undefined)("with Helm", () => {
  beforeAll(async () => {
    const folder = await temporaryFolder("meridian-pages-audit-");
    audit = folder;
    auditLog = join(folder.path, "audit.log");
    fleet = await startFleet({
      hub: { apiserverArgs: [...SERVICE_ARGUMENTS, ...auditFlags()] },
      members: [{ name: "shanghai", region: "cn-shanghai" }],
    });
    reader = await Reader.arrive("helm", {}, { buildah: BUILDAH });
    await reader.has("hub.kubeconfig", fleet.hub.kubeconfig);
    await reader.has("shanghai.kubeconfig", fleet.member("shanghai").plane.kubeconfig);
    await reader.has(
      "shop.yaml",
      ["The application of the examples", "Run in some regions"].map(exampleOf).join("---\n"),
    );
    await reader.does("export KUBECONFIG=hub.kubeconfig");
  });
  afterAll(async () => {
    for (const release of [...running.keys()]) await stopManager(release);
    await reader?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
    await audit?.[Symbol.asyncDispose]();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return;
    for (const { pods } of running.values()) process.stderr.write(`${await pods.logTail(12)}\n`);
  });

  test("the README installs a release, and an application runs", async () => {
    await reader.follow(README, "Helm");
    expect((await reader.does("cat ~/asked")).stdout).toBe("build\npush\n");
    await startManager("meridian", SYSTEM);
    await joinAndApply();
  });

  test("rights are added, the namespace is restricted, and an upgrade goes back and forth", async () => {
    await reader.does("kubectl create namespace shop");
    await reader.follow(RUNNING, "Rights on the hub");
    await reader.follow(RUNNING, "Security");
    await reader.follow(RUNNING, "Upgrade and rollback");
    await reader.does("kubectl wait --for=condition=Ready --timeout=60s demoapplication/shop");
  });

  test("the API server records who changed what, as the policy says", async () => {
    const lines = (await readFile(auditLog, "utf8")).split("\n");
    expect(lines.some((line) => /"verb":"create".*"resource":"placements"/.test(line))).toBe(true);
  });

  test("everything leaves: the objects first, then the release", async () => {
    await reader.followSentence(RUNNING, "Running Meridian", "alias meridian='npm run -s meridian --'");
    await reader.follow(RUNNING, "Leaving", [[/^meridian uninstall/, { answer: "--yes" }]]);
    await stopManager("meridian");
    const shanghai = "kubectl --kubeconfig shanghai.kubeconfig";
    expect((await reader.does(`${shanghai} get deployments -o name`)).stdout).toBe("");
    await reader.does(`${shanghai} wait --for=delete namespace/meridian-system --timeout=60s`);
  });

  test("a next release takes over from the present one", async () => {
    await reader.follow(RUNNING, "Install with Helm");
    await startManager("meridian", SYSTEM);
    await joinAndApply();
    const carriedBy = (release: string) => async () => {
      await eventually(async () => {
        const { stdout } = await reader.does("kubectl get demoapplication shop -o jsonpath={.status.controllerClass}");
        expect(stdout).toBe(release);
      });
    };
    await reader.follow(RUNNING, "Upgrade with two releases", [
      [/helm install/, { afterwards: () => startManager("meridian-v2", "meridian-v2") }],
      [/label demoapplication shop .*=v2/, { afterwards: carriedBy("v2") }],
      [/custom-columns/, { afterwards: ({ stdout }) => expect(stdout).toMatch(/^NAME +CLASS\nshop +v2/) }],
      [/controller-class-/, { afterwards: carriedBy("") }],
      [/helm uninstall/, { afterwards: () => stopManager("meridian") }],
      [/adoptedClasses/, {}],
    ]);
  });

  test("nothing that was to be followed was left out", () => expect(reader.unvisited()).toEqual([]));
});

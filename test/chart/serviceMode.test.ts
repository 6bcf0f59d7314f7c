import { once } from "node:events";
import { connect } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { DemoApplication, KubeObject } from "../../src/apis/index.ts";
import { placement } from "../builders/index.ts";
import { buildMeridian, eventually, type Fleet, kubectl, meridianOk, run, startFleet } from "../envtest/index.ts";
import { helm, helmOk } from "../envtest/helm.ts";
import { ApplicationLoad, LOADED_SPEC } from "../e2e/webhookLoad.ts";
import { CHART, chartArguments, NAMESPACE, objectsIn, type PodSpec, RELEASE, type Rendered } from "./chart.ts";
import { ManagerPods, type Pod } from "./pods.ts";
import { SERVICE_ARGUMENTS, ServicePort, whyNoServices } from "./serviceNetwork.ts";

/** A release as people have it: its webhooks reached by their Service with two replicas behind it, its notes, its test. */
const why = await whyNoServices();
if (why !== undefined) process.stderr.write(`a release with its Services is not tried here: ${why}\n`);

describe.skipIf(why !== undefined)("a release with two replicas", () => {
  let fleet: Fleet;
  let service: ServicePort;
  let pods: ManagerPods;
  let manifest: Rendered[];

  beforeAll(async () => {
    await buildMeridian();
    const members = [{ name: "eu-central-1", region: "eu-central-1" }];
    fleet = await startFleet({ members, hub: { apiserverArgs: SERVICE_ARGUMENTS } });
    const wait = ["--create-namespace", "--wait", "--timeout", "120s"];
    await helmOk([...hub(), ...chartArguments("install", wait)]);
    manifest = objectsIn(await helmOk(["get", "manifest", RELEASE, "-n", NAMESPACE, ...hub()]));
    service = await ServicePort.listen(await addressOf("meridian-webhook"), 443);
    pods = new ManagerPods({ hub: fleet.hub, folder: fleet.dir, service });
    await Promise.all([pods.start(manifest), pods.start(manifest)]);
  });
  afterAll(async () => {
    await pods?.[Symbol.asyncDispose]();
    await service?.[Symbol.asyncDispose]();
    await fleet?.[Symbol.asyncDispose]();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === "fail") process.stderr.write(await pods.logTail());
  });

  function hub(): string[] {
    return ["--kubeconfig", fleet.hub.kubeconfigFile];
  }

  function addressOf(name: string): Promise<string> {
    return kubectl(fleet.hub, ["get", "service", name, "-n", NAMESPACE, "-o", "jsonpath={.spec.clusterIP}"]);
  }

  const application = (name: string, version: string): KubeObject => ({
    apiVersion: `paas.cmft.com/${version}`,
    kind: "DemoApplication",
    metadata: { name, namespace: "default" },
    spec: { image: "nginx:1.27", replica: 1 },
  });

  async function create(object: object, ...more: string[]): Promise<string> {
    return kubectl(fleet.hub, ["create", "-f", "-", "-o", "json", ...more], { stdin: JSON.stringify(object) });
  }

  async function leader(): Promise<string> {
    const lease = ["get", "lease", "meridian", "-n", NAMESPACE, "-o", "jsonpath={.spec.holderIdentity}"];
    return kubectl(fleet.hub, lease);
  }

  /** How often a replica was called, and answered. */
  async function callsOf(pod: Pod): Promise<number> {
    const text = await (await fetch(`${pod.metricsUrl}/metrics`)).text();
    const samples = text.matchAll(/^controller_runtime_webhook_requests_total\{[^}]*code="200"[^}]*\} (\d+)$/gm);
    return [...samples].reduce((sum, [, value]) => sum + Number(value), 0);
  }

  test("the webhooks convert, complete and refuse, by the Service's own name", async () => {
    await eventually(async () => {
      const made = JSON.parse(await create(application("old", "v1beta1"), "--dry-run=server")) as KubeObject;
      expect(made.metadata.finalizers).toHaveLength(1);
    });
    const nothing = placement("nothing").object();
    const selective = { ...nothing, spec: { ...(nothing["spec"] as object), resourceSelectors: [] } };
    await eventually(() => expect(create(selective, "--dry-run=server")).rejects.toThrow(/denied the request|invalid/));
    for (const kind of ["mutating", "validating"]) {
      const services = ["-o", "jsonpath={.webhooks[*].clientConfig.service.name}"];
      const said = await kubectl(fleet.hub, ["get", `${kind}webhookconfiguration`, "meridian-system", ...services]);
      expect(new Set(said.split(" "))).toEqual(new Set(["meridian-webhook"]));
    }
  });

  test("both replicas show the same certificate, for the Service's name", async () => {
    const shown = await Promise.all(
      pods.pods.map(async ({ webhookPort }) => {
        const socket = connect({ host: "127.0.0.1", port: webhookPort, rejectUnauthorized: false });
        await once(socket, "secureConnect");
        const certificate = socket.getPeerX509Certificate();
        socket.destroy();
        return certificate;
      }),
    );
    expect(shown.map((one) => one?.checkHost(`meridian-webhook.${NAMESPACE}.svc`))).toEqual(
      shown.map(() => `meridian-webhook.${NAMESPACE}.svc`),
    );
    expect(new Set(shown.map((one) => one?.fingerprint256)).size).toBe(1);
  });

  test("the commands of NOTES work as they stand there", async () => {
    const notes = await helmOk(["get", "notes", RELEASE, "-n", NAMESPACE, ...hub()]);
    const commands = [...notes.matchAll(/^ {2}\d\. .*\n {5}(\S.*)$/gm)].map(([, command = ""]) => command);
    expect(commands.map((command) => command.split(" ")[0])).toEqual(["kubectl", "meridian", "kubectl", "meridian"]);
    for (const command of commands) {
      const file = fleet.member("eu-central-1").plane.kubeconfigFile;
      const [program = "", ...args] = command.split(" ").map((word) => (word === "FILE" ? file : word));
      if (program === "kubectl") await kubectl(fleet.hub, args);
      else await meridianOk(fleet.hub, args);
    }
    const member = ["get", "membercluster", "eu-central-1"];
    await kubectl(fleet.hub, ["wait", "--for=condition=Ready", "--timeout=60s", ...member.slice(1)]);
  });

  describe("helm test", () => {
    /** Runs the test of the release while a pod of it is run here as a kubelet would; what helm said. */
    async function helmTest(): Promise<{ code: number; pod: string }> {
      const tested = helm(["test", RELEASE, "-n", NAMESPACE, "--timeout", "60s", ...hub()]);
      const path = `/api/v1/namespaces/${NAMESPACE}/pods/meridian-test`;
      const pod = await eventually(async () => {
        const found = await fleet.hub.api.get<KubeObject & { spec: PodSpec; status: { phase: string } }>(path);
        expect(found.status.phase).toBe("Running");
        return found;
      });
      const [container] = pod.spec.containers;
      const [node = "", ...command] = [...(container?.command ?? []), ...(container?.args ?? [])];
      expect(node).toBe("/nodejs/bin/node");
      // What the cluster's DNS would say.
      const address = await addressOf("meridian-metrics");
      const url = container?.env?.[0]?.value?.replace(`meridian-metrics.${NAMESPACE}.svc`, address);
      const result = await run(process.execPath, command, { env: { MERIDIAN_URL: url } });
      const phase = result.code === 0 ? "Succeeded" : "Failed";
      await fleet.hub.api.patch(`${path}/status`, "merge", { status: { phase } });
      const { code } = await tested;
      return { code, pod: result.stdout + result.stderr };
    }

    test("passes while managers are ready, and fails while none can be reached", async () => {
      const metrics = await ServicePort.listen(await addressOf("meridian-metrics"), 8383);
      try {
        expect((await helmTest()).code).not.toBe(0);
        for (const { name, metricsUrl } of pods.pods) metrics.add(name, Number(new URL(metricsUrl).port));
        expect(await helmTest()).toMatchObject({
          code: 0,
          pod: expect.stringContaining("/readyz answers 200") as string,
        });
      } finally {
        await metrics[Symbol.asyncDispose]();
      }
    });
  });

  test.each([
    { set: "replica=3", says: "additional properties 'replica' not allowed" },
    { set: "webhooks.port=https", says: "got string, want integer" },
    { set: "serviceAccount.create=false", says: "needs serviceAccount.name" },
  ])("helm install refuses $set before it makes anything", async ({ set, says }) => {
    const args = ["install", "other", CHART, "-n", "other", "--create-namespace", "--set", set];
    const { code, stderr } = await helm([...args, ...hub()]);
    expect(code).not.toBe(0);
    expect(stderr).toContain(says);
    await expect(kubectl(fleet.hub, ["get", "namespace", "other"])).rejects.toThrow("not found");
  });

  test("nothing is refused and nothing lost while the leader changes and every replica is replaced", async () => {
    await using load = new ApplicationLoad(fleet.hub, "default", LOADED_SPEC);
    await load.untilDone(30);
    for (const pod of pods.pods) expect(await callsOf(pod), pod.name).toBeGreaterThan(0);
    const before = await leader();
    // Policies are refused when nobody answers; so is the deletion of applications.
    const refused: unknown[] = [];
    const policies = async (): Promise<void> => {
      for (let round = 0; !replaced; round++) {
        const object = placement(`policy-${round}`).object();
        await create(object).catch((error: unknown) => refused.push(error));
        const remove = ["delete", "placement", object.metadata.name, "--wait=false"];
        await kubectl(fleet.hub, remove).catch((error: unknown) => refused.push(error));
      }
    };
    let replaced = false;
    const writing = policies();
    // Those that lead last, so that leadership moves as often as it can.
    const oldest = pods.pods.map(({ name }) => name);
    await pods.rollOut(manifest);
    expect(pods.pods.map(({ name }) => name)).not.toEqual(expect.arrayContaining(oldest));
    await eventually(async () => expect(pods.pods.map(({ name }) => name)).toContain(await leader()), {
      timeout: 30_000,
    });
    expect(await leader()).not.toBe(before);
    await load.untilDone(load.done + 20);
    replaced = true;
    await writing;
    expect(refused).toEqual([]);
    const rounds = load.done;
    expect(await load.finish()).toEqual([]);
    // The new leader has seen all of it.
    await eventually(
      async () => {
        const { items } = JSON.parse(await kubectl(fleet.hub, ["get", "demoapplications", "-o", "json"])) as {
          items: DemoApplication[];
        };
        expect(items.length).toBeGreaterThanOrEqual(rounds);
        const behind = items.filter(({ metadata, status }) => status?.observedGeneration !== metadata.generation);
        expect(behind.map(({ metadata }) => metadata.name)).toEqual([]);
      },
      { timeout: 60_000 },
    );
  });
});

import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { CertificateAuthority } from "../certificates/index.ts";
import { type SandboxClusterOptions, startSandboxCluster } from "./index.ts";
import { HttpsClient } from "./testing/httpsClient.ts";
import { configMap, deployment } from "./testing/objects.ts";

const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments";
const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";

async function start(options: Partial<SandboxClusterOptions> = {}) {
  const errors: unknown[] = [];
  const cluster = await startSandboxCluster({
    name: "test",
    controllers: false,
    onError: (error) => void errors.push(error),
    ...options,
  });
  const client = new HttpsClient(cluster);
  onTestFinished(async () => {
    await client.close();
    await cluster.stop();
    expect(errors).toEqual([]);
  });
  return { cluster, client };
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "meridian-sandbox-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe("a sandbox cluster", () => {
  test("runs a Deployment that was created over HTTP until it is Available", async () => {
    const { client } = await start({ controllers: { readinessDelayMs: 20 } });
    await using watch = await client.watch(`${DEPLOYMENTS}?watch=true&fieldSelector=metadata.name%3Dweb`);
    const created = await client.send("POST", DEPLOYMENTS, deployment("web", 3));
    expect(created.status).toBe(201);
    const available = await watch.until(({ object }) => {
      const { conditions = [], readyReplicas } = (object["status"] ?? {}) as {
        conditions?: { type: string; status: string }[];
        readyReplicas?: number;
      };
      return readyReplicas === 3 && conditions.some(({ type, status }) => type === "Available" && status === "True");
    });
    expect(available.object).toMatchObject({ status: { replicas: 3, availableReplicas: 3, observedGeneration: 1 } });
    const pods = await client.list("/api/v1/namespaces/default/pods?labelSelector=app%3Dweb");
    expect(pods.map(({ status }) => (status as { phase: string }).phase)).toEqual(["Running", "Running", "Running"]);
  });

  test("gives out a kubeconfig with which a client gets in", async () => {
    const { cluster } = await start();
    const config = parse(cluster.kubeconfig({ namespace: "shop" })) as {
      clusters: { cluster: Record<string, string> }[];
      users: { user: { token: string } }[];
      contexts: { context: { namespace: string } }[];
    };
    const ca = config.clusters[0]?.cluster["certificate-authority-data"] ?? "";
    expect(Buffer.from(ca, "base64").toString()).toBe(cluster.caPem);
    expect(config.clusters[0]?.cluster["server"]).toBe(cluster.url);
    expect(config.users[0]?.user.token).toBe(cluster.adminToken);
    expect(config.contexts[0]?.context.namespace).toBe("shop");
  });

  test("shares an authority with other clusters when it is given one", async () => {
    const authority = await CertificateAuthority.create({ name: "all of them", now: Date.now() });
    const [one, other] = await Promise.all([start({ authority }), start({ authority })]);
    expect(one.cluster.caPem).toBe(other.cluster.caPem);
    expect(one.cluster.url).not.toBe(other.cluster.url);
    // A token is valid in its own cluster only.
    const stranger = new HttpsClient({ ...other.cluster, adminToken: one.cluster.adminToken });
    expect((await stranger.send("GET", "/api/v1/namespaces")).status).toBe(401);
    await stranger.close();
  });

  test("says that a port is taken", async () => {
    const occupant = createServer().listen(0, "127.0.0.1");
    await once(occupant, "listening");
    onTestFinished(() => void occupant.close());
    const { port } = occupant.address() as { port: number };
    await expect(startSandboxCluster({ name: "test", port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("a sandbox cluster in a folder", () => {
  test("is the same after a restart: objects, keys, tokens, port, revisions", async () => {
    const directory = await folder();
    const first = await startSandboxCluster({ name: "test", directory, controllers: false });
    const before = new HttpsClient(first);
    const created = await before.send("POST", CONFIG_MAPS, configMap("settings", { a: "1" }));
    await before.send("POST", "/api/v1/namespaces/default/serviceaccounts", { metadata: { name: "robot" } });
    const token = await before.send("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", {});
    const revision = first.resourceVersion();
    await before.close();
    await first.stop();

    const { cluster, client } = await start({ directory });
    expect(cluster.url).toBe(first.url);
    expect(cluster.kubeconfig()).toBe(first.kubeconfig());
    expect(cluster.resourceVersion()).toBe(revision);
    expect((await client.send("GET", `${CONFIG_MAPS}/settings`)).body).toEqual(created.body);
    const robot = new HttpsClient({ ...cluster, adminToken: (token.body["status"] as { token: string }).token });
    const refused = await robot.send("GET", CONFIG_MAPS);
    await robot.close();
    expect(refused.body["message"]).toContain('User "system:serviceaccount:default:robot" cannot list');
  });

  test("gives a node port out only once, also after a restart", async () => {
    const directory = await folder();
    const services = "/api/v1/namespaces/default/services";
    const service = (name: string) => ({
      metadata: { name },
      spec: { type: "NodePort", selector: { app: name }, ports: [{ port: 80, nodePort: 30_002 }] },
    });
    const first = await startSandboxCluster({ name: "test", directory, controllers: false });
    const before = new HttpsClient(first);
    expect((await before.send("POST", services, service("one"))).status).toBe(201);
    await before.close();
    await first.stop();
    const { client } = await start({ directory });
    expect((await client.send("POST", services, service("two"))).body["message"]).toContain(
      "provided port is already allocated",
    );
    await client.send("DELETE", `${services}/one`);
    expect((await client.send("POST", services, service("two"))).status).toBe(201);
  });

  test("takes another port when its own is gone, unless one was demanded", async () => {
    const directory = await folder();
    const first = await startSandboxCluster({ name: "test", directory, controllers: false });
    const port = Number(new URL(first.url).port);
    await first.stop();
    const occupant = createServer().listen(port, "127.0.0.1");
    await once(occupant, "listening");
    onTestFinished(() => void occupant.close());
    await expect(startSandboxCluster({ name: "test", directory, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    const { cluster } = await start({ directory });
    expect(cluster.url).not.toBe(first.url);
  });
});

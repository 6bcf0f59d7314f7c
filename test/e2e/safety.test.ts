import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, FaultProxy, managerToken, type ProxiedRequest, startManager } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { collectionPath, objectPath, secret } from "./objects.ts";
import { hubObjects, memberTokens } from "./safetySecrets.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
/** Not joined. */
const SPARE = "spare-1";

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: SPARE, region: "eu-central-1" },
  ],
  unjoined: [SPARE],
});

/** The rules that need a process of its own. test/integration/federation/safety.test.ts tries all of them. */

const WRITES = new Set(["POST", "PUT", "PATCH", "DELETE"]);
/** Questions that are posted and Leases aside. */
const isWrite = ({ method, path }: ProxiedRequest) => WRITES.has(method) && !/\/(leases|self\w+reviews)\b/.test(path);

/** The file of a kubeconfig that leads to the hub through the proxy. */
async function hubThrough(proxy: FaultProxy): Promise<string> {
  const file = join(federation.fleet.dir, `kubeconfig-${new URL(proxy.server).port}`);
  await writeFile(file, proxy.kubeconfigFor(await managerToken(federation.hub)), { mode: 0o600 });
  return file;
}

/** Replaces the manager by one that asks the hub itself. */
async function ordinaryManager(): Promise<void> {
  await federation.manager.stop();
  await federation.startManager();
}

describe("rule 7: a stale leader writes nothing", () => {
  test("a process that slept through the end of its Lease does not write when it wakes", async () => {
    const namespace = await federation.namespace();
    const quick = ["--lease-duration", "4s", "--renew-deadline", "3s", "--retry-period", "500ms"];
    const { plane } = federation.member(SPARE);
    await using hubProxy = await FaultProxy.start(federation.hub);
    await federation.manager.stop();
    await using sleeper = await startManager({
      hub: federation.hub,
      folder: federation.fleet.dir,
      args: ["--kubeconfig", await hubThrough(hubProxy), ...quick],
    });
    try {
      await federation.joinByHand(SPARE, plane.kubeconfig);
      await federation.apply(placement("one").namespace(namespace).onClusters(SPARE));
      const shop = demoApplication("shop").namespace(namespace).port(80);
      await federation.apply(shop);
      await federation.untilAvailable(namespace, "shop", { [SPARE]: 1 });

      sleeper.pause();
      await federation.startManager({ args: quick, waitUntilReady: false });
      await federation.apply(shop.image("nginx:1.28"));
      await federation.untilAvailable(namespace, "shop", { [SPARE]: 1 });
      const before = await federation.deployment(SPARE, namespace, "shop");
      expect(before.spec.template.spec.containers[0].image).toBe("nginx:1.28");

      const earlier = hubProxy.requests.length;
      sleeper.resume();
      await sleep(4000);
      const writes = hubProxy.requests.slice(earlier).filter(isWrite);
      expect(writes.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
      const after = await federation.deployment(SPARE, namespace, "shop");
      expect(after.metadata.generation).toBe(before.metadata.generation);
      await federation.remove(shop);
    } finally {
      await sleeper.kill();
      await federation.removeMember(SPARE);
      await ordinaryManager();
    }
  });
});

describe("rule 8: secrets stay secret", () => {
  const PASSWORD = "correct-horse-battery-staple";
  const PASSWORD_BASE64 = Buffer.from(PASSWORD).toString("base64");

  beforeEach(async () => {
    await federation.manager.stop();
    await federation.startManager({ args: ["--log-level", "debug"] });
  });
  afterEach(() => ordinaryManager());

  test("no value of a Secret and no token reaches a log, a status, an Event or a metric, however things fail", async () => {
    const namespace = await federation.namespace();
    const api = federation.memberApi(SINGAPORE);
    const { plane } = federation.member(SPARE);
    const broken = `users: [${PASSWORD}`;
    try {
      // A Secret that travels, one that a member refuses, one that drifts, a kubeconfig that cannot be read and a token that is refused.
      await api.create(collectionPath("Namespace"), {
        apiVersion: "v1",
        kind: "Namespace",
        metadata: { name: namespace },
      });
      await api.create(collectionPath("ResourceQuota", namespace), {
        apiVersion: "v1",
        kind: "ResourceQuota",
        metadata: { name: "none", namespace },
        spec: { hard: { secrets: "0" } },
      });
      await eventually(async () =>
        expect(await api.get(objectPath("ResourceQuota", namespace, "none"))).toMatchObject({
          status: { hard: { secrets: "0" } },
        }),
      );
      await federation.apply(placement("all").namespace(namespace).onClusters(SHANGHAI, SINGAPORE, SPARE));
      await federation.kubectl(["apply", "-f", "-"], JSON.stringify(secret(namespace, "db", { password: PASSWORD })));
      await federation.apply(demoApplication("shop").namespace(namespace).envFromSecret("db"));
      await federation.joinByHand(SPARE, broken);
      await federation.untilEntry(namespace, "shop", SHANGHAI, { state: "Available" });
      await federation.untilEntry(namespace, "shop", SINGAPORE, { reason: expect.stringMatching(/./) });
      await federation
        .memberApi(SHANGHAI)
        .patch(`${objectPath("Secret", namespace, "db")}?fieldManager=rogue`, "merge", {
          data: { password: Buffer.from(`${PASSWORD}-changed`).toString("base64") },
        });
      await eventually(async () => {
        const carried = await federation
          .memberApi(SHANGHAI)
          .get<KubeObject & { data: Record<string, string> }>(objectPath("Secret", namespace, "db"));
        expect(carried.data["password"]).toBe(PASSWORD_BASE64);
        // What the person's kubectl noted down holds the value too, and stays at home.
        expect(carried.metadata.annotations).not.toHaveProperty(["kubectl.kubernetes.io/last-applied-configuration"]);
      });
      await federation.untilMemberIs(SPARE, "False");
      await federation.setKubeconfig(SPARE, plane.kubeconfigFor({ token: PASSWORD }));
      await federation.untilMemberIs(SPARE, "False", "CredentialsRejected");

      await eventually(async () => expect(await federation.manager.log()).toContain("CredentialsRejected"));
      const tokens = await memberTokens(federation);
      expect(tokens.length).toBeGreaterThanOrEqual(2);
      const places = {
        log: await federation.manager.log(),
        metrics: await federation.manager.metricsText(),
        hub: JSON.stringify(await hubObjects(federation)),
        memberEvents: JSON.stringify(await api.list(collectionPath("Event"))),
        memberWorkloads: JSON.stringify(await federation.memberApi(SHANGHAI).list(collectionPath("Deployment"))),
      };
      for (const [place, text] of Object.entries(places)) {
        expect(text.length, place).toBeGreaterThan(100);
        for (const value of [PASSWORD, PASSWORD_BASE64, ...tokens])
          expect(text.includes(value), `${place} holds a secret`).toBe(false);
      }
    } finally {
      await federation.removeMember(SPARE);
    }
  });
});

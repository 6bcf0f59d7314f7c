import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, type FaultProxy, type ProxiedRequest } from "../envtest/index.ts";
import { conditionOf, explainFailure, Federation } from "./federation.ts";
import { configMap, type DataObject, objectPath, secret } from "./objects.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";

let federation: Federation;
/** Between the manager and shanghai-1. */
let proxy: FaultProxy;

beforeAll(async () => {
  federation = await Federation.start({
    members: [
      { name: SHANGHAI, region: "cn-shanghai" },
      { name: SINGAPORE, region: "ap-southeast-1" },
    ],
    unjoined: [SHANGHAI],
  });
  proxy = await federation.joinThroughProxy(SHANGHAI);
});
afterAll(async () => {
  await federation?.[Symbol.asyncDispose]();
  await proxy?.[Symbol.asyncDispose]();
});
afterEach(({ task }) => explainFailure(federation, task.result?.state === "fail"));

/** A namespace with applications that run on both members. */
async function running(...names: string[]): Promise<string> {
  const namespace = await federation.namespace();
  await federation.apply(placement("all").namespace(namespace));
  for (const name of names) await federation.apply(demoApplication(name).namespace(namespace));
  for (const name of names) await federation.untilAvailable(namespace, name, { [SHANGHAI]: 1, [SINGAPORE]: 1 });
  return namespace;
}

describe("against somebody on a member who undoes it each time", () => {
  interface Fighter {
    name: string;
    attack: (path: string) => Promise<boolean>;
    who: RegExp;
  }
  test.each<Fighter>([
    {
      name: "edits",
      attack: async (path) => {
        const edited = { spec: { replicas: 3 } };
        await federation.memberApi(SHANGHAI).patch(path, "merge", edited);
        return true;
      },
      who: /spec\.replicas/,
    },
    {
      name: "deletes",
      attack: async (path) => {
        const isThere = (await federation.memberApi(SHANGHAI).find(path)) !== undefined;
        if (isThere) await federation.memberApi(SHANGHAI).delete(path);
        return isThere;
      },
      who: /deletes it/,
    },
  ])("with $name, it takes its time, says so, and lets no wanted change wait", async ({ attack, who }) => {
    const namespace = await running("shop");
    const path = objectPath("Deployment", namespace, "shop");
    const isHeal = ({ method, path: asked }: ProxiedRequest): boolean => method === "PATCH" && asked === path;
    const before = proxy.requests.filter(isHeal).length;
    const endsAt = performance.now() + 13_000;
    let attacks = 0;
    while (performance.now() < endsAt) {
      if (await attack(path)) attacks += 1;
      await sleep(40);
    }
    const heals = proxy.requests.filter(isHeal).length - before;
    expect(attacks).toBeGreaterThanOrEqual(3);
    expect(heals).toBeGreaterThanOrEqual(3);
    expect(heals).toBeLessThanOrEqual(6);
    const entry = await federation.untilEntry(namespace, "shop", SHANGHAI, { reason: "Contested" }, 5_000);
    expect(entry.message).toMatch(who);
    const events = await federation.events(namespace, "shop");
    expect(events.map(({ reason }) => reason)).toContain("Contested");

    const changedAt = performance.now();
    await federation.apply(demoApplication("shop").namespace(namespace).image("nginx:1.28"));
    await eventually(async () => expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28"), {
      interval: 20,
    });
    expect(performance.now() - changedAt).toBeLessThan(3_000);
  });
});

test("six short absences of a member cost the hub two writes and no application one", async () => {
  const names = ["a", "b", "c", "d", "e"];
  const namespace = await running(...names);
  await sleep(2_000);
  const versions = async (): Promise<unknown[]> =>
    Promise.all(names.map(async (name) => (await federation.application(namespace, name)).metadata.resourceVersion));
  const before = await versions();
  const ready = await federation.memberCondition(SHANGHAI);
  for (let absence = 0; absence < 6; absence++) {
    proxy.cut();
    await sleep(2_000);
    proxy.heal();
    await eventually(
      async () =>
        expect(await federation.manager.metric("federation_member_ready")).toContainEqual({
          labels: expect.objectContaining({ cluster: SHANGHAI }) as unknown,
          value: 1,
        }),
      { timeout: 15_000, interval: 100 },
    );
  }
  expect(await versions()).toEqual(before);
  const after = await federation.memberCondition(SHANGHAI);
  expect(after?.status).toBe("True");
  // One loss was said, and its end.
  expect(after?.lastTransitionTime).not.toBe(ready?.lastTransitionTime);
  for (const name of names)
    expect(conditionOf(await federation.application(namespace, name), "Fresh")?.status).toBe("True");
});

describe("a dependency that was replaced on the hub", () => {
  test.each<{ name: string; kind: string; before: DataObject; after: DataObject }>([
    {
      name: "an immutable ConfigMap",
      kind: "ConfigMap",
      before: { ...configMap("", "settings", { mode: "old" }), immutable: true },
      after: { ...configMap("", "settings", { mode: "new" }), immutable: true },
    },
    {
      name: "a Secret of another type",
      kind: "Secret",
      before: { ...secret("", "settings", { username: "a", password: "b" }), type: "Opaque" },
      after: { ...secret("", "settings", { username: "a", password: "c" }), type: "kubernetes.io/basic-auth" },
    },
  ])("($name) is made anew before any pod template changes for it", async ({ kind, before, after }) => {
    const namespace = await federation.namespace();
    const inNamespace = (object: DataObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, namespace },
    });
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(inNamespace(before));
    const shop = demoApplication("shop").namespace(namespace);
    await federation.apply(kind === "Secret" ? shop.envFromSecret("settings") : shop.envFromConfigMap("settings"));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1, [SINGAPORE]: 1 });
    const path = objectPath(kind, namespace, "settings");
    const deploymentPath = objectPath("Deployment", namespace, "shop");
    const { uid } = (await federation.memberApi(SHANGHAI).get<KubeObject>(path)).metadata;

    await federation.api.delete(path);
    await sleep(2_000);
    const since = proxy.requests.length;
    await federation.apply(inNamespace(after));
    const writes = (): string[] =>
      proxy.requests
        .slice(since)
        .filter(({ method, path: asked }) => method !== "GET" && (asked === path || asked === deploymentPath))
        .map(({ method, path: asked }) => `${method} ${asked === path ? "dependency" : "deployment"}`);
    await eventually(() => {
      expect(writes()).toEqual(["PATCH dependency", "DELETE dependency", "PATCH dependency", "PATCH deployment"]);
    });
    const copy = await federation.memberApi(SHANGHAI).get<DataObject>(path);
    expect(copy.metadata.uid).not.toBe(uid);
    expect(copy.data).toEqual(after.data);
    expect(copy["type"]).toBe(after["type"]);
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 1, [SINGAPORE]: 1 });
  });
});

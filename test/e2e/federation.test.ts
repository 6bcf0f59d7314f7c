import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  HASH_ANNOTATION,
  MANAGED_BY_LABEL,
  OWNER_ANNOTATION,
  type OverridePolicy,
  type Placement,
  TRACEPARENT_ANNOTATION,
} from "../../src/apis/index.ts";
import { parsePrometheusText, valuesBy } from "../../src/observability/testing/prometheusText.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, REPOSITORY, run } from "../envtest/index.ts";
import { OtlpRecorder } from "../envtest/otlpRecorder.ts";
import { prometheusHere } from "../envtest/prometheus.ts";
import { hasKubectl, useFederation } from "./federation.ts";
import { collectionPath, objectPath } from "./objects.ts";
import { EVERYWHERE, REGIONAL, SAMPLE } from "./publishedSample.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const FRANKFURT = "frankfurt-1";
const MEMBERS = [SHANGHAI, SINGAPORE, FRANKFURT] as const;

const collector = await OtlpRecorder.start();
afterAll(() => collector[Symbol.asyncDispose]());
const federation = useFederation({
  managerArgs: ["--otlp-endpoint", collector.url, "--trace-span", "UpdateStatus=1"],
  members: [
    { name: SHANGHAI, region: "cn-shanghai", zone: "cn-shanghai-b", provider: "aliyun" },
    { name: SINGAPORE, region: "ap-southeast-1", provider: "aws" },
    { name: FRANKFURT, region: "eu-central-1", provider: "aws" },
  ],
});

const on = (replicas: number) => Object.fromEntries(MEMBERS.map((name) => [name, replicas]));

describe.runIf(hasKubectl())("the published sample", () => {
  beforeAll(async () => {
    await federation.kubectl(["apply", "-f", "-"], [EVERYWHERE, REGIONAL, SAMPLE].join("---\n"));
  });
  afterAll(async () => {
    await federation.kubectl(["delete", "-f", "-", "--ignore-not-found"], [SAMPLE, EVERYWHERE, REGIONAL].join("---\n"));
  });

  test("runs 5, 3 and 2 replicas in its regions, and its status is their sum", async () => {
    const application = await federation.untilAvailable("default", "nginx-demo", {
      [SHANGHAI]: 5,
      [SINGAPORE]: 3,
      [FRANKFURT]: 2,
    });
    expect(application.status?.placement).toEqual({ kind: "Placement", namespace: "default", name: "everywhere" });
    for (const entry of application.status?.clusters ?? []) {
      expect(entry.desiredHash).toMatch(/^[0-9a-f]{4,}$/);
      expect(entry.observedHash).toBe(entry.desiredHash);
      expect(Date.parse(entry.observedAt ?? "")).toBeGreaterThan(Date.now() - 300_000);
    }
    expect(application.status?.clusters?.map(({ name, region }) => [name, region])).toEqual(
      expect.arrayContaining([
        [SHANGHAI, "cn-shanghai"],
        [SINGAPORE, "ap-southeast-1"],
        [FRANKFURT, "eu-central-1"],
      ]),
    );
    for (const condition of application.status?.conditions ?? []) {
      expect(condition.observedGeneration).toBe(application.metadata.generation);
      expect(condition.message.length).toBeLessThanOrEqual(120);
      expect(condition.reason).toMatch(/^[A-Z][A-Za-z]+$/);
    }
  });

  test("carries every field of the overrides, only where they are meant", async () => {
    const { template } = (await federation.deployment(SINGAPORE, "default", "nginx-demo")).spec;
    expect(template.spec.containers[0].env).toContainEqual({ name: "REGION", value: "ap-southeast-1" });
    expect(template.spec.terminationGracePeriodSeconds).toBe(45);
    const asia = await federation.service(SINGAPORE, "default", "nginx-demo");
    expect(asia.metadata.labels).toMatchObject({ "data-residency": "sg" });
    expect(asia.metadata.annotations).toMatchObject({ "example.com/owner": "sre-asia" });
    expect(asia.spec.type).toBe("LoadBalancer");

    const china = await federation.service(SHANGHAI, "default", "nginx-demo");
    expect(china.spec).toMatchObject({
      type: "NodePort",
      selector: { app: "nginx-demo" },
      ports: [{ port: 80, targetPort: 80, nodePort: 30002 }],
    });
    expect(await federation.image(SHANGHAI, "default", "nginx-demo")).toMatch(
      /^registry\.example\.cn\/(.+\/)?nginx:latest$/,
    );
    expect(await federation.image(FRANKFURT, "default", "nginx-demo")).toBe("nginx:latest");
    expect(china.metadata.labels).not.toHaveProperty("data-residency");
  });

  test("says on every member object whose it is", async () => {
    const hubId = (await federation.api.get(objectPath("Namespace", undefined, "kube-system"))).metadata.uid;
    const application = await federation.application("default", "nginx-demo");
    for (const member of MEMBERS) {
      for (const object of [
        await federation.deployment(member, "default", "nginx-demo"),
        await federation.service(member, "default", "nginx-demo"),
      ]) {
        expect(object.metadata.labels?.[MANAGED_BY_LABEL]).toBe(hubId);
        expect(object.metadata.annotations?.[HASH_ANNOTATION]).toBeTruthy();
        expect(JSON.parse(object.metadata.annotations?.[OWNER_ANNOTATION] ?? "{}")).toMatchObject({
          kind: "DemoApplication",
          namespace: "default",
          name: "nginx-demo",
          uid: application.metadata.uid,
        });
        expect(object.metadata.ownerReferences).toBeUndefined();
      }
    }
  });

  test("shows in the status of the policies", async () => {
    await eventually(async () => {
      const policy = await federation.api.get<Placement>(objectPath("Placement", "default", "everywhere"));
      expect(policy.status).toMatchObject({ observedGeneration: policy.metadata.generation, matchedObjects: 1 });
      expect(policy.status?.decisions).toEqual([{ clusters: [FRANKFURT, SHANGHAI, SINGAPORE], objects: 1 }]);
      const override = await federation.api.get<OverridePolicy>(
        objectPath("OverridePolicy", "default", "regional-replicas"),
      );
      expect(override.status).toMatchObject({ observedGeneration: override.metadata.generation, matchedObjects: 1 });
    });
  });

  test("follows kubectl scale where no override says otherwise", async () => {
    await federation.kubectl(["scale", "demoapplication/nginx-demo", "--replicas=4"]);
    await federation.untilAvailable("default", "nginx-demo", { [SHANGHAI]: 5, [SINGAPORE]: 3, [FRANKFURT]: 4 });
    const scale = await federation.api.get(`${objectPath("DemoApplication", "default", "nginx-demo")}/scale`);
    expect(scale).toMatchObject({ spec: { replicas: 4 }, status: { selector: "app=nginx-demo" } });
  });

  test("leaves nothing behind when it is deleted", async () => {
    await federation.kubectl(["delete", "demoapplication", "nginx-demo", "--timeout=60s"]);
    for (const member of MEMBERS) {
      const api = federation.memberApi(member);
      expect(await api.find(objectPath("Deployment", "default", "nginx-demo"))).toBeUndefined();
      expect(await api.find(objectPath("Service", "default", "nginx-demo"))).toBeUndefined();
      await eventually(async () => expect(await api.list(collectionPath("Pod", "default"))).toEqual([]));
      // The namespace was there before.
      expect(await api.find(objectPath("Namespace", undefined, "default"))).toBeDefined();
    }
  });
});

test.runIf(hasKubectl())(
  "the files of placements/ run the sample with 5 replicas in Shanghai and 3 in Singapore as they stand",
  async () => {
    const folder = `${REPOSITORY}placements/`;
    await federation.kubectl(["apply", "-f", folder]);
    try {
      await eventually(
        async () => {
          const { status } = await federation.application("default", "nginx-demo");
          const replicas = Object.fromEntries(
            (status?.clusters ?? []).map((entry) => [entry.name, entry.replicas.available]),
          );
          expect(replicas).toMatchObject({ [SHANGHAI]: 5, [SINGAPORE]: 3, [FRANKFURT]: expect.any(Number) });
          const sum = Object.values(replicas).reduce((total, count) => total + count, 0);
          expect(status?.replicas).toEqual({ desired: sum, updated: sum, ready: sum, available: sum });
        },
        { timeout: 60_000 },
      );
    } finally {
      await federation.kubectl(["delete", "-f", folder, "--ignore-not-found", "--timeout=60s"]);
    }
  },
);

describe("what changes on the hub arrives on the members", () => {
  test("an image, and the pods roll", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace).replica(2);
    await federation.apply(shop.image("nginx:1.27"));
    await federation.untilAvailable(namespace, "shop", on(2));
    await federation.apply(shop.image("nginx:1.28"));
    await federation.untilAvailable(namespace, "shop", on(2));
    for (const member of MEMBERS) {
      expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.28");
      const { metadata, status } = await federation.deployment(member, namespace, "shop");
      expect(status).toMatchObject({
        observedGeneration: metadata.generation,
        updatedReplicas: 2,
        availableReplicas: 2,
      });
    }
  });

  test("removed ports and environment variables vanish there too", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const bare = demoApplication("shop").namespace(namespace).port(80);
    await federation.apply(bare.port(8443).env("MODE", "production").env("DEBUG", "1"));
    await federation.untilAvailable(namespace, "shop", on(1));
    expect((await federation.service(SINGAPORE, namespace, "shop")).spec.ports).toHaveLength(2);

    await federation.apply(bare.env("MODE", "production"));
    await federation.untilAvailable(namespace, "shop", on(1));
    for (const member of MEMBERS) {
      expect((await federation.service(member, namespace, "shop")).spec.ports.map(({ port }) => port)).toEqual([80]);
      const [container] = (await federation.deployment(member, namespace, "shop")).spec.template.spec.containers;
      expect(container.env).toEqual([{ name: "MODE", value: "production" }]);
    }
  });

  test.runIf(hasKubectl())("divided replicas follow the weights and the scale", async () => {
    const namespace = await federation.namespace();
    const weight = (name: string, of: number) => ({ targetClusters: { clusterNames: [name] }, weight: of });
    await federation.apply(
      placement("divided")
        .namespace(namespace)
        .divided(weight(SHANGHAI, 2), weight(SINGAPORE, 1), weight(FRANKFURT, 1)),
    );
    await federation.apply(demoApplication("shop").namespace(namespace).replica(8));
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 4, [SINGAPORE]: 2, [FRANKFURT]: 2 });
    await federation.kubectl(["scale", "-n", namespace, "demoapplication/shop", "--replicas=4"]);
    await federation.untilAvailable(namespace, "shop", { [SHANGHAI]: 2, [SINGAPORE]: 1, [FRANKFURT]: 1 });
  });
});

/** What somebody changes in the objects of `shop` on a member, and what they are to be again. */
const DRIFTS = [
  {
    what: "a scaled Deployment",
    kind: "Deployment",
    patch: { spec: { replicas: 7 } },
    healed: { spec: { replicas: 2 } },
  },
  {
    what: "another image",
    kind: "Deployment",
    patch: { spec: { template: { spec: { containers: [{ name: "shop", image: "evil:1" }] } } } },
    healed: { spec: { template: { spec: { containers: [{ image: "nginx:1.27" }] } } } },
  },
  {
    what: "another selector of the Service",
    kind: "Service",
    patch: { spec: { selector: { app: "somewhere-else" } } },
    healed: { spec: { selector: { app: "shop" } } },
  },
];

describe("drift", () => {
  test.each(DRIFTS)("$what is healed, and an Event names who did it", async ({ kind, patch, healed }) => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    await federation.apply(demoApplication("shop").namespace(namespace).replica(2).port(80));
    await federation.untilAvailable(namespace, "shop", on(2));
    const path = objectPath(kind, namespace, "shop");
    const api = federation.memberApi(SINGAPORE);
    const container = (await federation.deployment(SINGAPORE, namespace, "shop")).spec.template.spec.containers[0].name;
    const body = JSON.parse(JSON.stringify(patch).replace('"name":"shop"', `"name":"${container}"`)) as unknown;
    await api.patch(`${path}?fieldManager=rogue`, "strategic", body);
    await eventually(async () => expect(await api.get(path)).toMatchObject(healed));
    await federation.untilAvailable(namespace, "shop", on(2));
    await eventually(async () => {
      const notes = (await federation.events(namespace, "shop")).map(({ note }) => note);
      expect(notes).toContainEqual(expect.stringContaining("rogue"));
    });
  });
});

describe("what the manager tells of itself", () => {
  test("the spans of a change reach the collector, in the trace of the request that made it", async () => {
    const [traceId, spanId] = ["0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"];
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const traced = demoApplication("shop").annotation(TRACEPARENT_ANNOTATION, `00-${traceId}-${spanId}-01`);
    await federation.apply(traced.namespace(namespace));
    // Spans leave the process every two seconds.
    await eventually(() => {
      const names = collector.spans.filter((span) => span.traceId === traceId).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["Reconcile", "SyncDeployment", "UpdateStatus"]));
    });
    expect(collector.refused).toEqual([]);
  });

  test("Prometheus can read its metrics, and a sum over them says what is in sync", async () => {
    const text = await federation.manager.metricsText();
    const promtool = await prometheusHere("promtool");
    if (promtool !== undefined) {
      const { code, stdout, stderr } = await run(promtool, ["check", "metrics"], { stdin: text });
      expect(code, stdout + stderr).toBe(0);
    }
    const families = parsePrometheusText(text);
    const sync = valuesBy(families, "operator_sync_status", "status", { resource: "Deployment" });
    expect(Object.keys(sync).sort()).toEqual(["out-of-sync", "up-to-date"]);
    expect(sync["up-to-date"]).toBeGreaterThanOrEqual(MEMBERS.length);
    const outcomes = valuesBy(families, "operator_reconcile_total", "type", { name: "placement" });
    expect(outcomes["success"]).toBeGreaterThan(0);
    // No series names an object: there are hundreds of these.
    for (const { name, samples } of families.values()) expect(samples.length, name).toBeLessThan(500);
  });
});

import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import type { ReadableSpan } from "@opentelemetry/sdk-trace";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { crdNameOf, type KindDefinition, KINDS, type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../apis/index.ts";
import { KINDS_WITH_NEXT, NEXT_API_VERSION } from "../apis/testing/nextVersion.ts";
import { CertificateAuthority } from "../certificates/index.ts";
import { HubCache } from "../hub/index.ts";
import { createLogger, Metrics } from "../observability/index.ts";
import { recordSpans } from "../observability/testing/spanRecorder.ts";
import {
  ApiError,
  type Clock,
  CRDS,
  DEMOAPPLICATIONS,
  type ResourceType,
  SECRETS,
  systemClock,
} from "../runtime/index.ts";
import { FakeClient, type FakeCluster } from "../runtime/testing/fakeClient.ts";
import { FakeClock } from "../runtime/testing/fakeClock.ts";
import { applicationObject, clusterObject } from "../../test/builders/policyObjects.ts";
import { certificatesIn } from "./certificates/index.ts";
import { CONVERSION_API_VERSION } from "./conversionReview.ts";
import { ADMISSION_TYPES } from "./publisher.ts";
import { startWebhooks, type Webhooks } from "./run.ts";
import { hubWithCrds } from "./testing/crds.ts";
import { requestOf } from "./testing/facts.ts";

const CRD = "demoapplications.paas.cmft.com";
const SECRET = ["meridian-system", "meridian-webhooks"] as const;
/** For what is sure to happen: a busy machine may take its time. */
const PATIENCE = { timeout: 30_000 };

interface Replica {
  url?: string;
  configurationName?: string;
  certDir?: string;
  kinds?: readonly KindDefinition[];
  port?: number;
  cannotListen?: (error: Error) => void;
}

interface Started {
  webhooks: Webhooks;
  metrics: Metrics;
  spans: ReadableSpan[];
}

function startReplica(hub: FakeCluster, options: Replica = {}): Started {
  return startReplicaWith(new FakeClient(hub), systemClock, options);
}

function startReplicaWith(
  client: FakeClient,
  clock: Clock,
  { url = "https://127.0.0.1:9443", configurationName = "meridian", ...rest }: Replica,
): Started {
  const metrics = new Metrics({ processMetrics: false });
  const logger = createLogger({ level: "silent" });
  const cache = new HubCache({ client, clock, random: Math.random, logger, metrics });
  const end = new AbortController();
  onTestFinished(() => end.abort());
  void cache.run(end.signal);
  const { tracer, spans } = recordSpans();
  const webhooks = startWebhooks({
    hub: cache,
    client,
    namespace: SECRET[0],
    port: 0,
    host: "127.0.0.1",
    target: { kind: "Url", url },
    ...rest,
    configurationName,
    secretName: `${configurationName}-webhooks`,
    overlapMs: 1_500,
    clock,
    logger,
    metrics,
    tracer,
  });
  onTestFinished(() => webhooks[Symbol.asyncDispose]());
  return { webhooks, metrics, spans };
}

/** What an API server trusts now, as it reads it from the CRD. */
function bundle(hub: FakeCluster, crd = CRD): string {
  return Buffer.from(callOf(hub, crd)?.caBundle ?? "", "base64").toString();
}

/** Where the hub has the objects of each CRD converted, each place once. */
function places(hub: FakeCluster): (string | undefined)[] {
  return [...new Set(KINDS.map((kind) => callOf(hub, crdNameOf(kind))?.url))];
}

function callOf(hub: FakeCluster, crd: string): { url: string; caBundle?: string } | undefined {
  const { conversion } = hub.get(CRDS, undefined, crd)["spec"] as {
    conversion?: { webhook?: { clientConfig: { url: string; caBundle?: string } } };
  };
  return conversion?.webhook?.clientConfig;
}

function stateOf(hub: FakeCluster): { current: { certPem: string }; next?: unknown; previous?: unknown } {
  const data = hub.get(SECRETS, ...SECRET)["data"] as Record<string, string>;
  return JSON.parse(Buffer.from(data["state.json"] ?? "", "base64").toString()) as ReturnType<typeof stateOf>;
}

/** A call as an API server makes it, on a connection of its own. Rejects when the certificate is not trusted. */
async function call(hub: FakeCluster, { port }: Webhooks, path: string, body: unknown, method = "POST", headers = {}) {
  const sent = request({ host: "127.0.0.1", port, path, method, ca: bundle(hub), agent: false, headers });
  sent.end(typeof body === "string" ? body : JSON.stringify(body));
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  return { status: response.statusCode, body: JSON.parse(await text(response)) as Record<string, unknown> };
}

const conversion = {
  apiVersion: CONVERSION_API_VERSION,
  kind: "ConversionReview",
  request: { uid: "u", desiredAPIVersion: "paas.cmft.com/v1beta1", objects: [applicationObject({ replica: 1 })] },
};
const admission = (object: KubeObject) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: requestOf("CREATE", object),
});

async function serving(hub: FakeCluster, ...replicas: Webhooks[]): Promise<void> {
  await vi.waitFor(async () => {
    for (const replica of replicas)
      expect(await call(hub, replica, "/convert", conversion)).toMatchObject({ status: 200 });
  }, PATIENCE);
}

describe("the webhooks", () => {
  test("of two replicas that start at once share one authority", async () => {
    const hub = hubWithCrds();
    const [one, other] = [startReplica(hub), startReplica(hub)];
    expect(one.webhooks.problems()).toEqual(["the webhooks have no certificate yet"]);
    await serving(hub, one.webhooks, other.webhooks);
    expect(one.webhooks.problems()).toEqual([]);
    expect(certificatesIn(bundle(hub))).toEqual(certificatesIn(stateOf(hub).current.certPem));
  });

  test("have every kind converted here, and trusted", async () => {
    const hub = hubWithCrds();
    const { webhooks } = startReplica(hub);
    await serving(hub, webhooks);
    await vi.waitFor(() => expect(places(hub)).toEqual(["https://127.0.0.1:9443/convert"]), PATIENCE);
    for (const kind of KINDS) expect(bundle(hub, crdNameOf(kind)), kind.kind).toBe(bundle(hub));
  });

  test("lead the other kinds here while one of them cannot be read and another one cannot be written", async () => {
    const hub = hubWithCrds();
    const [unreadable, unwritable] = ["memberclusters", "placements"].map((name) => `${name}.federation.paas.cmft.com`);
    const forbidden = new ApiError(403, "Forbidden", "no right to that");
    const client = new FakeClient(hub);
    client.gate = ({ options }) => {
      if ("fieldSelector" in options && options.fieldSelector === `metadata.name=${unreadable}`) throw forbidden;
    };
    const apply = client.apply.bind(client);
    client.apply = async (type, object, options) => {
      if (object.metadata.name === unwritable) throw forbidden;
      return apply(type, object, options);
    };
    const { webhooks } = startReplicaWith(client, systemClock, {});
    await serving(hub, webhooks);
    const elsewhere = () => KINDS.map(crdNameOf).filter((name) => callOf(hub, name) === undefined);
    await vi.waitFor(() => expect(elsewhere()).toEqual([unreadable, unwritable]), PATIENCE);
  });

  test("convert the kinds that they are given", async () => {
    const hub = hubWithCrds();
    const { webhooks } = startReplica(hub, { kinds: KINDS_WITH_NEXT });
    await serving(hub, webhooks);
    const objects = [clusterObject({ provider: "own" })];
    const request = { uid: "u", desiredAPIVersion: NEXT_API_VERSION, objects };
    expect((await call(hub, webhooks, "/convert", { ...conversion, request })).body["response"]).toMatchObject({
      result: { status: "Success" },
      convertedObjects: [{ apiVersion: NEXT_API_VERSION, spec: { operator: "own" } }],
    });
  });

  test("change their authority without a moment in which a replica is not trusted", async () => {
    const hub = hubWithCrds();
    const clock = new FakeClock(Date.now());
    const [one, other] = [1, 2].map(() => startReplicaWith(new FakeClient(hub), clock, {}).webhooks);
    if (one === undefined || other === undefined) throw new Error("there are two");
    await serving(hub, one, other);
    const before = stateOf(hub).current.certPem;
    hub.merge(SECRETS, ...SECRET, { metadata: { annotations: { "paas.cmft.com/rotate-authority": "now" } } });
    let calls = 0;
    const settled = (): boolean => {
      const { current, next, previous } = stateOf(hub);
      const done = current.certPem !== before && next === undefined && previous === undefined;
      return done && certificatesIn(bundle(hub)).length === 1;
    };
    for (let second = 0; !settled() && second < 60; second += 0.25) {
      await clock.advance(250);
      for (const replica of [one, other]) {
        expect((await call(hub, replica, "/convert", conversion)).status).toBe(200);
        calls++;
      }
    }
    expect(settled()).toBe(true);
    expect(calls).toBeGreaterThan(10);
    expect(certificatesIn(bundle(hub))).toEqual(certificatesIn(stateOf(hub).current.certPem));
  });

  test("write their Secret again as it was when somebody deletes it", async () => {
    const hub = hubWithCrds();
    const { webhooks } = startReplica(hub);
    await serving(hub, webhooks);
    const before = stateOf(hub);
    hub.delete(SECRETS, ...SECRET);
    await vi.waitFor(() => expect(stateOf(hub)).toEqual(before), PATIENCE);
    expect((await call(hub, webhooks, "/convert", conversion)).status).toBe(200);
  });

  test("of two releases do not take conversion from each other for ever, and step in when nobody converts", async () => {
    const hub = hubWithCrds();
    const convertedAt = (url: string) => vi.waitFor(() => expect(places(hub)).toEqual([`${url}/convert`]), PATIENCE);
    const [old, young] = ["https://127.0.0.1:1", "https://127.0.0.1:2"];
    startReplica(hub, { url: old, configurationName: "old" });
    await convertedAt(old);
    const { webhooks } = startReplica(hub, { url: young, configurationName: "young" });
    await convertedAt(young);
    // What the old one writes elsewhere shows that it has checked everything again.
    const type = ADMISSION_TYPES[0];
    if (type === undefined) throw new Error("there is no such type");
    const [configuration] = hub.list(type, { fieldSelector: "metadata.name=old" });
    hub.merge(type, undefined, "old", { webhooks: [] });
    await vi.waitFor(
      () => expect(hub.get(type, undefined, "old")["webhooks"]).toEqual(configuration?.["webhooks"]),
      PATIENCE,
    );
    expect(places(hub)).toEqual([`${young}/convert`]);
    await webhooks[Symbol.asyncDispose]();
    for (const kind of KINDS)
      hub.merge(CRDS, undefined, crdNameOf(kind), { spec: { conversion: { strategy: "None", webhook: null } } });
    await convertedAt(old);
  });

  test("of a release that is started again leave conversion with the younger one, until that one does not answer", async () => {
    const hub = hubWithCrds();
    hub.create(DEMOAPPLICATIONS, applicationObject({ replica: 1 }));
    const convertedAt = (url: string) => vi.waitFor(() => expect(places(hub)).toEqual([`${url}/convert`]), PATIENCE);
    const [old, young] = ["https://127.0.0.1:1", "https://127.0.0.1:2"];
    const { webhooks } = startReplica(hub, { url: old, configurationName: "old" });
    await convertedAt(old);
    startReplica(hub, { url: young, configurationName: "young" });
    await convertedAt(young);
    await webhooks[Symbol.asyncDispose]();

    const again = new FakeClient(hub);
    const asked = Promise.withResolvers<void>();
    let dead = false;
    again.gate = ({ verb, type }) => {
      if (verb !== "list" || type?.version !== "v1beta1") return;
      asked.resolve();
      if (dead) throw new ApiError(500, "InternalError", "conversion webhook for paas.cmft.com/v1 failed: refused");
    };
    const clock = new FakeClock(Date.now());
    const { webhooks: restarted } = startReplicaWith(again, clock, { url: old, configurationName: "old" });
    await asked.promise;
    expect(places(hub)).toEqual([`${young}/convert`]);
    dead = true;
    // The CRDs become known one after the other, and each begins the wait for the next check anew.
    await vi.waitFor(async () => {
      await clock.advance(6_000);
      expect(places(hub)).toEqual([`${old}/convert`]);
    }, PATIENCE);
    await restarted[Symbol.asyncDispose]();
  });

  test("are reached at an address although the CRD named a Service, and never by both", async () => {
    const hub = hubWithCrds();
    const service = { namespace: "meridian-system", name: "meridian-webhook", path: "/convert", port: 443 };
    const webhook = { conversionReviewVersions: ["v1"], clientConfig: { service, caBundle: "" } };
    hub.merge(CRDS, undefined, CRD, { spec: { conversion: { strategy: "Webhook", webhook } } });
    const { webhooks } = startReplica(hub);
    await serving(hub, webhooks);
    const { conversion } = hub.get(CRDS, undefined, CRD)["spec"] as {
      conversion: { webhook: { clientConfig: object } };
    };
    expect(conversion.webhook.clientConfig).toEqual({
      url: "https://127.0.0.1:9443/convert",
      caBundle: expect.any(String) as string,
    });
  });

  test("show a certificate of another authority only when API servers that hear of it late trust it as well", async () => {
    const hub = hubWithCrds();
    const folder = await mkdtemp(join(tmpdir(), "meridian-webhooks-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    const issue = async (name: string): Promise<string> => {
      const now = Date.now();
      const authority = await CertificateAuthority.create({ name, now });
      const { certPem, keyPem } = await authority.issue({ name: "webhook", hosts: ["127.0.0.1"], now });
      const files = { "ca.crt": authority.caPem, "tls.crt": certPem, "tls.key": keyPem };
      for (const [file, content] of Object.entries(files)) await writeFile(join(folder, file), content);
      return authority.caPem;
    };
    const shownBy = async ({ port }: Webhooks): Promise<string | undefined> => {
      const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
      await once(socket, "secureConnect");
      const { issuer } = socket.getPeerX509Certificate() ?? {};
      socket.destroy();
      return issuer;
    };
    await issue("first");
    const clock = new FakeClock(Date.now());
    const { webhooks } = startReplicaWith(new FakeClient(hub), clock, { certDir: folder });
    await serving(hub, webhooks);
    const second = await issue("second");
    await vi.waitFor(
      () => expect(certificatesIn(bundle(hub))).toEqual(expect.arrayContaining(certificatesIn(second))),
      PATIENCE,
    );
    const heard = clock.now();
    while ((await shownBy(webhooks)) !== "CN=second") await clock.advance(100);
    expect(clock.now() - heard).toBeGreaterThan(1_000);
  });

  test("give up a port that somebody took since it was checked, and say so", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await once(other, "listening");
    const { port } = other.address() as AddressInfo;
    const told = await new Promise((cannotListen) => startReplica(hubWithCrds(), { port, cannotListen }));
    expect(told).toMatchObject({ code: "EADDRINUSE" });
  });

  test("go on with the trace of the request that they are asked about, and note it on the object", async () => {
    const hub = hubWithCrds();
    const { webhooks, spans } = startReplica(hub);
    await serving(hub, webhooks);
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    const review = admission(applicationObject({}));
    const { response } = (await call(hub, webhooks, "/mutate", review, "POST", headers)).body as {
      response: { patch: string };
    };
    expect(Buffer.from(response.patch, "base64").toString()).toContain(traceId);
    await call(hub, webhooks, "/validate", review, "POST", headers);
    const admissions = spans.filter(({ name }) => name === "Admission");
    expect(admissions.map(({ attributes }) => attributes["admission.webhook"])).toEqual(["mutate", "validate"]);
    for (const { parentSpanContext } of admissions)
      expect(parentSpanContext).toMatchObject({ traceId, spanId: "b7ad6b7169203331" });
  });

  test("answer reviews, and count what they refuse", async () => {
    const hub = hubWithCrds();
    const { webhooks, metrics } = startReplica(hub);
    await serving(hub, webhooks);
    const good = await call(hub, webhooks, "/mutate", admission(applicationObject({})));
    expect(good.body["response"]).toMatchObject({ allowed: true, patchType: "JSONPatch" });
    const bad = await call(hub, webhooks, "/validate", admission(applicationObject({ replica: 101 })));
    expect(bad.body["response"]).toMatchObject({ allowed: false, status: { code: 422 } });
    const scraped = (await metrics.scrape()).body;
    expect(scraped).toContain('federation_webhook_refusals_total{kind="DemoApplication",operation="CREATE"} 1');
    expect(scraped).toContain('controller_runtime_webhook_requests_total{webhook="validate",code="200"} 1');
  });

  test("judge who approves a rollout, and know since when the server asks", async () => {
    const hub = hubWithCrds();
    const { webhooks } = startReplica(hub);
    await serving(hub, webhooks);
    const validating = ADMISSION_TYPES[1] as ResourceType;
    const approvals = JSON.stringify({ revision: 1, run: "2026-11-22T08:00:00Z", approvals: { canary: "bob" } });
    const object = applicationObject({});
    const annotations = { [ROLLOUT_APPROVALS_ANNOTATION]: approvals };
    const review = admission({ ...object, metadata: { ...object.metadata, annotations } });
    const answer = await call(hub, webhooks, "/approve", review);
    expect(answer.body["response"]).toMatchObject({ allowed: false, status: { code: 422 } });
    const creationTimestamp = "2026-11-22T08:00:00Z";
    hub.merge(validating, undefined, "meridian", { metadata: { creationTimestamp } });
    const since = Date.parse(creationTimestamp) + 2_000;
    await vi.waitFor(() => expect(webhooks.approversProvenSince(object)).toBe(since), PATIENCE);
  });

  test("refuse what is no call", async () => {
    const hub = hubWithCrds();
    const { webhooks } = startReplica(hub);
    await serving(hub, webhooks);
    const statusOf = async (path: string, body: unknown, method = "POST") =>
      (await call(hub, webhooks, path, body, method)).status;
    expect(await statusOf("/other", {})).toBe(404);
    expect(await statusOf("/validate", "", "GET")).toBe(405);
    expect(await statusOf("/validate", "{")).toBe(400);
    expect(await statusOf("/mutate", {})).toBe(400);
  });
});

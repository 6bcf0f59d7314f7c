import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { CertificateAuthority } from "../../certificates/index.ts";
import { checkWebhooks, readyEndpoints, servicesOf, type WebhookFacts } from "./webhooks.ts";

const NOW = Date.UTC(2026, 10, 28, 8);
const DAY = 86_400_000;
const SERVICE = { namespace: "fed", name: "webhook", port: 443 };
const READY = new Map([["fed/webhook", { exists: true, ready: 2 }]]);

const authority = await CertificateAuthority.create({ name: "ours", now: NOW - DAY, days: 730 });
const other = await CertificateAuthority.create({ name: "another", now: NOW - DAY, days: 730 });
const ending = async (days: number, from = NOW - DAY): Promise<string> =>
  (await CertificateAuthority.create({ name: "ours", now: from, days })).toPem().certPem;
const serving = async (days: number, by = authority): Promise<string> =>
  (await by.issue({ name: "webhook", hosts: ["webhook.fed.svc"], now: NOW - DAY, days })).certPem;

function configuration(clientConfig: object, name = "applications.paas.cmft.com"): KubeObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "meridian" },
    webhooks: [{ name, clientConfig }],
  };
}
const calling = (pem?: string): KubeObject =>
  configuration({ service: SERVICE, ...(pem === undefined ? {} : { caBundle: Buffer.from(pem).toString("base64") }) });
const ours = authority.toPem().certPem;
const facts = (given: Partial<WebhookFacts>): WebhookFacts => ({
  configurations: [calling(ours)],
  crds: [],
  services: READY,
  serving: undefined,
  expected: true,
  now: NOW,
  ...given,
});
const converted: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "demoapplications.paas.cmft.com" },
  spec: { conversion: { strategy: "Webhook", webhook: { clientConfig: { service: { ...SERVICE, name: "gone" } } } } },
};

describe("the webhooks", () => {
  test.each<{ name: string; given: Partial<WebhookFacts> | Promise<Partial<WebhookFacts>>; codes: string[] }>([
    {
      name: "are fine when the hub reaches and trusts them",
      given: serving(90).then((pem) => ({ serving: pem })),
      codes: [],
    },
    { name: "are none where no manager serves any", given: { configurations: [], expected: false }, codes: [] },
    { name: "are missing where a manager serves them", given: { configurations: [] }, codes: ["WebhooksMissing"] },
    {
      name: "of others do not count",
      given: { configurations: [configuration({ url: "https://other" }, "a.example.com")], expected: false },
      codes: [],
    },
    { name: "are not trusted without a CA bundle", given: { configurations: [calling()] }, codes: ["BundleMissing"] },
    {
      name: "are not trusted with a bundle that holds no certificate",
      given: { configurations: [calling("nothing")] },
      codes: ["BundleUnreadable"],
    },
    {
      name: "are not trusted once their authority has ended",
      given: ending(0.5).then((pem) => ({ configurations: [calling(pem)] })),
      codes: ["AuthorityExpired"],
    },
    {
      name: "are trusted while one authority of the bundle is valid",
      given: ending(0.5).then((pem) => ({ configurations: [calling(pem + ours)] })),
      codes: [],
    },
    {
      name: "have an authority that ends soon",
      given: ending(10).then((pem) => ({ configurations: [calling(pem)] })),
      codes: ["AuthorityEnds"],
    },
    {
      name: "have an authority that is not valid yet",
      given: ending(30, NOW + DAY).then((pem) => ({ configurations: [calling(pem)] })),
      codes: ["AuthorityNotYetValid"],
    },
    {
      name: "have a Service that does not exist",
      given: { services: new Map([["fed/webhook", { exists: false, ready: undefined }]]) },
      codes: ["ServiceMissing"],
    },
    {
      name: "have a Service without endpoints",
      given: { services: new Map([["fed/webhook", { exists: true, ready: 0 }]]) },
      codes: ["NoEndpoints"],
    },
    {
      name: "have a Service whose endpoints the person may not read",
      given: { services: new Map([["fed/webhook", { exists: true, ready: undefined }]]) },
      codes: [],
    },
    {
      name: "show a certificate that has ended",
      given: serving(0.5).then((pem) => ({ serving: pem })),
      codes: ["CertificateExpired"],
    },
    {
      name: "show a certificate that ends soon",
      given: serving(5).then((pem) => ({ serving: pem })),
      codes: ["CertificateEnds"],
    },
    {
      name: "show a certificate of an authority that the hub does not trust",
      given: serving(90, other).then((pem) => ({ serving: pem })),
      codes: ["CertificateUntrusted"],
    },
    {
      name: "that convert a kind count, too",
      given: {
        configurations: [],
        crds: [converted],
        expected: false,
        services: new Map([["fed/gone", { exists: false, ready: undefined }]]),
      },
      codes: ["BundleMissing", "ServiceMissing"],
    },
  ])("$name", async ({ given, codes }) => {
    const { findings } = checkWebhooks(facts(await given));
    expect(findings.map(({ code }) => code)).toEqual(codes);
    expect(JSON.stringify(findings)).not.toContain("BEGIN");
  });

  test("have the Services of configurations and of conversions", () => {
    expect(servicesOf([calling(ours), configuration({ url: "https://192.0.2.7" })], [converted])).toEqual([
      ["fed", "webhook"],
      ["fed", "gone"],
    ]);
  });

  test("count the endpoints that are ready, and those of which nothing is said", () => {
    const slice = (endpoints: unknown): KubeObject => ({
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "webhook-1" },
      endpoints,
    });
    const endpoints = [{ conditions: { ready: true } }, { conditions: { ready: false } }, {}];
    expect(readyEndpoints([slice(endpoints), slice(null)])).toBe(2);
  });
});

import { beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import { CertificateAuthority } from "../certificates/index.ts";
import { bundleOf } from "./certificates/index.ts";
import { conversionOf, hostsOf, webhookConfigurations, type WebhookTarget } from "./configurations.ts";
import { bundlesIn, configurationPart, wantedObject } from "./wanted.ts";

const service: WebhookTarget = { kind: "Service", namespace: "meridian-system", name: "meridian-webhook", port: 443 };
const url: WebhookTarget = { kind: "Url", url: "https://127.0.0.1:9443/" };
const HELM = { "app.kubernetes.io/managed-by": "Helm" };

let mine: string;
let theirs: string;

beforeAll(async () => {
  const authorities = ["mine", "theirs"].map((name) => CertificateAuthority.create({ name, now: Date.now() }));
  const pems = await Promise.all(authorities.map(async (one) => (await one).caPem));
  mine = bundleOf([pems[0] ?? ""]);
  theirs = bundleOf([pems[1] ?? ""]);
});

const crd = (conversion?: object, annotations: Record<string, string> = {}): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "demoapplications.paas.cmft.com", annotations },
  spec: { group: "paas.cmft.com", ...(conversion === undefined ? {} : { conversion }) },
});

const wantCrd = (live: KubeObject | undefined, bundle: string | undefined, kept: string[] = []) =>
  wantedObject({ kind: "CustomResourceDefinition", live, target: service, name: "meridian", bundle, kept });
const wantConfiguration = (live: KubeObject | undefined, bundle: string | undefined, kept: string[] = []) =>
  wantedObject({ kind: "ValidatingWebhookConfiguration", live, target: service, name: "meridian", bundle, kept });

function installed(bundle: string | undefined, labels: Record<string, string> = {}): KubeObject {
  const validating = webhookConfigurations("meridian", service, bundle).find(({ kind }) =>
    kind.startsWith("Validating"),
  );
  if (validating === undefined) throw new Error("there is no such configuration");
  const webhooks = (validating["webhooks"] as object[]).map((one) => ({
    objectSelector: {},
    namespaceSelector: {},
    ...one,
  }));
  return {
    ...validating,
    metadata: { name: "meridian", labels: { ...validating.metadata.labels, ...labels } },
    webhooks,
  };
}

describe("what is written of the webhooks", () => {
  test("the CRD's conversion, and nothing when it is right or there is no CRD", () => {
    expect(wantCrd(crd({ strategy: "None" }), mine)?.["spec"]).toEqual({ conversion: conversionOf(service, mine) });
    expect(wantCrd(crd(conversionOf(service, mine)), mine)).toBeUndefined();
    expect(wantCrd(undefined, mine)).toBeUndefined();
  });

  test("the conversion of each CRD under the CRD's own name", () => {
    const live = { ...crd({ strategy: "None" }), metadata: { name: "placements.federation.paas.cmft.com" } };
    expect(wantCrd(live, mine)).toEqual({
      metadata: { name: "placements.federation.paas.cmft.com" },
      spec: { conversion: conversionOf(service, mine) },
    });
  });

  test("a configuration as a whole where it is missing or ours, and nothing when only the server's defaults stand beside it", () => {
    expect(wantConfiguration(undefined, mine)).toEqual(webhookConfigurations("meridian", service, mine)[1]);
    expect(wantConfiguration(installed(mine), mine)).toBeUndefined();
    expect(wantConfiguration(installed(undefined), mine)).toEqual(webhookConfigurations("meridian", service, mine)[1]);
  });

  test("of a chart's configuration only the bundle, whatever its webhooks are called", () => {
    const live = {
      ...installed(undefined, HELM),
      webhooks: [{ name: "other.example.com", clientConfig: { service: {} } }],
    };
    expect(wantConfiguration(live, mine)).toEqual({
      metadata: { name: "meridian" },
      webhooks: [{ name: "other.example.com", clientConfig: { caBundle: Buffer.from(mine).toString("base64") } }],
    });
    expect(wantConfiguration(installed(mine, HELM), mine)).toBeUndefined();
  });

  test("no bundle where cert-manager fills it in, or where none is known", () => {
    const injected = crd({ strategy: "None" }, { "cert-manager.io/inject-ca-from": "a/b" });
    expect(wantCrd(injected, mine)?.["spec"]).toEqual({ conversion: conversionOf(service) });
    expect(wantCrd({ ...injected, spec: { conversion: conversionOf(service, theirs) } }, mine)).toBeUndefined();
    expect(wantConfiguration(installed(theirs, HELM), undefined)).toBeUndefined();
  });

  test("what is kept of a bundle stays beside what is wanted, in the same order for every replica", () => {
    const both = bundleOf([mine, theirs]);
    expect(wantCrd(crd(conversionOf(service, both)), mine, [theirs])).toBeUndefined();
    expect(wantCrd(crd(conversionOf(service, both)), theirs, [mine])).toBeUndefined();
    expect(wantCrd(crd(conversionOf(service, both)), mine)?.["spec"]).toEqual({
      conversion: conversionOf(service, mine),
    });
    expect(bundlesIn(configurationPart(crd(conversionOf(service, both)))).toSorted()).toEqual(
      [mine, theirs].toSorted(),
    );
    expect(bundlesIn(crd({ strategy: "None" }))).toEqual([]);
  });

  test("an address without a doubled slash, and the names that the server asks the certificate for", () => {
    expect(conversionOf(url)).toMatchObject({ webhook: { clientConfig: { url: "https://127.0.0.1:9443/convert" } } });
    expect(hostsOf(url)).toEqual(["127.0.0.1"]);
    expect(hostsOf({ kind: "Url", url: "https://[::1]:9443" })).toEqual(["::1"]);
    expect(hostsOf(service)).toContain("meridian-webhook.meridian-system.svc");
  });

  test("asks nobody about an update without a change of spec, labels or annotations, and fails open where a team deploys", () => {
    const webhooks = webhookConfigurations("meridian", service).flatMap(
      (one) => one["webhooks"] as Record<string, unknown>[],
    );
    const policies = Object.fromEntries(webhooks.map((one) => [one["name"], one["failurePolicy"]]));
    expect(policies).toEqual({
      "defaulting.paas.cmft.com": "Ignore",
      "applications.paas.cmft.com": "Ignore",
      "federation.paas.cmft.com": "Fail",
      "approvals.paas.cmft.com": "Fail",
      "deletion.paas.cmft.com": "Fail",
      "namespaces.paas.cmft.com": "Ignore",
    });
    for (const webhook of webhooks) {
      const operations = (webhook["rules"] as { operations: string[] }[]).flatMap((rule) => rule.operations);
      if (operations.includes("UPDATE")) expect(webhook["matchConditions"], String(webhook["name"])).toHaveLength(1);
    }
  });
});

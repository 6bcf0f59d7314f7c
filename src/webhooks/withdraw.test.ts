import { describe, expect, test } from "vitest";
import { crdNameOf, KINDS } from "../apis/index.ts";
import { CRDS, isNotFound } from "../runtime/index.ts";
import { FakeClient } from "../runtime/testing/fakeClient.ts";
import { conversionOf, webhookConfigurations, type WebhookTarget } from "./configurations.ts";
import { ADMISSION_TYPES } from "./publisher.ts";
import { withdrawWebhooks } from "./withdraw.ts";

const target: WebhookTarget = { kind: "Url", url: "https://127.0.0.1:9443" };
const CRD = "demoapplications.paas.cmft.com";
const CRD_NAMES = KINDS.map(crdNameOf);
const VERSIONS = [
  { name: "v1", served: true, storage: true, schema: {} },
  { name: "v1beta1", served: true, storage: false, schema: {} },
];
/** As many as there are CRDs. */
const ALL = CRD_NAMES.length;
const PEM = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n";

function hubWithWebhooks(labels: Record<string, string> = {}): FakeClient {
  const hub = new FakeClient();
  for (const name of CRD_NAMES) {
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name } };
    hub.server.create(CRDS, { ...crd, spec: { versions: VERSIONS, conversion: conversionOf(target) } });
  }
  for (const type of ADMISSION_TYPES) {
    const configuration = webhookConfigurations("meridian", target).find(({ kind }) => kind === type.kind);
    if (configuration === undefined) throw new Error(`there is no ${type.kind}`);
    hub.server.create(type, { ...configuration, metadata: { name: "meridian", labels } });
  }
  return hub;
}

async function remaining(hub: FakeClient): Promise<string[]> {
  const found = await Promise.all(
    ADMISSION_TYPES.map(async (type) => {
      try {
        return [(await hub.get(type, undefined, "meridian")).kind];
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return [];
      }
    }),
  );
  return found.flat();
}

const withdraw = (hub: FakeClient, dryRun = false) =>
  withdrawWebhooks(hub, "meridian", new AbortController().signal, dryRun);
const specOf = (hub: FakeClient, crd: string) => hub.server.get(CRDS, undefined, crd)["spec"];

describe("taking the webhooks back", () => {
  test("removes the configurations and the conversion, and a second time finds nothing to do", async () => {
    const hub = hubWithWebhooks();
    expect(await withdraw(hub)).toHaveLength(2 + ALL);
    expect(await remaining(hub)).toEqual([]);
    const [stored, other] = VERSIONS;
    const versions = [stored, { ...other, served: false }];
    for (const name of CRD_NAMES)
      expect(specOf(hub, name), name).toEqual({ versions, conversion: { strategy: "None" } });
    expect(await withdraw(hub)).toEqual([]);
  });

  test("leaves a chart's configurations to the chart", async () => {
    const hub = hubWithWebhooks({ "app.kubernetes.io/managed-by": "Helm" });
    expect(await withdraw(hub)).toEqual(CRD_NAMES.map((name) => `customresourcedefinition/${name}`));
    expect(await remaining(hub)).toHaveLength(2);
  });

  describe("beside another release", () => {
    const other: WebhookTarget = { kind: "Service", namespace: "meridian-v2", name: "meridian-v2-webhook", port: 443 };

    function hubWithTwo(): FakeClient {
      const hub = hubWithWebhooks();
      for (const type of ADMISSION_TYPES) {
        const configuration = webhookConfigurations("meridian-v2", other, PEM).find(({ kind }) => kind === type.kind);
        if (configuration !== undefined) hub.server.create(type, configuration);
      }
      return hub;
    }

    test("conversion passes to that one", async () => {
      const hub = hubWithTwo();
      expect(await withdraw(hub)).toHaveLength(2 + ALL);
      const conversion = conversionOf(other, PEM);
      for (const name of CRD_NAMES) expect(specOf(hub, name), name).toEqual({ versions: VERSIONS, conversion });
    });

    test("conversion that is there already is left alone", async () => {
      const hub = hubWithTwo();
      const conversion = conversionOf(other, "a newer bundle");
      hub.server.merge(CRDS, undefined, CRD, { spec: { conversion: { webhook: null } } });
      hub.server.merge(CRDS, undefined, CRD, { spec: { conversion } });
      expect(await withdraw(hub)).toHaveLength(2 + ALL - 1);
      expect(specOf(hub, CRD)).toEqual({ versions: VERSIONS, conversion });
    });
  });

  test("changes nothing in a dry run, and says what it would", async () => {
    const hub = hubWithWebhooks();
    const before = CRD_NAMES.map((name) => specOf(hub, name));
    expect(await withdraw(hub, true)).toHaveLength(2 + ALL);
    expect(await remaining(hub)).toHaveLength(2);
    expect(CRD_NAMES.map((name) => specOf(hub, name))).toEqual(before);
  });
});

import { describe, expect, test } from "vitest";
import { DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, type ResourceType, SECRETS } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";
import { secret } from "./objects.ts";

const INGRESSES: ResourceType = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "Ingress",
  plural: "ingresses",
  namespaced: true,
};

const shop = demoApplication("shop").port(80);
const open = shop.ingress("shop.example.com", "shop-tls");

/** `shop` runs on shanghai, without an ingress; on singapore nothing does. */
async function running(): Promise<TestFederation> {
  const federation = await TestFederation.start("shanghai", "singapore");
  await federation.apply(SECRETS, secret("shop-tls", { "tls.crt": "Yw==", "tls.key": "aw==" }));
  await federation.apply(PLACEMENTS, placement("all").onClusters("shanghai"));
  await federation.apply(DEMOAPPLICATIONS, shop);
  await federation.untilAvailable("shop");
  return federation;
}

const isOn = (federation: TestFederation, type: ResourceType, name: string): boolean =>
  federation.member("shanghai").server.has(type, "default", name);

describe("an application that asks for an ingress", () => {
  test("gets one with its certificate, and nobody watched for ingresses before, or does so elsewhere", async () => {
    await using federation = await running();
    const watched = (name: string): boolean => federation.member(name).server.watched.includes("ingresses");
    await federation.pass(5_000);
    expect(["shanghai", "singapore"].map(watched)).toEqual([false, false]);
    expect(isOn(federation, SECRETS, "shop-tls")).toBe(false);

    await federation.apply(DEMOAPPLICATIONS, open);
    await federation.until(() => isOn(federation, INGRESSES, "shop") && isOn(federation, SECRETS, "shop-tls"));
    await federation.untilAvailable("shop");
    expect(federation.member("shanghai").server.get(INGRESSES, "default", "shop")["spec"]).toMatchObject({
      tls: [{ hosts: ["shop.example.com"], secretName: "shop-tls" }],
      rules: [{ host: "shop.example.com" }],
    });
    expect(["shanghai", "singapore"].map(watched)).toEqual([true, false]);
  });

  test("loses it too when it asked for none any more while no manager was there", async () => {
    await using federation = await running();
    await federation.apply(DEMOAPPLICATIONS, open);
    await federation.until(() => isOn(federation, INGRESSES, "shop"));
    await federation.untilAvailable("shop");
    await federation.stopManager();
    await federation.apply(DEMOAPPLICATIONS, shop);
    await federation.startManager();
    await federation.until(() => !isOn(federation, INGRESSES, "shop"));
    await federation.until(() => federation.status("shop")?.kinds === undefined);
  });

  test("leaves nothing when it is deleted while no manager was there", async () => {
    await using federation = await running();
    await federation.apply(DEMOAPPLICATIONS, open);
    await federation.until(() => isOn(federation, INGRESSES, "shop"));
    await federation.untilAvailable("shop");
    await federation.stopManager();
    await federation.delete(DEMOAPPLICATIONS, "shop");
    await federation.startManager();
    await federation.until(() => federation.app("shop") === undefined);
    for (const type of [INGRESSES, DEPLOYMENTS]) expect(isOn(federation, type, "shop")).toBe(false);
  });
});

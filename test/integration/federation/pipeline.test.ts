import { expect, test } from "vitest";
import { CONFIGMAPS, DEMOAPPLICATIONS, DEPLOYMENTS, PLACEMENTS, SECRETS, SERVICES } from "../../../src/runtime/index.ts";
import { demoApplication, placement } from "../../builders/index.ts";
import { TestFederation } from "./harness.ts";

test("an application runs on every chosen cluster, and its status says so", async () => {
  await using federation = await TestFederation.start("shanghai", "singapore");
  federation.apply(PLACEMENTS, placement("all"));
  federation.apply(DEMOAPPLICATIONS, demoApplication("shop").replica(2).port(80));
  await federation.untilAvailable("shop");
  for (const name of ["shanghai", "singapore"]) {
    const { server } = federation.member(name);
    expect(server.get(DEPLOYMENTS, "default", "shop")["spec"]).toMatchObject({ replicas: 2 });
    expect(server.has(SERVICES, "default", "shop")).toBe(true);
    expect(federation.member(name).writes).toEqual(["apply deployments", "apply services"]);
  }
  expect(federation.status("shop")).toMatchObject({ replicas: { desired: 4, ready: 4 }, availableClusters: "2/2" });
});

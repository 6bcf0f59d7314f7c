import { expect, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import type { Policy } from "../../hub/index.ts";
import { policyStatus } from "../../status/index.ts";
import { ungrantedKinds } from "./ungrantedKinds.ts";

const type = (group: string, kind: string, plural: string) => ({
  group,
  version: "v1",
  kind,
  plural,
  namespaced: true,
});
const hub = {
  deniedKinds: () => [type("mysql.presslabs.org", "MysqlCluster", "mysqlclusters"), type("", "Service", "services")],
};
const selecting = (...selectors: { apiVersion: string; kind: string }[]) =>
  clusterPlacementObject({ resourceSelectors: selectors }) as unknown as Policy;
const messageOf = (ungranted: string[]) =>
  policyStatus({ generation: 1, matched: 0, decisions: [], ungranted }, 0).conditions?.[0];

test("a policy names the kinds of its own that the manager may not read", () => {
  const databases = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
  const services = { apiVersion: "v1", kind: "Service" };
  expect(ungrantedKinds(selecting(databases), hub)).toEqual({ ungranted: ["mysqlclusters.mysql.presslabs.org"] });
  expect(ungrantedKinds(selecting(services, databases), hub)).toEqual({
    ungranted: ["mysqlclusters.mysql.presslabs.org", "services"],
  });
  expect(ungrantedKinds(selecting({ apiVersion: "apps/v1", kind: "Deployment" }), hub)).toEqual({});
});

test("its status says what grants them", () => {
  expect(messageOf(["services"])).toMatchObject({
    type: "Ready",
    status: "False",
    reason: "KindNotGranted",
    message: "on the hub: no right to list services; add to rbac.kinds or install --kinds",
  });
  const long = "continuousdeploymentpipelines.applications.platform.example.com";
  for (const kinds of [["mysqlclusters.mysql.presslabs.org"], ["a.example.com", "b.example.com"], [long]]) {
    const { message = "" } = messageOf(kinds) ?? {};
    expect(message.length).toBeLessThanOrEqual(120);
    expect(message).toContain(kinds[0]);
    expect(message).toMatch(/rbac\.kinds.*install --kinds/);
  }
});

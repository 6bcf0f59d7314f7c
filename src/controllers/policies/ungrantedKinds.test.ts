import { expect, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import type { Policy } from "../../hub/index.ts";
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

test("a policy names the kinds of its own that the manager may not read", () => {
  const databases = { apiVersion: "mysql.presslabs.org/v1alpha1", kind: "MysqlCluster" };
  const services = { apiVersion: "v1", kind: "Service" };
  expect(ungrantedKinds(selecting(databases), hub)).toEqual({ ungranted: ["mysqlclusters.mysql.presslabs.org"] });
  expect(ungrantedKinds(selecting(services, databases), hub)).toEqual({
    ungranted: ["mysqlclusters.mysql.presslabs.org", "services"],
  });
  expect(ungrantedKinds(selecting({ apiVersion: "apps/v1", kind: "Deployment" }), hub)).toEqual({});
});

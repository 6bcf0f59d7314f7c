import { describe, expect, test } from "vitest";
import type { FullOptions } from "../full/index.ts";
import { identity, object, placed } from "../testing/fleet.ts";
import { APPS, CLUSTERS, served } from "../testing/served.ts";

const PATH = "/namespaces/a/federatedobjects/DemoApplication.paas.cmft.com:shop";

async function fleet() {
  const api = await served();
  api.commit({ objects: [object("shop", [placed("eu-1")])] });
  const asked: FullOptions[] = [];
  api.server.lead(api.engine, {
    full: {
      of: async (row, transitions, options) => {
        asked.push(options);
        return { ...row, conditions: [], placed: [], transitions, differences: [], notes: ["whole"] };
      },
    },
  });
  const admin = api.hub.user("admin", { [APPS]: ["*"], [CLUSTERS]: ["*"] });
  const tenant = api.hub.user("tenant", { [APPS]: ["a"] });
  return { ...api, admin, tenant, asked };
}

describe("full", () => {
  test("answers whoever may read the row, with his right on clusters", async () => {
    const { json, admin, tenant, asked } = await fleet();
    const { code, body } = await json(`${PATH}/full?cluster=eu-1,us-1`, admin);
    expect([code, body.kind, body.metadata.name]).toEqual([
      ...[200, "FullFederatedObject", "DemoApplication.paas.cmft.com:shop"],
    ]);
    expect(body["status"]).toMatchObject({ ...identity("shop"), notes: ["whole"], transitions: [] });
    expect((await json(`${PATH}/full`, tenant)).code).toBe(200);
    expect(asked).toEqual([{ mayReadClusters: true, clusters: new Set(["eu-1", "us-1"]) }, { mayReadClusters: false }]);
  });

  test.each([
    { path: `${PATH}/full?limit=1`, code: 400, message: "cluster" },
    { path: `${PATH}/full/more`, code: 404, message: "no such path" },
    { path: `${PATH}/status`, code: 404, message: "no such path" },
    { path: PATH.replace(":shop", ":nothing").concat("/full"), code: 404, message: "there is no" },
    { path: "/fleetclusters/eu-1/full", code: 404, message: "no such path" },
  ])("$path is $code", async ({ path, code, message }) => {
    const { json, admin, asked } = await fleet();
    const answer = await json(path, admin);
    expect([answer.code, answer.body.message]).toEqual([code, expect.stringContaining(message)]);
    expect(asked).toEqual([]);
  });

  test("is refused as the row is, and nothing is read", async () => {
    const { json, tenant, asked } = await fleet();
    const path = PATH.replace("/a/", "/b/");
    const [row, whole] = [await json(path, tenant), await json(`${path}/full`, tenant)];
    expect(whole).toEqual(row);
    expect([whole.code, asked]).toEqual([403, []]);
  });

  test("is bounded for each user", async () => {
    const { json, tenant, admin } = await fleet();
    for (let i = 0; i < 10; i += 1) expect((await json(`${PATH}/full`, tenant)).code).toBe(200);
    expect((await json(`${PATH}/full`, tenant)).code).toBe(429);
    expect((await json(`${PATH}/full`, admin)).code).toBe(200);
    expect((await json(PATH, tenant)).code).toBe(200);
  });

  test("is 404 while this manager cannot tell, and 503 without a leader", async () => {
    const bare = await served();
    bare.commit({ objects: [object("shop", [placed("eu-1")])] });
    const admin = bare.hub.user("admin", { [APPS]: ["*"] });
    expect((await bare.json(`${PATH}/full`, admin)).code).toBe(404);
    const follower = await served({ isFollower: true });
    expect((await follower.json(`${PATH}/full`, follower.hub.user("admin", { [APPS]: ["*"] }))).code).toBe(503);
  });

  test("is in the discovery documents", async () => {
    const { json, tenant } = await fleet();
    const { body } = await json("/apis/query.federation.paas.cmft.com/v1alpha1", tenant);
    expect(body["resources"]).toContainEqual({
      ...{ name: "federatedobjects/full", singularName: "", namespaced: true, kind: "FullFederatedObject" },
      verbs: ["get"],
    });
  });
});

import { describe, expect, test } from "vitest";
import { failing, identity, object, placed } from "../testing/fleet.ts";
import { APPS, CLUSTERS, served } from "../testing/served.ts";

const SHOP = object("shop", [placed("eu-1"), failing("us-1", "ImagePullBackOff")], {
  worst: { cluster: "us-1", reason: "ImagePullBackOff" },
});
const CART = object("cart", [placed("eu-1")], { identity: identity("cart", { namespace: "b" }) });

const SHOP_BY_NAME = `fieldSelector=${encodeURIComponent("metadata.name=DemoApplication.paas.cmft.com:shop")}`;

async function fleet(options: Parameters<typeof served>[0] = {}) {
  const api = await served(options);
  api.commit({
    objects: [SHOP, CART],
    clusters: [{ name: "eu-1", region: "eu", state: "Ready", stale: false, labels: {} }],
  });
  const admin = api.hub.user("admin", { [APPS]: ["*"], "deployments.apps": ["*"], [CLUSTERS]: ["*"] });
  const tenant = api.hub.user("tenant", { [APPS]: ["b"] });
  return { ...api, admin, tenant };
}

describe("who asks", () => {
  test.each([
    { name: "nobody", headers: {} },
    { name: "an unknown token", headers: { authorization: "Bearer nonsense" } },
    { name: "an empty token", headers: { authorization: "Bearer " } },
    { name: "a name and password", headers: { authorization: "Basic YWRtaW46YWRtaW4=" } },
    {
      name: "headers of a proxy without its certificate",
      headers: { "x-remote-user": "admin", "x-remote-group": "system:masters" },
    },
  ])("$name is answered with 401", async ({ headers }) => {
    const { json } = await fleet();
    const { code, body } = await json("/federatedobjects", undefined, { headers: headers as Record<string, string> });
    expect([code, body.kind, body.reason]).toEqual([401, "Status", "Unauthorized"]);
  });

  test("the anonymous user of the hub is nobody", async () => {
    const { json, hub } = await fleet();
    hub.tokens.set("anonymous", { username: "system:anonymous", groups: ["system:unauthenticated"] });
    expect((await json("/federatedobjects", "anonymous")).code).toBe(401);
  });

  test("a user does not get the rights of another by Impersonate headers", async () => {
    const { json, tenant, hub } = await fleet({ self: () => "system:serviceaccount:meridian:manager" });
    const headers = { "impersonate-user": "admin" };
    expect((await json("/federatedobjects", tenant, { headers })).code).toBe(403);
    expect(hub.accessReviews).toEqual([]);
  });

  test("another replica asks in the name of its user", async () => {
    const { json, hub } = await fleet({ self: () => "manager" });
    const manager = hub.user("manager", { [APPS]: ["*"] });
    const { body } = await json("/federatedobjects", manager, { headers: { "impersonate-user": "tenant" } });
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(["DemoApplication.paas.cmft.com:cart"]);
  });

  test("a token is reviewed once in 10 seconds, and then again", async () => {
    const { json, hub, tenant, clock } = await fleet();
    await Promise.all([json("/federatedobjects", tenant), json("/federatedobjects", tenant)]);
    await json("/federatedobjects", tenant);
    expect(hub.tokenReviews).toEqual([tenant]);
    hub.tokens.delete(tenant);
    await clock.advance(10_000);
    expect((await json("/federatedobjects", tenant)).code).toBe(401);
  });

  test("a hub that does not answer is 503, and the answer does not quote the token", async () => {
    const { json, hub, tenant, lines } = await fleet();
    hub.failure = new Error(`POST tokenreviews {"token":"${tenant}"}`);
    const { code, body } = await json("/federatedobjects", tenant);
    expect([code, body.reason]).toEqual([503, "ServiceUnavailable"]);
    expect(JSON.stringify([body, lines])).not.toContain(tenant);
    hub.failure = undefined;
    expect((await json("/federatedobjects", tenant)).code).toBe(200);
  });
});

describe("lists", () => {
  test("show rows as Kubernetes objects, with totals and a version", async () => {
    const { json, admin } = await fleet();
    const { code, body } = await json("/federatedobjects?sort=name", admin);
    expect(code).toBe(200);
    expect(body).toMatchObject({
      kind: "FederatedObjectList",
      apiVersion: "query.federation.paas.cmft.com/v1alpha1",
      metadata: { resourceVersion: expect.stringMatching(/^\d+$/) },
      totals: { count: 2, ready: 4, desired: 6 },
      partial: [],
    });
    expect(body.items[0]).toMatchObject({
      kind: "FederatedObject",
      metadata: { name: "DemoApplication.paas.cmft.com:cart", namespace: "b" },
      status: { kind: "DemoApplication", name: "cart", ready: 2 },
    });
  });

  test("go on with the token of the page before, which serves no other user", async () => {
    const { json, admin, hub } = await fleet();
    const first = await json("/federatedobjects?limit=1", admin);
    const next = `/federatedobjects?limit=1&continue=${first.body.metadata.continue}`;
    const other = hub.user("other", { [APPS]: ["*"] });
    expect((await json(next, other)).code).toBe(410);
    expect((await json(next, admin)).body.items).toHaveLength(1);
  });

  test.each([
    { path: "/federatedobjects?colour=red", message: "unknown parameter" },
    { path: "/federatedobjects?limit=many", message: "limit" },
    { path: "/namespaces/a/federatedobjects?namespace=b", message: "namespace" },
    { path: "/federatedobjects?fieldSelector=spec.x%3D1", message: "fieldSelector" },
    { path: "/federatedobjects?watch=perhaps", message: "watch" },
    { path: "/federatedobjects/%E0%A4%A", message: "percent" },
    {
      path: "/namespaces/a/federatedobjects?fieldSelector=metadata.namespace%3Db",
      message: "both select by namespace",
    },
    { path: `/federatedobjects?kind=Deployment&${SHOP_BY_NAME}`, message: "both select by kind" },
    { path: `/federatedobjects?cel=true&${SHOP_BY_NAME}`, message: "both select by cel" },
    { path: "/fleetclusters?fieldSelector=metadata.namespace%3Da", message: "takes metadata.name=NAME; use" },
    { path: "/causes?fieldSelector=metadata.name%3Dx", message: "takes metadata.namespace=NAME; use" },
    { path: "/federatedobjects?state=degraded", message: "state takes Available, Progressing, Degraded" },
    { path: "/placedobjects?state=Ready", message: "state takes Pending, " },
    { path: "/federatedobjects?waitingFor=Approval", message: "waitingFor takes contact, " },
  ])("$path is 400 and says why", async ({ path, message }) => {
    const { json, admin } = await fleet();
    const { code, body } = await json(path, admin);
    expect([code, body.reason]).toEqual([400, "BadRequest"]);
    expect(body.message).toContain(message);
  });

  test("accept what kubectl sends along", async () => {
    const { json, admin } = await fleet();
    const kubectl = "limit=500&resourceVersion=0&includeObject=Object&pretty=false&timeoutSeconds=5";
    expect((await json(`/namespaces/b/federatedobjects?${kubectl}`, admin)).body.totals.count).toBe(1);
    const name = encodeURIComponent("metadata.name=DemoApplication.paas.cmft.com:shop");
    const { body } = await json(`/namespaces/a/federatedobjects?fieldSelector=${name}`, admin);
    expect(body.items.map(({ status }) => status["name"])).toEqual(["shop"]);
  });

  test("by a field selector are within the namespace of the path", async () => {
    const { json, admin } = await fleet();
    for (const namespaces of ["", `,metadata.namespace%3Da`]) {
      const { body } = await json(`/namespaces/a/federatedobjects?${SHOP_BY_NAME}${namespaces}`, admin);
      expect(body.items.map(({ status }) => status["name"])).toEqual(["shop"]);
    }
    const { body } = await json("/federatedobjects?fieldSelector=metadata.namespace%3Db", admin);
    expect(body.items.map(({ status }) => status["name"])).toEqual(["cart"]);
  });

  test("heed every parameter after a question mark in an expression", async () => {
    const { json, admin } = await fleet();
    const { body } = await json("/federatedobjects?cel=object.ready>0?false:true&limit=1", admin);
    expect(body.totals.count).toBe(0);
    expect((await json("/federatedobjects?cel=true?true:false&colour=red", admin)).code).toBe(400);
  });

  test("are tables for kubectl", async () => {
    const { json, admin } = await fleet();
    const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" };
    const { body } = await json("/namespaces/a/federatedobjects", admin, { headers });
    expect(body.kind).toBe("Table");
    expect(body["columnDefinitions"]).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: "Object", type: "string", priority: 0 })]),
    );
    const [row] = body["rows"] as { cells: unknown[]; object: unknown }[];
    expect(row?.cells.slice(0, 5)).toEqual([
      ...["DemoApplication/shop", "2/4", "1/2", "Degraded"],
      "us-1:ImagePullBackOff",
    ]);
    expect(row?.object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { namespace: "a" } });
  });

  test("warn of clusters whose rows may be out of date, which kubectl prints", async () => {
    const { ask, admin, commit } = await fleet();
    const lost = { region: "eu", state: "Unreachable", reason: "ClusterUnreachable", stale: true, labels: {} };
    commit({ clusters: ["eu-1", "us-1", "c", "d", "e", "f", "g"].map((name) => ({ name, ...lost })) });
    const response = await ask("/federatedobjects", admin);
    const { partial } = (await response.json()) as { partial: unknown[] };
    const warning = response.headers.get("warning") ?? "";
    expect(partial.length).toBeGreaterThan(0);
    expect(warning).toMatch(/^299 - "rows of [a-z0-9-]+ may be out of date: ClusterUnreachable"/);
    expect(warning.split("299 -").length - 1).toBe(Math.min(partial.length, 6));
  });

  test("are refused in a form that there is not", async () => {
    const { json, admin } = await fleet();
    const { code } = await json("/federatedobjects", admin, { headers: { accept: "application/yaml" } });
    expect(code).toBe(406);
  });

  test.each(["federatedobjects", "placedobjects", "fleetclusters", "causes", "transitions"])(
    "%s has a list, a table and a row of counts in the metrics",
    async (resource) => {
      const { json, admin, calls } = await fleet();
      expect((await json(`/${resource}`, admin)).code).toBe(200);
      const headers = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
      expect((await json(`/${resource}`, admin, { headers })).body.kind).toBe("Table");
      expect(calls).toEqual([
        { resource, code: 200 },
        { resource, code: 200 },
      ]);
    },
  );
});

describe("one row", () => {
  test.each([
    { path: "/namespaces/a/federatedobjects/DemoApplication.paas.cmft.com:shop", kind: "FederatedObject" },
    { path: "/namespaces/a/placedobjects/DemoApplication.paas.cmft.com:shop:us-1", kind: "PlacedObject" },
    { path: "/fleetclusters/eu-1", kind: "FleetCluster" },
  ])("$path is a $kind", async ({ path, kind }) => {
    const { json, admin } = await fleet();
    const { code, body } = await json(path, admin);
    expect([code, body.kind]).toEqual([200, kind]);
    expect(path.endsWith(`/${body.metadata.name}`)).toBe(true);
  });

  test.each([
    "/namespaces/a/federatedobjects/DemoApplication.paas.cmft.com:gone",
    "/namespaces/a/placedobjects/DemoApplication.paas.cmft.com:shop:mars",
    "/namespaces/a/federatedobjects/shop",
    "/fleetclusters/mars",
    "/causes/imagepullbackoff",
    "/elephants",
    "/namespaces/a/fleetclusters",
  ])("%s is 404 for whoever may read all", async (path) => {
    const { json, admin } = await fleet();
    const { code, body } = await json(path, admin);
    expect([code, body.kind, body.reason]).toEqual([404, "Status", "NotFound"]);
  });
});

describe("the size of requests", () => {
  test.each([
    { name: "a long address", path: `/federatedobjects?cel=${"x".repeat(9_000)}`, init: {}, code: 414 },
    { name: "a body", path: "/federatedobjects", init: { method: "POST", body: "{}" }, code: 405 },
    { name: "another method", path: "/federatedobjects", init: { method: "DELETE" }, code: 405 },
    {
      name: "a header of 40 kB",
      path: "/federatedobjects",
      init: { headers: { "x-a": "a".repeat(40_000) } },
      code: 431,
    },
  ])("$name is $code, before anybody is asked", async ({ path, init, code }) => {
    const { ask, hub, admin } = await fleet();
    expect((await ask(path, admin, init)).status).toBe(code);
    expect(hub.tokenReviews).toEqual([]);
  });
});

describe("limits", () => {
  test("a user who asks too often waits, and others do not", async () => {
    const { ask, json, admin, tenant, clock } = await fleet({ limits: { requests: { perSecond: 1, burst: 2 } } });
    expect((await json("/federatedobjects", admin)).code).toBe(200);
    expect((await json("/federatedobjects", admin)).code).toBe(200);
    const refused = await ask("/federatedobjects", admin);
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "1"]);
    expect(await refused.json()).toMatchObject({ reason: "TooManyRequests", details: { retryAfterSeconds: 1 } });
    expect((await json("/federatedobjects", tenant)).code).toBe(200);
    await clock.advance(1_000);
    expect((await json("/federatedobjects", admin)).code).toBe(200);
  });

  test("guessed tokens cost the hub no more reviews than the limit allows", async () => {
    const { json, hub, admin } = await fleet({ limits: { strangers: { perSecond: 1, burst: 3 } } });
    await json("/federatedobjects", admin);
    const codes = [];
    for (let guess = 0; guess < 5; guess += 1) codes.push((await json("/federatedobjects", `guess-${guess}`)).code);
    expect(codes).toEqual([401, 401, 429, 429, 429]);
    expect(hub.tokenReviews).toHaveLength(3);
    expect((await json("/federatedobjects", admin)).code).toBe(200);
  });

  test("the reviews of rights are few: one for each kind, and one for each namespace", async () => {
    const { json, hub, tenant } = await fleet();
    await json("/federatedobjects", tenant);
    await json("/placedobjects", tenant);
    expect(hub.accessReviews.toSorted()).toEqual([
      "tenant list demoapplications.paas.cmft.com/*",
      "tenant list demoapplications.paas.cmft.com/a",
      "tenant list demoapplications.paas.cmft.com/b",
      "tenant list deployments.apps/*",
      "tenant list memberclusters.federation.paas.cmft.com/*",
    ]);
  });
});

interface Described {
  parameters?: { name: string }[];
  get: { operationId: string; parameters?: { name: string }[] };
}

describe("documents", () => {
  test.each([
    { path: "/apis", kind: "APIGroupList" },
    { path: "/apis/query.federation.paas.cmft.com", kind: "APIGroup" },
    { path: "/apis/query.federation.paas.cmft.com/v1alpha1", kind: "APIResourceList" },
  ])("$path is a discovery document", async ({ path, kind }) => {
    const { json, tenant } = await fleet();
    expect((await json(path, tenant)).body.kind).toBe(kind);
    expect((await json(path)).code).toBe(401);
  });

  test("the description names every parameter that a list takes", async () => {
    const { json, admin } = await fleet();
    const index = await json("/openapi/v3", admin);
    const [found] = Object.values(index.body["paths"] as Record<string, { serverRelativeURL: string }>);
    const { body } = await json(found?.serverRelativeURL ?? "", admin);
    const paths = body["paths"] as Record<string, { get: { parameters?: { name: string; description: string }[] } }>;
    const namesAt = (path: string): string[] =>
      (paths[`/apis/query.federation.paas.cmft.com/v1alpha1${path}`]?.get.parameters ?? []).map(({ name }) => name);
    expect(namesAt("/federatedobjects")).toEqual(
      expect.arrayContaining(["namespace", "cel", "groupBy", "continue", "watch", "fieldSelector", "includeObject"]),
    );
    const namespaced = namesAt("/namespaces/{namespace}/federatedobjects");
    expect(namespaced).toEqual(namesAt("/federatedobjects").filter((name) => name !== "namespace"));
    const all = Object.values(paths).flatMap(({ get }) => get.parameters ?? []);
    expect(all.filter(({ description }) => description === "")).toEqual([]);
  });

  test("the description names each operation once, and each parameter of a path", async () => {
    const { json, admin } = await fleet();
    const { body } = await json("/openapi/v3/apis/query.federation.paas.cmft.com/v1alpha1", admin);
    const paths = Object.entries(body["paths"] as Record<string, Described>);
    const ids = paths.map(([, { get }]) => get.operationId);
    expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([]);
    for (const [path, { parameters = [], get }] of paths) {
      const placed = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(parameters.map(({ name }) => name)).toEqual(placed);
      expect((get.parameters ?? []).filter(({ name }) => placed.includes(name))).toEqual([]);
    }
  });
});

describe("a manager that does not lead and reaches no leader", () => {
  test("answers a list with partial, and other requests with 503", async () => {
    const { ask, json, admin } = await fleet({ isFollower: true });
    const { code, body } = await json("/federatedobjects", admin);
    const { headers } = await ask("/federatedobjects", admin);
    expect(headers.get("warning")).toBe('299 - "no rows are here: LeaderUnreachable"');
    expect([code, body.items, body.partial]).toEqual([200, [], [{ cluster: "*", reason: "LeaderUnreachable" }]]);
    expect((await json("/federatedobjects?watch=true", admin)).code).toBe(503);
    expect((await json("/fleetclusters/eu-1", admin)).code).toBe(503);
    expect((await json("/federatedobjects")).code).toBe(401);
  });
});

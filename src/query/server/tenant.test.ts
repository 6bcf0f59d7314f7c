import { describe, expect, test } from "vitest";
import type { Commit } from "../table/index.ts";
import { failing, identity, object, placed } from "../testing/fleet.ts";
import { APPS, KINDS, served } from "../testing/served.ts";

const OWN: Commit = {
  objects: [object("shop", [placed("eu-1")])],
  clusters: [{ name: "eu-1", region: "eu", state: "Ready", stale: false, labels: {} }],
};
/** What a tenant of namespace a must not learn of. */
const OTHERS: Commit = {
  objects: [
    object("secret-app", [failing("eu-1", "QuotaExceeded"), placed("us-1")], {
      identity: identity("secret-app", { namespace: "b" }),
    }),
    object("role", [failing("eu-1", "Forbidden")], { identity: { kind: "Deployment", group: "apps", name: "role" } }),
    object("web", [failing("eu-1", "OutOfDisk")], {
      identity: { kind: "Deployment", group: "apps", namespace: "a", name: "web" },
    }),
  ],
};

async function api(commits: readonly Commit[], kinds = KINDS) {
  const all = await served({ limits: { requests: { perSecond: 100, burst: 1_000 } }, kinds: () => kinds });
  for (const commit of commits) all.commit(commit);
  return { ...all, tenant: all.hub.user("tenant", { [APPS]: ["a"] }) };
}

/** Versions grow with time, whether or not anything changes: they tell nothing. */
function withoutVersions(body: unknown): string {
  return JSON.stringify(body, (key, value: unknown) => (key === "resourceVersion" ? "…" : value));
}

const ATTEMPTS = [
  "/federatedobjects",
  "/placedobjects",
  "/fleetclusters",
  "/fleetclusters/eu-1",
  "/causes",
  "/transitions",
  "/federatedobjects?namespace=b",
  "/namespaces/b/federatedobjects",
  "/namespaces/b/placedobjects?limit=1",
  "/namespaces/b/causes",
  "/namespaces/b/transitions",
  "/namespaces/b/federatedobjects/DemoApplication.paas.cmft.com:secret-app",
  "/namespaces/b/placedobjects/DemoApplication.paas.cmft.com:secret-app:eu-1",
  "/namespaces/a/federatedobjects/Deployment.apps:web",
  "/namespaces/a/federatedobjects?kind=Deployment",
  "/federatedobjects/Deployment.apps:role",
  "/namespaces/b/federatedobjects/DemoApplication.paas.cmft.com:secret-app/full",
  "/namespaces/a/federatedobjects/Deployment.apps:web/full",
  "/federatedobjects/Deployment.apps:role/full?cluster=us-1",
  "/federatedobjects?kind=apps/Deployment",
  "/federatedobjects?groupBy=namespace",
  "/placedobjects?groupBy=reason",
  "/placedobjects?groupBy=cluster&state=Degraded",
  "/federatedobjects?cel=object.name.startsWith('secret')",
  "/federatedobjects?name=secret&sort=name",
  "/placedobjects?cluster=us-1",
  "/causes?reason=QuotaExceeded",
  "/federatedobjects?fieldSelector=metadata.name=DemoApplication.paas.cmft.com:secret-app",
];

describe("a tenant with rights in one namespace", () => {
  test.each(ATTEMPTS)("%s answers as if there were nothing else", async (path) => {
    const full = await api([OWN, OTHERS]);
    const bare = await api([OWN, {}]);
    const [seen, wanted] = [await full.json(path, full.tenant), await bare.json(path, bare.tenant)];
    expect(withoutVersions(seen)).toBe(withoutVersions(wanted));
    expect(JSON.stringify(seen)).not.toMatch(/secret-app:eu|QuotaExceeded there|OutOfDisk/);
  });

  test("what may not be read is answered alike, whether or not it is there", async () => {
    const { json, tenant } = await api([OWN, OTHERS]);
    const path = (name: string): string => `/namespaces/b/federatedobjects/DemoApplication.paas.cmft.com:${name}`;
    const there = await json(path("secret-app"), tenant);
    const gone = await json(path("nothing-app"), tenant);
    expect(there.code).toBe(403);
    expect(gone).toEqual(there);
  });

  test.each([
    "/namespaces/b/federatedobjects",
    "/namespaces/b/federatedobjects/DemoApplication.paas.cmft.com:secret-app",
    "/namespaces/b/causes?watch=true",
  ])("%s asks the hub the same, whether or not there is anything: its time tells nothing", async (path) => {
    const full = await api([OWN, OTHERS]);
    const bare = await api([OWN, {}]);
    await full.json(path, full.tenant);
    await bare.json(path, bare.tenant);
    expect(full.hub.accessReviews).toEqual(bare.hub.accessReviews);
  });

  test.each([
    ["/namespaces/a/federatedobjects?kind=Deployment", 200],
    ["/namespaces/a/causes?kind=Deployment,StatefulSet", 200],
    ["/namespaces/b/federatedobjects?kind=Deployment", 403],
    ["/namespaces/b/placedobjects", 403],
  ])("%s answers %i, whether or not a policy of others places the kind", async (path, code) => {
    const [applications] = KINDS;
    const placed = await api([OWN, {}]);
    const unknown = await api([OWN, {}], applications === undefined ? [] : [applications]);
    const seen = await placed.json(path, placed.tenant);
    expect(seen.code).toBe(code);
    expect(withoutVersions(await unknown.json(path, unknown.tenant))).toBe(withoutVersions(seen));
  });

  test("the token of an administrator's page is worth nothing to him", async () => {
    const { json, tenant, hub } = await api([OWN, OTHERS]);
    const admin = hub.user("admin", { [APPS]: ["*"], "deployments.apps": ["*"] });
    const { body } = await json("/federatedobjects?limit=1", admin);
    const stolen = encodeURIComponent(body.metadata.continue ?? "");
    const { code, body: answer } = await json(`/federatedobjects?limit=1&continue=${stolen}`, tenant);
    expect([code, answer.reason]).toEqual([410, "Expired"]);
  });

  test("his own rows are counted, and no others", async () => {
    const { json, tenant } = await api([OWN, OTHERS]);
    const { body } = await json("/federatedobjects", tenant);
    expect(body.totals).toEqual({ count: 1, ready: 2, desired: 2 });
    expect(body.items.map(({ status }) => status["name"])).toEqual(["shop"]);
  });

  test("a right that is taken away ends with the cached review", async () => {
    const { json, tenant, hub, clock } = await api([OWN, OTHERS]);
    expect((await json("/federatedobjects", tenant)).body.totals.count).toBe(1);
    hub.revoke("tenant", "a");
    await clock.advance(10_000);
    expect((await json("/federatedobjects", tenant)).body.totals.count).toBe(0);
  });

  test("a review of the hub that fails lets nobody read", async () => {
    const { json, tenant, hub, clock } = await api([OWN]);
    await json("/apis", tenant);
    hub.failure = new Error("down");
    expect((await json("/federatedobjects", tenant)).code).toBe(503);
    hub.failure = undefined;
    await clock.advance(0);
    expect((await json("/federatedobjects", tenant)).code).toBe(200);
  });
});

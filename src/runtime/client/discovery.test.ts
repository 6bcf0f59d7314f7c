import { describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "./client.ts";
import { Discovery } from "./discovery.ts";
import { KindNotServedError } from "../core/errors.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { type Handler, sendJson, sendStatus, startTestServer } from "../testing/testServer.ts";

interface Version {
  version: string;
  freshness?: string;
  resources: { resource: string; kind: string; scope?: string; subresources?: string[] }[];
}

const aggregated = (groups: Record<string, Version[]>): unknown => ({
  kind: "APIGroupDiscoveryList",
  items: Object.entries(groups).map(([name, versions]) => ({
    metadata: name === "" ? {} : { name },
    versions: versions.map(({ version, freshness, resources }) => ({
      version,
      freshness: freshness ?? "Current",
      resources: resources.map(({ resource, kind, scope, subresources = [] }) => ({
        resource,
        scope: scope ?? "Namespaced",
        verbs: ["get"],
        responseKind: { group: name, version, kind },
        subresources: subresources.map((subresource) => ({ subresource })),
      })),
    })),
  })),
});

const CORE = {
  "": [
    {
      version: "v1",
      resources: [{ resource: "namespaces", kind: "Namespace", scope: "Cluster", subresources: ["status"] }],
    },
  ],
};

async function serve(handler: Handler) {
  const server = await startTestServer(handler);
  const clock = new FakeClock();
  const client = createClient(server.config(), { cluster: "shanghai-1", clock });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  return { server, clock, discovery: new Discovery(client, clock) };
}

async function servingGroups(groups: Record<string, Version[]>) {
  return serve((request, response) => sendJson(response, aggregated(request.path === "/api" ? CORE : groups)));
}

const WEB = { version: "v1", resources: [{ resource: "webs", kind: "Web", subresources: ["status", "scale"] }] };

describe("Discovery", () => {
  test("learns everything from two requests, however many ask at once", async () => {
    const { server, discovery } = await servingGroups({ "a.example": [WEB] });
    const [web, namespace] = await Promise.all([
      discovery.resolve({ group: "a.example", kind: "Web" }),
      discovery.resolve({ group: "", version: "v1", kind: "Namespace" }),
    ]);
    expect(web).toEqual({
      group: "a.example",
      version: "v1",
      kind: "Web",
      plural: "webs",
      namespaced: true,
      subresources: ["status", "scale"],
      verbs: ["get"],
    });
    expect(namespace).toMatchObject({ plural: "namespaces", namespaced: false });
    await expect(discovery.apiVersions()).resolves.toEqual(["a.example/v1", "v1"]);
    await expect(discovery.list()).resolves.toHaveLength(2);
    expect(server.requests.map((request) => request.path).toSorted()).toEqual(["/api", "/apis"]);
  });

  test("takes the version that the server prefers, unless one is asked for", async () => {
    const { discovery } = await servingGroups({ "a.example": [{ ...WEB, version: "v2" }, WEB] });
    await expect(discovery.resolve({ group: "a.example", kind: "Web" })).resolves.toMatchObject({ version: "v2" });
    await expect(discovery.resolve({ group: "a.example", version: "v1", kind: "Web" })).resolves.toMatchObject({
      version: "v1",
    });
  });

  test("a kind that is missing makes it read again, but not all the time", async () => {
    const groups: Record<string, Version[]> = {};
    const { server, clock, discovery } = await servingGroups(groups);
    const web = { group: "a.example", kind: "Web" };
    expect(discovery.resolveCached(web)).toBeUndefined();
    await expect(discovery.resolve(web)).rejects.toThrow(KindNotServedError);
    await expect(discovery.resolve(web)).rejects.toThrow("cluster shanghai-1 does not serve Web of a.example");
    expect(server.requests).toHaveLength(2);
    groups["a.example"] = [WEB];
    await clock.advance(5_000);
    await expect(discovery.resolve(web)).resolves.toMatchObject({ plural: "webs" });
    expect(server.requests).toHaveLength(4);
    expect(discovery.resolveCached(web)).toMatchObject({ plural: "webs" });
  });

  test("forgets when asked to", async () => {
    const groups: Record<string, Version[]> = { "a.example": [WEB] };
    const { discovery } = await servingGroups(groups);
    const web = { group: "a.example", kind: "Web" };
    await discovery.resolve(web);
    delete groups["a.example"];
    discovery.invalidate();
    expect(discovery.resolveCached(web)).toBeUndefined();
    await expect(discovery.resolve(web)).rejects.toThrow(KindNotServedError);
  });

  test("a part of the API that is away is not the same as a kind that is not served", async () => {
    const { discovery } = await servingGroups({ "a.example": [{ version: "v1", freshness: "Stale", resources: [] }] });
    await expect(discovery.resolve({ group: "a.example", kind: "Web" })).rejects.toMatchObject({
      name: "ApiError",
      status: 503,
    });
    await expect(discovery.resolve({ group: "b.example", kind: "Web" })).rejects.toThrow(KindNotServedError);
  });

  test("a read that fails is tried again at the next question", async () => {
    let up = false;
    const { discovery } = await serve((request, response) => {
      if (!up) sendStatus(response, 503, "ServiceUnavailable", "starting");
      else sendJson(response, aggregated(request.path === "/api" ? CORE : {}));
    });
    await expect(discovery.apiVersions()).rejects.toMatchObject({ status: 503 });
    up = true;
    await expect(discovery.apiVersions()).resolves.toEqual(["v1"]);
  });

  test("servers that do not know aggregated discovery are asked version by version", async () => {
    const documents: Record<string, unknown> = {
      "/api": { kind: "APIVersions", versions: ["v1"] },
      "/apis": {
        kind: "APIGroupList",
        groups: [
          {
            name: "a.example",
            preferredVersion: { groupVersion: "a.example/v2" },
            versions: [
              { groupVersion: "a.example/v1" },
              { groupVersion: "a.example/v2" },
              { groupVersion: "a.example/v3" },
            ],
          },
        ],
      },
      "/api/v1": {
        resources: [
          { name: "namespaces", kind: "Namespace", namespaced: false, verbs: ["get"] },
          { name: "namespaces/status", kind: "Namespace", namespaced: false, verbs: ["get"] },
        ],
      },
      "/apis/a.example/v1": { resources: [{ name: "webs", kind: "Web", namespaced: true, verbs: ["get"] }] },
      "/apis/a.example/v2": { resources: [{ name: "webs", kind: "Web", namespaced: true, verbs: ["get"] }] },
    };
    const { discovery } = await serve((request, response) => {
      const document = documents[request.path];
      if (document === undefined) sendStatus(response, 503, "ServiceUnavailable", "away");
      else sendJson(response, document);
    });
    await expect(discovery.resolve({ group: "a.example", kind: "Web" })).resolves.toMatchObject({
      version: "v2",
      plural: "webs",
    });
    await expect(discovery.resolve({ group: "", kind: "Namespace" })).resolves.toMatchObject({
      subresources: ["status"],
      namespaced: false,
    });
    await expect(discovery.resolve({ group: "a.example", version: "v3", kind: "Web" })).rejects.toMatchObject({
      status: 503,
    });
  });
});

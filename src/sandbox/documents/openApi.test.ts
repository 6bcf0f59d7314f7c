import { describe, expect, test } from "vitest";
import type { Resource } from "../types.ts";
import { ask, configMaps, deployments, json, widgets } from "./testing/resources.ts";

describe("OpenAPI v3", () => {
  const document = (path: string) => json(`/openapi/v3/${path}`);

  test("has an index whose hashes lead to documents that never change", () => {
    const { paths } = json("/openapi/v3");
    expect(Object.keys(paths)).toEqual([
      "api/v1",
      "apis/apps/v1",
      "apis/authorization.k8s.io/v1",
      "apis/example.com/v1",
      "apis/example.com/v1beta1",
    ]);
    const url = new URL(paths["apis/apps/v1"].serverRelativeURL, "https://localhost");
    const answer = ask(url.pathname, { query: url.searchParams });
    expect(answer).toMatchObject({
      status: 200,
      headers: { "cache-control": "public, immutable", "content-type": "application/json" },
    });
    expect(answer?.headers["etag"]).toBe(`"${url.searchParams.get("hash")}"`);
  });

  test("leads from an old hash to the new one", () => {
    const answer = ask("/openapi/v3/apis/apps/v1", { query: new URLSearchParams("hash=OLD") });
    expect(answer?.status).toBe(301);
    expect(answer?.headers["location"]).toMatch(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/);
  });

  test("every reference leads to a schema", () => {
    for (const path of ["api/v1", "apis/apps/v1", "apis/example.com/v1", "apis/example.com/v1beta1"]) {
      const text = JSON.stringify(document(path));
      const names = new Set([...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name as string));
      expect(Object.keys(document(path).components.schemas)).toEqual(expect.arrayContaining([...names]));
    }
  });

  test("of built-in kinds is one document for all clusters", () => {
    const body = (resources: Resource[]) => ask("/openapi/v3/apis/apps/v1", {}, resources)?.body;
    expect(body([deployments, configMaps])).toBe(body([deployments, widgets]));
  });
});

describe("OpenAPI v2", () => {
  test("comes as protobuf for kubectl", () => {
    const answer = ask("/openapi/v2", { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" });
    expect(answer?.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    // Field 1 is the text "2.0", field 2 the info.
    expect(answer?.body.subarray(0, 6).toString("latin1")).toBe("\n\x032.0\x12");
    expect(answer?.body.includes("io.k8s.api.apps.v1.Deployment")).toBe(true);
  });
});

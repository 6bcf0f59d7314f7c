import { describe, expect, test } from "vitest";
import type { Resource } from "../types.ts";
import { ask, configMaps, deployments, json, META, widgets } from "./testing/resources.ts";

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

  test("has the paths and the parameters that kubectl looks for", () => {
    const { paths, info } = document("apis/apps/v1");
    expect(info).toEqual({ title: "Kubernetes", version: "1.35" });
    expect(Object.keys(paths)).toEqual([
      "/apis/apps/v1/deployments",
      "/apis/apps/v1/namespaces/{namespace}/deployments",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale",
      "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status",
    ]);
    const { patch, get } = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}"];
    expect(patch["x-kubernetes-group-version-kind"]).toEqual({ group: "apps", version: "v1", kind: "Deployment" });
    expect(patch.parameters.map(({ name }: { name: string }) => name)).toEqual([
      "dryRun",
      "fieldManager",
      "fieldValidation",
      "force",
    ]);
    expect(Object.keys(patch.requestBody.content)).toContain("application/strategic-merge-patch+json");
    expect(get).toMatchObject({
      operationId: "readAppsV1NamespacedDeployment",
      tags: ["apps_v1"],
      "x-kubernetes-action": "get",
    });
    const scale = paths["/apis/apps/v1/namespaces/{namespace}/deployments/{name}/scale"];
    expect(scale.put["x-kubernetes-group-version-kind"]).toEqual({
      group: "autoscaling",
      version: "v1",
      kind: "Scale",
    });
  });

  test("has the schemas that are needed, with references of v3", () => {
    const { schemas } = document("apis/apps/v1").components;
    expect(Object.keys(schemas)).toContain("io.k8s.api.autoscaling.v1.Scale");
    expect(Object.keys(schemas)).not.toContain("Unused");
    expect(schemas["io.k8s.api.apps.v1.Deployment"].properties).toEqual({
      metadata: { description: "Standard", default: {}, allOf: [{ $ref: `#/components/schemas/${META}.ObjectMeta` }] },
      spec: { $ref: "#/components/schemas/io.k8s.api.apps.v1.DeploymentSpec" },
    });
    expect(schemas["IntOrString"]).toEqual({
      format: "int-or-string",
      oneOf: [{ type: "integer" }, { type: "string" }],
    });
  });

  test("shows custom resources with what every object has", () => {
    const { components, info, paths } = document("apis/example.com/v1");
    expect(info).toEqual({ title: "Kubernetes CRD Swagger", version: "v0.1.0" });
    const widget = components.schemas["com.example.v1.Widget"];
    expect(Object.keys(widget.properties)).toEqual(["apiVersion", "kind", "metadata", "spec"]);
    expect(widget.properties.metadata.allOf).toEqual([{ $ref: `#/components/schemas/${META}.ObjectMeta` }]);
    expect(Object.keys(widget.properties.spec.properties.template.properties)).toEqual([
      "apiVersion",
      "kind",
      "metadata",
      "spec",
    ]);
    expect(widget).toMatchObject({
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1" }],
      "x-kubernetes-selectable-fields": [{ fieldPath: "spec.color" }],
    });
    expect(components.schemas["com.example.v1.WidgetList"].description).toBe("WidgetList is a list of Widget");
    expect(paths["/apis/example.com/v1/namespaces/{namespace}/widgets"].get.operationId).toBe(
      "listExampleComV1NamespacedWidget",
    );
    const { content } = paths["/apis/example.com/v1/namespaces/{namespace}/widgets/{name}"].patch.requestBody;
    expect(Object.keys(content)).not.toContain("application/strategic-merge-patch+json");
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
  test("leaves open what it cannot say of custom resources", () => {
    const { swagger, definitions: shown } = json("/openapi/v2");
    expect(swagger).toBe("2.0");
    expect(shown["com.example.v1.Widget"].properties.spec.properties).toMatchObject({
      size: { type: "integer", minimum: 0.5 },
      color: { enum: ["red"] },
      port: { "x-kubernetes-int-or-string": true },
    });
    expect(shown["com.example.v1.Widget"].properties.spec.properties.size).not.toHaveProperty("default");
    expect(shown["com.example.v1.Widget"].properties.spec.properties.color).not.toHaveProperty("type");
    expect(shown["com.example.v1.Widget"].properties.spec.properties.port).not.toHaveProperty("anyOf");
    expect(shown["com.example.v1beta1.Widget"]).toEqual({
      type: "object",
      "x-kubernetes-group-version-kind": [{ group: "example.com", kind: "Widget", version: "v1beta1" }],
    });
    expect(shown["io.k8s.api.apps.v1.Deployment"].properties.metadata).toEqual({
      description: "Standard",
      $ref: `#/definitions/${META}.ObjectMeta`,
    });
  });

  test("comes as protobuf for kubectl", () => {
    const answer = ask("/openapi/v2", { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" });
    expect(answer?.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    // Field 1 is the text "2.0", field 2 the info.
    expect(answer?.body.subarray(0, 6).toString("latin1")).toBe("\n\x032.0\x12");
    expect(answer?.body.includes("io.k8s.api.apps.v1.Deployment")).toBe(true);
  });
});

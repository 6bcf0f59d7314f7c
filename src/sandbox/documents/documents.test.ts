import { describe, expect, test } from "vitest";
import { builtinResources } from "../kinds/index.ts";
import { resourceOfCrd } from "../schema/index.ts";
import { StatusError } from "../statusError.ts";
import { widgetCrd } from "../testing/objects.ts";
import type { KubeObject, Resource } from "../types.ts";
import { answerDocument, type DocumentRequest } from "./index.ts";

/** Content negotiation and caching of documents. Their content is tested in test/conformance. */

const OPTIONS = { version: "v1.35.4", address: "127.0.0.1:6443" };
const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const widgets = resourceOfCrd(widgetCrd() as unknown as KubeObject);
const ALL = [...builtinResources(), widgets];

function ask(path: string, more: Partial<DocumentRequest> = {}, resources: readonly Resource[] = ALL) {
  return answerDocument(resources, { path, accept: "application/json", ...more }, OPTIONS);
}

describe("a document", () => {
  test.each([
    [`${AGGREGATED},application/json`, AGGREGATED],
    [`application/json,${AGGREGATED}`, "application/json"],
    ["application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json", "application/json"],
    ["*/*", "application/json"],
    ["application/json;q=0.5,*/*;q=0.1", "application/json"],
    ["", "application/json"],
  ])("that is accepted as %j comes as %j", (accept, type) => {
    expect(ask("/apis", { accept })?.headers["content-type"]).toBe(type);
  });

  test("in a form that there is not is refused", () => {
    const refusal = () => ask("/api/v1", { accept: "text/html" });
    expect(refusal).toThrow(StatusError);
    expect(refusal).toThrow(
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });

  test("is sent once: with the tag of an earlier answer there is nothing to send", () => {
    const etag = ask("/apis", { accept: AGGREGATED })?.headers["etag"];
    const again = (ifNoneMatch: string | undefined, resources = ALL) =>
      ask("/apis", { accept: AGGREGATED, ifNoneMatch }, resources);
    expect(again(etag)).toMatchObject({ status: 304, body: Buffer.alloc(0) });
    expect(again('"other"')?.status).toBe(200);
    expect(again(etag, [widgets])?.status).toBe(200);
  });

  test.each([
    "/apis/nothere",
    "/apis/apps/v2",
    "/api/v2",
    "/apis/apps/v1/deployments",
    "/healthz",
    "/",
    "/openapi/v4",
    "/openapi/v3/apis/apps/v9",
  ])("of %s is none", (path) => expect(ask(path)).toBeUndefined());
});

describe("an OpenAPI document", () => {
  test("stands in an index under a hash, and never changes there", () => {
    const index = JSON.parse(ask("/openapi/v3")?.body.toString() ?? "") as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const url = new URL(index.paths["apis/apps/v1"]?.serverRelativeURL ?? "", "https://localhost");
    expect(ask(url.pathname, { query: url.searchParams })).toMatchObject({
      status: 200,
      headers: {
        "cache-control": "public, immutable",
        "content-type": "application/json",
        etag: `"${url.searchParams.get("hash")}"`,
      },
    });
    expect(ask("/openapi/v3/apis/apps/v1", { query: new URLSearchParams("hash=OLD") })).toMatchObject({
      status: 301,
      headers: { location: expect.stringMatching(/^\/openapi\/v3\/apis\/apps\/v1\?hash=[0-9A-F]{128}$/) as string },
    });
  });

  test.each(["api/v1", "apis/apps/v1", "apis/example.com/v1"])("of %s has every schema that it refers to", (path) => {
    const text = ask(`/openapi/v3/${path}`)?.body.toString() ?? "";
    const { components } = JSON.parse(text) as { components: { schemas: object } };
    const names = new Set([...text.matchAll(/#\/components\/schemas\/([^"]+)/g)].map(([, name]) => name as string));
    expect(Object.keys(components.schemas)).toEqual(expect.arrayContaining([...names]));
  });

  test("of built-in kinds is one document for all clusters", () => {
    const body = (resources: Resource[]) => ask("/openapi/v3/apis/apps/v1", {}, resources)?.body;
    expect(body([...builtinResources()])).toBe(body([...builtinResources(), widgets]));
  });

  test("of the second version comes as protobuf for kubectl", () => {
    const answer = ask("/openapi/v2", { accept: "application/com.github.proto-openapi.spec.v2@v1.0+protobuf" });
    expect(answer?.headers["content-type"]).toBe("application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
    // Field 1 is the text "2.0", field 2 the info.
    expect(answer?.body.subarray(0, 6).toString("latin1")).toBe("\n\x032.0\x12");
    expect(answer?.body.includes("io.k8s.api.apps.v1.Deployment")).toBe(true);
  });
});

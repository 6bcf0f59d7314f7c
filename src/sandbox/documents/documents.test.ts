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

  test("of built-in kinds is one document for all clusters", () => {
    const body = (resources: Resource[]) => ask("/openapi/v3/apis/apps/v1", {}, resources)?.body;
    expect(body([...builtinResources()])).toBe(body([...builtinResources(), widgets]));
  });
});

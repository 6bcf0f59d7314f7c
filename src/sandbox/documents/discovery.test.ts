import { describe, expect, test } from "vitest";
import { StatusError } from "../statusError.ts";
import { AGGREGATED, ask, deployments } from "./testing/resources.ts";

describe("discovery", () => {
  test("prefers the form that is named first, and falls back to the plain one", () => {
    const type = (accept: string) => ask("/apis", { accept })?.headers["content-type"];
    expect(type(`${AGGREGATED},application/json`)).toBe(AGGREGATED);
    expect(type(`application/json,${AGGREGATED}`)).toBe("application/json");
    expect(type("application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json")).toBe(
      "application/json",
    );
    expect(type("*/*")).toBe("application/json");
    expect(type("application/json;q=0.5,*/*;q=0.1")).toBe("application/json");
    expect(type("")).toBe("application/json");
  });

  test("refuses a form that there is not", () => {
    const refusal = () => ask("/api/v1", { accept: "text/html" });
    expect(refusal).toThrow(StatusError);
    expect(refusal).toThrow(
      "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    );
  });

  test("is sent once: with the tag of an earlier answer there is nothing to send", () => {
    const etag = ask("/apis", { accept: AGGREGATED })?.headers["etag"];
    expect(ask("/apis", { accept: AGGREGATED, ifNoneMatch: etag })).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
    });
    expect(ask("/apis", { accept: AGGREGATED, ifNoneMatch: '"other"' })?.status).toBe(200);
    const fewer = ask("/apis", { accept: AGGREGATED, ifNoneMatch: etag }, [deployments]);
    expect(fewer?.status).toBe(200);
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
  ])("knows nothing of %s", (path) => expect(ask(path)).toBeUndefined());
});

import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { StatusError } from "../statusError.ts";
import type { ResourceVersion } from "../types.ts";
import { AGGREGATED, ask, deployments, json, widgets } from "./testing/resources.ts";

describe("discovery", () => {
  test("names the versions of the core group and the address", () => {
    expect(json("/api")).toEqual({
      kind: "APIVersions",
      versions: ["v1"],
      serverAddressByClientCIDRs: [{ clientCIDR: "0.0.0.0/0", serverAddress: "127.0.0.1:6443" }],
    });
  });

  test("lists built-in groups in their order, then those of CRDs, with the preferred version", () => {
    const { kind: of, groups } = json("/apis/");
    expect(of).toBe("APIGroupList");
    expect(groups.map(({ name }: { name: string }) => name)).toEqual(["apps", "authorization.k8s.io", "example.com"]);
    expect(groups[2]).toEqual({
      name: "example.com",
      versions: [
        { groupVersion: "example.com/v1", version: "v1" },
        { groupVersion: "example.com/v1beta1", version: "v1beta1" },
      ],
      preferredVersion: { groupVersion: "example.com/v1", version: "v1" },
    });
    expect(json("/apis/example.com")).toEqual({ kind: "APIGroup", apiVersion: "v1", ...groups[2] });
  });

  test("lists resources with their subresources", () => {
    expect(json("/apis/apps/v1")).toEqual({
      kind: "APIResourceList",
      apiVersion: "v1",
      groupVersion: "apps/v1",
      resources: [
        {
          name: "deployments",
          singularName: "deployment",
          namespaced: true,
          kind: "Deployment",
          verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
          shortNames: ["deploy"],
          categories: ["all"],
          storageVersionHash: "8aSe+NMegvE=",
        },
        {
          name: "deployments/scale",
          singularName: "",
          namespaced: true,
          group: "autoscaling",
          version: "v1",
          kind: "Scale",
          verbs: ["get", "patch", "update"],
        },
        {
          name: "deployments/status",
          singularName: "",
          namespaced: true,
          kind: "Deployment",
          verbs: ["get", "patch", "update"],
        },
      ],
    });
  });

  test("lists what can only be created, and custom resources as they are declared", () => {
    expect(json("/apis/authorization.k8s.io/v1").resources).toEqual([
      {
        name: "subjectaccessreviews",
        singularName: "subjectaccessreview",
        namespaced: false,
        kind: "SubjectAccessReview",
        verbs: ["create"],
      },
    ]);
    const names = (path: string) => json(path).resources.map(({ name }: { name: string }) => name);
    expect(names("/apis/example.com/v1")).toEqual(["widgets", "widgets/status", "widgets/scale"]);
    expect(names("/apis/example.com/v1beta1")).toEqual(["widgets"]);
    expect(json("/apis/example.com/v1beta1").resources[0].storageVersionHash).toBe("gIwvi5rymmg=");
  });

  test("says everything at once in the aggregated form", () => {
    const core = json("/api", AGGREGATED);
    expect(core).toMatchObject({ kind: "APIGroupDiscoveryList", apiVersion: "apidiscovery.k8s.io/v2", metadata: {} });
    expect(core.items).toHaveLength(1);
    expect(core.items[0]).toMatchObject({ metadata: {}, versions: [{ version: "v1", freshness: "Current" }] });
    const { items } = json("/apis", AGGREGATED);
    expect(items[0].versions[0].resources[0]).toEqual({
      resource: "deployments",
      responseKind: { group: "", version: "", kind: "Deployment" },
      scope: "Namespaced",
      singularResource: "deployment",
      verbs: ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"],
      shortNames: ["deploy"],
      categories: ["all"],
      subresources: [
        {
          subresource: "scale",
          responseKind: { group: "autoscaling", version: "v1", kind: "Scale" },
          verbs: ["get", "patch", "update"],
        },
        {
          subresource: "status",
          responseKind: { group: "", version: "", kind: "Deployment" },
          verbs: ["get", "patch", "update"],
        },
      ],
    });
    expect(items[2].versions[0].resources[0]).toMatchObject({
      responseKind: { group: "example.com", version: "v1", kind: "Widget" },
      subresources: [
        { responseKind: { group: "example.com", version: "v1", kind: "Widget" } },
        { subresource: "scale" },
      ],
    });
  });

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

  test("speaks YAML to those who ask for it", () => {
    const answer = ask("/apis/example.com", { accept: "application/yaml" });
    expect(answer?.headers["content-type"]).toBe("application/yaml");
    expect(parse(answer?.body.toString() ?? "")).toEqual(json("/apis/example.com"));
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

  test("leaves versions out that are not served", () => {
    const [served] = widgets.versions;
    const unserved = { ...widgets, versions: [{ ...(served as ResourceVersion), served: false }] };
    expect(ask("/apis/example.com", {}, [unserved])).toBeUndefined();
  });
});

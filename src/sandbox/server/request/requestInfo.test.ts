import { expect, test } from "vitest";
import { requestInfoOf } from "./requestInfo.ts";

const read = (method: string, url: string) => {
  const { pathname, searchParams } = new URL(url, "https://sandbox");
  return requestInfoOf(method, pathname, searchParams);
};

const core = { kind: "Resource", group: "", version: "v1" };
const apps = { kind: "Resource", group: "apps", version: "v1", resource: "deployments" };

test.each<[string, string, object]>([
  ["GET", "/api/v1/pods", { ...core, verb: "list", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=true", { ...core, verb: "watch", resource: "pods" }],
  ["GET", "/api/v1/pods?watch=0", { ...core, verb: "list", resource: "pods" }],
  ["GET", "/api/v1/pods?watch", { ...core, verb: "watch", resource: "pods" }],
  ["GET", "/api/v1/namespaces/a/pods/b", { ...core, verb: "get", resource: "pods", namespace: "a", name: "b" }],
  [
    "GET",
    "/api/v1/namespaces/a/pods/b/log",
    { ...core, verb: "get", resource: "pods", namespace: "a", name: "b", subresource: "log" },
  ],
  ["GET", "/api/v1/namespaces", { ...core, verb: "list", resource: "namespaces" }],
  ["GET", "/api/v1/namespaces/a", { ...core, verb: "get", resource: "namespaces", namespace: "a", name: "a" }],
  [
    "PUT",
    "/api/v1/namespaces/a/finalize",
    { ...core, verb: "update", resource: "namespaces", namespace: "a", name: "a", subresource: "finalize" },
  ],
  ["POST", "/apis/apps/v1/namespaces/a/deployments", { ...apps, verb: "create", namespace: "a" }],
  ["PATCH", "/apis/apps/v1/namespaces/a/deployments/b", { ...apps, verb: "patch", namespace: "a", name: "b" }],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments/b", { ...apps, verb: "delete", namespace: "a", name: "b" }],
  ["DELETE", "/apis/apps/v1/namespaces/a/deployments", { ...apps, verb: "deletecollection", namespace: "a" }],
  [
    "GET",
    "/apis/apps/v1/namespaces/a/deployments?fieldSelector=metadata.name%3Db",
    { ...apps, verb: "list", namespace: "a", name: "b" },
  ],
  ["GET", "/api/v1/nodes/a%2Fb", { ...core, verb: "get", resource: "nodes", name: "a/b" }],
  ["GET", "/apis/apps/v1", { kind: "NonResource", verb: "get", path: "/apis/apps/v1" }],
  ["GET", "/version", { kind: "NonResource", verb: "get", path: "/version" }],
  ["GET", "/api/v1/pods/%ff", { kind: "NonResource", verb: "get", path: "/api/v1/pods/%ff" }],
])("%s %s", (method, url, info) => {
  expect(read(method, url)).toEqual(info);
});

import { expect, test } from "vitest";
import { queryAddress } from "./address.ts";

const API = "/apis/query.federation.paas.cmft.com/v1alpha1";

test.each([
  { path: "/dashboard/", address: `..${API}`, isOfHub: false },
  { path: "/meridian/dashboard/", address: `..${API}`, isOfHub: false },
  {
    path: "/api/v1/namespaces/meridian-system/services/https:meridian-webhook:queries/proxy/dashboard/",
    address: API,
    isOfHub: true,
  },
  { path: "/hub/api/v1/namespaces/m/services/web:80/proxy/dashboard/", address: `/hub${API}`, isOfHub: true },
])("a page at $path asks $address", ({ path, address, isOfHub }) => {
  expect(queryAddress(path)).toEqual({ address, isOfHub });
});

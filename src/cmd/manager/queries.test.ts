import { expect, test } from "vitest";
import type { HubCache } from "../../hub/index.ts";
import { createMetrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import type { Client, ClusterConfig } from "../../runtime/index.ts";
import { CA, SERVER } from "../../runtime/testing/certificates.ts";
import { Queries } from "./queries.ts";
import type { QueryFlagsGiven } from "./queryFlags.ts";

function queries(flags: QueryFlagsGiven): Queries {
  const client = {
    list: async () => ({ items: [], resourceVersion: "1" }),
    raw: async () => ({ status: { userInfo: { username: "manager" } } }),
  } as unknown as Client;
  const config: ClusterConfig = {
    server: "https://127.0.0.1:1",
    currentNamespace: "default",
    credentials: { authorization: async () => undefined },
  };
  const hub = { kinds: [] } as unknown as HubCache;
  const metrics = createMetrics({ processMetrics: false });
  return new Queries({ flags, client, config, hub, host: "127.0.0.1", logger: logLines().logger, metrics });
}

const CERTIFICATES = { serving: { certPem: SERVER.cert, keyPem: SERVER.key }, bundle: CA, serverName: "localhost" };

test.each([
  { advertiseHost: "10.0.0.7", address: /^https:\/\/10\.0\.0\.7:\d+$/ },
  { advertiseHost: "fd00::7", address: /^https:\/\/\[fd00::7\]:\d+$/ },
])("the Lease names $advertiseHost once the port with TLS is open", async ({ advertiseHost, address }) => {
  await using api = queries({ port: 0, advertiseHost });
  expect(api.annotations()).toBeUndefined();
  await api.show(CERTIFICATES);
  expect(Object.values(api.annotations() ?? {})).toEqual([expect.stringMatching(address)]);
});

test("without a port of its own, the Lease names no address", async () => {
  await using api = queries({ advertiseHost: "10.0.0.7" });
  await api.show(CERTIFICATES);
  expect(api.annotations()).toBeUndefined();
});

test.each([
  { host: "127.0.0.1", address: "http://127.0.0.1:8383" },
  { host: "::1", address: "http://[::1]:8383" },
  { host: "localhost", address: "http://localhost:8383" },
])("the Lease says where a manager on $host listens for the person who started it", async ({ host, address }) => {
  await using api = queries({});
  api.opened({ host, port: 8383 });
  expect(Object.values(api.annotations() ?? {})).toEqual([address]);
});

test.each([undefined, "", "0.0.0.0", "10.0.0.7"])(
  "a manager on %s, which others reach as well, says no such thing",
  async (host) => {
    await using api = queries({});
    api.opened({ host, port: 8383 });
    expect(api.annotations()).toBeUndefined();
  },
);

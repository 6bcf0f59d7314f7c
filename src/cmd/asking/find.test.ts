import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { identity, object, placed } from "../../query/testing/fleet.ts";
import { APPS, served } from "../../query/testing/served.ts";
import { CA, CLIENT, SERVER } from "../../runtime/testing/certificates.ts";
import { findQueryApi, localAddress } from "./find.ts";
import { LOCAL_ADDRESS } from "./names.ts";
import { linesOf } from "./queryApi.ts";
import { standInHub } from "./testing/standInHub.ts";

const LEASE = "/apis/coordination.k8s.io/v1/namespaces/meridian-system/leases/meridian";
const POD = "/api/v1/namespaces/meridian-system/pods/meridian-0";
const QUERIES = "/apis/query.federation.paas.cmft.com/v1alpha1";
const never = new AbortController().signal;

const lease = (annotations: Record<string, string> = {}, renewTime = new Date().toISOString()) => ({
  apiVersion: "coordination.k8s.io/v1",
  kind: "Lease",
  metadata: { name: "meridian", namespace: "meridian-system", annotations },
  spec: { holderIdentity: "meridian-0", leaseDurationSeconds: 15, renewTime },
});
const pod = (ports: object[]) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "meridian-0", namespace: "meridian-system" },
  spec: { containers: [{ name: "manager", ports }] },
});
const PORTS = [
  { name: "metrics", containerPort: 8080 },
  { name: "queries", containerPort: 9000 },
];
const withToken = (token: string) => ({ authorization: async () => `Bearer ${token}` });

/** A query API with one object, and a person who may read it. */
async function asked() {
  const api = await served();
  const token = api.hub.user("ann", { [APPS]: ["a"] });
  const row = object("shop", [placed("eu-1")], { identity: identity("shop", { namespace: "a" }) });
  api.commit({ objects: [row] });
  return { api, credentials: withToken(token) };
}

describe("the query API is found", () => {
  test("through the pod of the leader, at the port that the pod names", async () => {
    const { api, credentials } = await asked();
    const answers = { [LEASE]: lease(), [POD]: pod(PORTS) };
    const { hub, forwarded } = await standInHub({ answers, ports: { "meridian-0:8080": api.port }, credentials });
    const found = await findQueryApi(hub, {}, never);
    if (found.api === undefined) throw new Error(found.why);
    using queries = found.api;
    expect(queries.way).toBe("the pod meridian-0");
    expect((await queries.list("federatedobjects")).rows.map(({ name }) => name)).toEqual(["shop"]);
    expect(forwarded).toEqual(["meridian-0:8080 Bearer token-of-ann"]);
  });

  test("at the chart's ports, for a person who may not read the pod", async () => {
    const { api, credentials } = await asked();
    const answers = { [LEASE]: lease(), [POD]: 403 };
    const { hub } = await standInHub({ answers, ports: { "meridian-0:8383": api.port }, credentials });
    expect(await findQueryApi(hub, {}, never)).toMatchObject({ api: { way: "the pod meridian-0" } });
  });

  test("by a client certificate, at the port with TLS", async () => {
    const names: string[] = [];
    const server = createTlsServer(
      { cert: SERVER.cert, key: SERVER.key, ca: CA, requestCert: true, rejectUnauthorized: false },
      ({ socket }, response) => {
        names.push(String((socket as TLSSocket).getPeerCertificate().subject.CN));
        response.end(JSON.stringify({ resources: [] }));
      },
    );
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const credentials = { authorization: async () => undefined, clientCertificate: async () => CLIENT };
    const ports = { "meridian-0:9000": (server.address() as AddressInfo).port };
    const { hub } = await standInHub({ answers: { [LEASE]: lease(), [POD]: pod(PORTS) }, ports, credentials });
    expect(await findQueryApi(hub, {}, never)).toMatchObject({ api: { way: "the pod meridian-0" } });
    expect(names).toEqual(["test-user"]);
  });

  test("on this machine, where a manager listens for the person who started it", async () => {
    const { api, credentials } = await asked();
    const answers = { [LEASE]: lease({ [LOCAL_ADDRESS]: api.origin }) };
    const { hub, forwarded } = await standInHub({ answers, credentials });
    expect(await findQueryApi(hub, {}, never)).toMatchObject({ api: { way: `the manager at ${api.origin}` } });
    expect(forwarded).toEqual([]);
  });

  test("through the hub, if it has an APIService", async () => {
    const { credentials } = await asked();
    const { hub } = await standInHub({ answers: { [QUERIES]: { resources: [] } }, credentials });
    expect(await findQueryApi(hub, {}, never)).toMatchObject({ api: { way: "the hub's APIService" } });
  });
});

describe("there is none, and it is said why", () => {
  test.each([
    { name: "no Lease", answers: {}, why: "no manager holds the Lease meridian-system/meridian", isNotable: false },
    {
      name: "a Lease that has run out",
      answers: { [LEASE]: lease({}, "2026-01-01T00:00:00Z") },
      why: "no manager holds the Lease meridian-system/meridian",
      isNotable: false,
    },
    {
      name: "a Lease that may not be read",
      answers: { [LEASE]: 403 },
      why: "your rights do not show the Lease meridian-system/meridian",
      isNotable: false,
    },
    {
      name: "a leader outside the hub",
      answers: { [LEASE]: lease() },
      why: "the manager meridian-0 runs in no pod of meridian-system, and has no address for you",
    },
    {
      name: "no right to a port-forward",
      answers: { [LEASE]: lease(), [POD]: pod(PORTS) },
      why: "the pod meridian-0 does not answer queries: your rights do not allow a port-forward to it (create and get on pods/portforward)",
    },
  ])("$name", async ({ answers, why, isNotable = true }) => {
    const { hub } = await standInHub({ answers, credentials: withToken("x") });
    expect(await findQueryApi(hub, {}, never)).toEqual({ api: undefined, why, isNotable });
  });

  test("a token that the manager does not know", async () => {
    const { api } = await asked();
    const answers = { [LEASE]: lease(), [POD]: pod(PORTS) };
    const ports = { "meridian-0:8080": api.port };
    const { hub } = await standInHub({ answers, ports, credentials: withToken("unknown") });
    expect(await findQueryApi(hub, {}, never)).toMatchObject({
      why: expect.stringMatching(/^the pod meridian-0 does not answer queries: it does not accept your credentials/),
    });
  });

  test("a port that nobody listens on", async () => {
    const answers = { [LEASE]: lease(), [POD]: pod(PORTS) };
    const { hub } = await standInHub({ answers, ports: { "meridian-0:8080": 1 }, credentials: withToken("x") });
    expect(await findQueryApi(hub, {}, never)).toMatchObject({
      why: expect.stringContaining("cannot reach port 8080: connect ECONNREFUSED"),
    });
  });
});

test.each([
  { text: "http://127.0.0.1:8383", server: "https://127.0.0.1:6443", want: true },
  { text: "http://[::1]:8383", server: "https://localhost:6443", want: true },
  { text: "http://127.0.0.1:8383", server: "https://10.0.0.1:6443", want: false },
  { text: "http://10.0.0.7:8383", server: "https://127.0.0.1:6443", want: false },
  { text: "http://127.0.0.1.evil.example:8383", server: "https://127.0.0.1:6443", want: false },
  { text: "http://127.0.0.1:8383/path", server: "https://127.0.0.1:6443", want: false },
  { text: "no address", server: "https://127.0.0.1:6443", want: false },
])("a token of the hub $server goes to $text of a Lease: $want", ({ text, server, want }) => {
  expect(localAddress(lease({ [LOCAL_ADDRESS]: text }), server) !== undefined).toBe(want);
});

test("lines are whole, wherever their bytes are cut", async () => {
  const bytes = Buffer.from("one\ntw€o\n\nlast");
  const parts = async function* () {
    for (const byte of bytes) yield Buffer.from([byte]);
  };
  const lines: string[] = [];
  for await (const line of linesOf(parts())) lines.push(line);
  expect(lines).toEqual(["one", "tw€o", "", "last"]);
});

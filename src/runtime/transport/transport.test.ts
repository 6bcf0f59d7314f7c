import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createClient, type ClientOptions } from "../client/client.ts";
import type { ClientCertificate, ClusterConfig, Credentials } from "../credentials/types.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import { CA, CLIENT, ELSEWHERE_SERVER, OTHER_CA, SECOND_CLIENT, SERVER } from "../testing/certificates.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import {
  type Handler,
  sendJson,
  sendStatus,
  startSilentServer,
  startTestServer,
  type TestServer,
} from "../testing/testServer.ts";
import type { Client } from "../types.ts";

async function serve(handler: Handler, certificate?: { cert: string; key: string }): Promise<TestServer> {
  const server = await startTestServer(handler, certificate);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

function connect(config: ClusterConfig, options: Partial<ClientOptions> = {}): Client {
  const client = createClient(config, { cluster: "shanghai-1", clock: new FakeClock(), ...options });
  onTestFinished(() => client[Symbol.asyncDispose]());
  return client;
}

const empty: Handler = (_request, response) => sendJson(response, { kind: "ConfigMapList", items: [] });

/** A provider that goes through a list of tokens, one further each time that one was refused. */
function rotating(tokens: string[]): Credentials & { invalidated: (string | undefined)[] } {
  const invalidated: (string | undefined)[] = [];
  return {
    invalidated,
    authorization: async () => `Bearer ${tokens[Math.min(invalidated.length, tokens.length - 1)] ?? ""}`,
    invalidate: (rejected) => {
      invalidated.push(rejected);
      return invalidated.length < tokens.length;
    },
  };
}

const accepting =
  (token: string): Handler =>
  (request, response) =>
    request.headers["authorization"] === `Bearer ${token}`
      ? sendJson(response, { kind: "ConfigMapList", items: [] })
      : sendStatus(response, 401, "Unauthorized", "Unauthorized");

describe("credentials that the server refuses", () => {
  test("are renewed once, and the request is sent again", async () => {
    const server = await serve(accepting("new"));
    const credentials = rotating(["old", "new"]);
    await expect(connect(server.config({ credentials })).list(CONFIGMAPS)).resolves.toMatchObject({ items: [] });
    expect(server.requests.map((request) => request.headers["authorization"])).toEqual(["Bearer old", "Bearer new"]);
    expect(credentials.invalidated).toEqual(["Bearer old"]);
  });

  test("are not tried a third time", async () => {
    const server = await serve(accepting("another"));
    const client = connect(server.config({ credentials: rotating(["old", "new", "newer"]) }));
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({
      status: 401,
      message: "token rejected (401 Unauthorized)",
    });
    expect(server.requests).toHaveLength(2);
  });

  test("are not tried again when the provider has no other", async () => {
    const server = await serve(accepting("another"));
    const client = connect(server.config({ credentials: rotating(["old"]) }));
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({ status: 401 });
    expect(server.requests).toHaveLength(1);
  });

  test("are renewed for a watch too", async () => {
    const server = await serve((request, response) =>
      request.headers["authorization"] === "Bearer new"
        ? response.end('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n')
        : sendStatus(response, 401, "Unauthorized", "Unauthorized"),
    );
    const events = connect(server.config({ credentials: rotating(["old", "new"]) }))
      .watch(CONFIGMAPS)
      [Symbol.asyncIterator]();
    await expect(events.next()).resolves.toMatchObject({ value: { type: "ADDED" } });
  });

  test("a client certificate is named as such", async () => {
    const server = await serve((_request, response) => sendStatus(response, 401, "Unauthorized", "Unauthorized"));
    const credentials: Credentials = { authorization: async () => undefined, clientCertificate: async () => CLIENT };
    await expect(connect(server.config({ credentials })).list(CONFIGMAPS)).rejects.toThrow(
      "client certificate rejected (401 Unauthorized)",
    );
  });
});

describe("client certificates", () => {
  test("a new one is shown on new connections, an unchanged one keeps them", async () => {
    const server = await serve(empty);
    let certificate: ClientCertificate = CLIENT;
    const client = connect(
      server.config({
        credentials: { authorization: async () => undefined, clientCertificate: async () => certificate },
      }),
    );
    await client.list(CONFIGMAPS);
    await client.list(CONFIGMAPS);
    certificate = SECOND_CLIENT;
    await client.list(CONFIGMAPS);
    expect(server.requests.map((request) => request.user)).toEqual(["test-user", "test-user", "test-user-2"]);
    expect(server.connections).toBeLessThanOrEqual(3);
  });
});

describe("TLS", () => {
  const signed = "certificate is not signed by the CA in the kubeconfig";
  const name = "the certificate of the server is not for other.example, the tls-server-name in the kubeconfig";
  test.each<[string, Partial<ClusterConfig>, typeof SERVER, want: string]>([
    ["a server of another authority", { caData: OTHER_CA }, SERVER, signed],
    ["a certificate for another host", {}, ELSEWHERE_SERVER, "the certificate of the server is not for 127.0.0.1"],
    ["a name that the certificate does not hold", { tlsServerName: "other.example" }, SERVER, name],
  ])("%s is refused before anything is sent", async (_, config, certificate, want) => {
    const server = await serve(empty, certificate);
    const error = connect(server.config(config)).list(CONFIGMAPS);
    await expect(error).rejects.toMatchObject({
      name: "TransportError",
      reason: "TLS",
      message: expect.stringContaining(want),
    });
    expect(server.requests).toEqual([]);
  });

  test("an environment that turns verification off is not obeyed", async () => {
    vi.stubEnv("NODE_TLS_REJECT_UNAUTHORIZED", "0");
    onTestFinished(() => void vi.unstubAllEnvs());
    const server = await serve(empty);
    await expect(connect(server.config({ caData: OTHER_CA })).list(CONFIGMAPS)).rejects.toMatchObject({
      reason: "TLS",
    });
  });

  test("tls-server-name is what the certificate must be for", async () => {
    const server = await serve(empty, ELSEWHERE_SERVER);
    const client = connect(server.config({ tlsServerName: "elsewhere.example" }));
    await expect(client.list(CONFIGMAPS)).resolves.toMatchObject({ items: [] });
  });

  test("only an explicit wish turns verification off", async () => {
    const server = await serve(empty);
    await expect(connect(server.config({ caData: OTHER_CA, insecure: true })).list(CONFIGMAPS)).resolves.toMatchObject({
      items: [],
    });
  });

  test("without a CA of its own the system's are asked", async () => {
    const server = await serve(empty);
    const { caData: _none, ...config } = server.config();
    await expect(connect(config).list(CONFIGMAPS)).rejects.toThrow("not signed by a CA that this machine trusts");
  });
});

describe("servers in trouble", () => {
  test("a redirect is never followed, and the credential goes nowhere else", async () => {
    const other = await serve(empty);
    const server = await serve((_request, response) => {
      response.writeHead(307, { location: `${other.url}/api/v1/configmaps` });
      response.end();
    });
    const client = connect(server.config({ credentials: rotating(["secret"]) }));
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({
      reason: "Protocol",
      message: expect.stringContaining("redirect (307)"),
    });
    expect(other.requests).toEqual([]);
  });

  test("nobody listens", async () => {
    const server = await startTestServer(empty);
    await server[Symbol.asyncDispose]();
    await expect(connect(server.config()).list(CONFIGMAPS)).rejects.toMatchObject({
      reason: "ConnectionRefused",
      message: `connection refused by ${new URL(server.url).host}`,
    });
  });

  test("a peer that accepts and never speaks is given up after the connect timeout", async () => {
    const silent = await startSilentServer();
    onTestFinished(() => silent[Symbol.asyncDispose]());
    const config: ClusterConfig = {
      server: silent.url,
      caData: CA,
      currentNamespace: "default",
      credentials: rotating(["x"]),
    };
    await expect(connect(config, { connectTimeoutMs: 100 }).list(CONFIGMAPS)).rejects.toMatchObject({
      reason: "Timeout",
      message: `connecting to ${new URL(silent.url).host} timed out after 0.1 s`,
    });
  });

  test("a server that takes a request and never answers is given up after the request timeout", async () => {
    const server = await serve((request, response) => {
      if (!request.path.includes("labelSelector")) sendJson(response, { kind: "ConfigMapList", items: [] });
    });
    const client = connect(server.config(), { requestTimeoutMs: 200 });
    await client.list(CONFIGMAPS);
    await expect(client.list(CONFIGMAPS, { labelSelector: "a=b" })).rejects.toMatchObject({
      reason: "Timeout",
      message: `${new URL(server.url).host} did not answer within 0.2 s`,
    });
    await expect(client.list(CONFIGMAPS), "the connection still serves others").resolves.toMatchObject({ items: [] });
  });

  test("a watch on which nothing comes is given up after the idle timeout", async () => {
    const server = await serve(
      (_request, response) => void response.write('{"type":"ADDED","object":{"metadata":{"name":"a"}}}\n'),
    );
    const events = connect(server.config(), { watchIdleTimeoutMs: 200 }).watch(CONFIGMAPS)[Symbol.asyncIterator]();
    await events.next();
    await expect(events.next()).rejects.toMatchObject({
      reason: "Timeout",
      message: "the answer broke off: nothing came for 0.2 s",
    });
  });

  test("after a break the next request finds the server again", async () => {
    const server = await serve((request, response) => {
      if (request.path.includes("labelSelector")) server.sever();
      else sendJson(response, { kind: "ConfigMapList", items: [] });
    });
    const client = connect(server.config());
    await expect(client.list(CONFIGMAPS, { labelSelector: "a=b" })).rejects.toMatchObject({
      reason: "ConnectionReset",
    });
    await expect(client.list(CONFIGMAPS)).resolves.toMatchObject({ items: [] });
  });

  test("a request that is given up while it waits for its connection is never sent", async () => {
    const silent = await startSilentServer();
    onTestFinished(() => silent[Symbol.asyncDispose]());
    const controller = new AbortController();
    const config: ClusterConfig = {
      server: silent.url,
      caData: CA,
      currentNamespace: "default",
      credentials: rotating(["x"]),
    };
    const waiting = connect(config).list(CONFIGMAPS, { signal: controller.signal });
    const reason = new Error("never mind");
    setImmediate(() => controller.abort(reason));
    await expect(waiting).rejects.toBe(reason);
  });

  test("a closed client says so, to those who wait and to those who come", async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serve(() => arrived.resolve());
    const client = connect(server.config());
    const waiting = client.list(CONFIGMAPS);
    await arrived.promise;
    const closed = client[Symbol.asyncDispose]();
    await expect(waiting).rejects.toMatchObject({ reason: "Aborted" });
    await closed;
    await expect(client.list(CONFIGMAPS)).rejects.toMatchObject({ reason: "Aborted" });
  });
});

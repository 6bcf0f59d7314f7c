import { X509Certificate } from "node:crypto";
import { request as httpsRequest, type RequestOptions } from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import { CA, ELSEWHERE_SERVER, OTHER_CA, SERVER } from "../../runtime/testing/certificates.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { type ClientKey, clientAuthority } from "../testing/clientCertificates.ts";
import { object, placed } from "../testing/fleet.ts";
import { FakeHub } from "../testing/fakeHub.ts";
import { API, APPS, served } from "../testing/served.ts";
import { type ClientTrust, clientTrustFrom, followClientTrust, isSignedBy } from "./access/index.ts";
import { Leader, LEADER_ADDRESS } from "./leader.ts";
import { QueryServer } from "./server.ts";
import { QueryTls } from "./tls.ts";

const users = await clientAuthority("users");
const proxies = await clientAuthority("proxies");
/** Its certificates look like those of users. */
const forger = await clientAuthority("users");

const MAP = {
  "client-ca-file": users.pem,
  "requestheader-client-ca-file": proxies.pem,
  "requestheader-allowed-names": '["front-proxy"]',
  "requestheader-username-headers": '["X-Remote-User"]',
  "requestheader-group-headers": '["X-Remote-Group"]',
  "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
};

interface TlsAnswer {
  code: number | undefined;
  text: string;
}

async function secure(map: Readonly<Record<string, string>> = MAP, options: Parameters<typeof served>[0] = {}) {
  const api = await served(options);
  // Certificates of the tests are valid now.
  api.clock.jumpTo(Date.now());
  api.commit({ objects: [object("shop", [placed("eu-1")])] });
  const trust = clientTrustFrom(map);
  api.server.trust(trust);
  const { logger } = logLines();
  const tls = new QueryTls({ port: 0, host: "127.0.0.1", take: (...call) => api.server.take(...call), logger });
  tls.trust(trust.bundle);
  await tls.show({ certPem: SERVER.cert, keyPem: SERVER.key });
  onTestFinished(() => tls[Symbol.asyncDispose]());
  const ask = (client: Partial<ClientKey> = {}, headers: RequestOptions["headers"] = {}): Promise<TlsAnswer> => {
    const { promise, resolve, reject } = Promise.withResolvers<TlsAnswer>();
    const where = { host: "127.0.0.1", port: tls.port, path: `${API}/federatedobjects`, ca: CA, agent: false as const };
    httpsRequest({ ...where, headers, ...client }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      response.once("end", () => resolve({ code: response.statusCode, text }));
    })
      .once("error", reject)
      .end();
    return promise;
  };
  return { ...api, tls, ask };
}

const userOfReviews = ({ hub }: { hub: FakeHub }): string[] => [
  ...new Set(hub.accessReviews.map((review) => review.split(" ", 1)[0] ?? "")),
];

describe("a client certificate", () => {
  test("names its user", async () => {
    const api = await secure();
    api.hub.user("jane", { [APPS]: ["a"] });
    const { code, text } = await api.ask(await users.issue("jane", ["devs"]));
    expect([code, userOfReviews(api)]).toEqual([200, ["jane"]]);
    expect(text).toContain("DemoApplication.paas.cmft.com:shop");
  });

  test.each([
    { name: "of another authority of the same name", client: () => forger.issue("jane") },
    { name: "that has expired", client: () => users.issue("jane", [], true) },
    { name: "of the proxies' authority without a user's name", client: () => proxies.issue("front-proxy") },
    { name: "that is no client's", client: async () => ELSEWHERE_SERVER },
    { name: "of the anonymous user", client: () => users.issue("system:anonymous") },
  ])("$name is answered with 401", async ({ client }) => {
    const { ask } = await secure();
    expect((await ask(await client())).code).toBe(401);
  });

  test("counts no more when the hub changes its authority, also on open connections", async () => {
    const api = await secure();
    const jane = await users.issue("jane");
    expect((await api.ask(jane)).code).toBe(200);
    api.server.trust(clientTrustFrom({ "client-ca-file": forger.pem }));
    expect((await api.ask(jane)).code).toBe(401);
  });

  test("is not needed with a token", async () => {
    const { ask, hub } = await secure();
    const authorization = `Bearer ${hub.user("jane")}`;
    expect((await ask({}, { authorization })).code).toBe(200);
  });
});

describe("a proxy in front", () => {
  const headers = { "X-Remote-User": "jane", "X-Remote-Group": ["devs", "testers"] };

  test("names the user, if its own certificate is proven", async () => {
    const api = await secure();
    const { code } = await api.ask(await proxies.issue("front-proxy"), headers);
    expect([code, userOfReviews(api)]).toEqual([200, ["jane"]]);
  });

  test.each([
    { name: "without a certificate", client: async () => ({}), code: 401 },
    { name: "with a certificate of another name", client: () => proxies.issue("front-door"), code: 401 },
    { name: "with a certificate of another authority", client: () => forger.issue("front-proxy"), code: 401 },
  ])("$name is not believed", async ({ client, code }) => {
    const { ask } = await secure();
    expect((await ask(await client(), headers)).code).toBe(code);
  });

  test("that is a user with headers is that user", async () => {
    const api = await secure();
    await api.ask(await users.issue("front-proxy"), headers);
    expect(userOfReviews(api)).toEqual(["front-proxy"]);
  });
});

describe("the trust in client certificates", () => {
  test.each([
    {
      name: "no allowed names while users have the same authority",
      change: { "requestheader-client-ca-file": users.pem, "requestheader-allowed-names": "[]" },
    },
    { name: "allowed names that are no list", change: { "requestheader-allowed-names": "front-proxy" } },
    { name: "no header for the name", change: { "requestheader-username-headers": "[]" } },
    {
      name: "an authority that is no certificate",
      change: { "requestheader-client-ca-file": "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----" },
    },
  ])("with $name trusts no proxy", ({ change }) => {
    expect(clientTrustFrom({ ...MAP, ...change }).proxy).toBeUndefined();
  });

  test("follows the hub's ConfigMap, and stays while the hub does not answer", async () => {
    const hub = new FakeHub();
    const clock = new FakeClock();
    const { logger } = logLines();
    const end = new AbortController();
    const seen: ClientTrust[] = [];
    const key = "kube-system/extension-apiserver-authentication";
    const map = (data: object) => ({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x" }, data });
    hub.objects.set(key, map(MAP));
    const running = followClientTrust({ client: hub.client, clock, logger }, (trust) => seen.push(trust), end.signal);
    await clock.settle(60_000);
    expect(seen.map(({ clientRoots }) => clientRoots.length)).toEqual([1]);
    hub.objects.set(key, map({}));
    await clock.settle(60_000);
    expect(seen.map(({ clientRoots }) => clientRoots.length)).toEqual([1, 0]);
    end.abort();
    await running;
  });

  test("needs a signature, not a name", async () => {
    const { cert } = await forger.issue("jane");
    const certificate = new X509Certificate(cert);
    expect(isSignedBy(certificate, [new X509Certificate(users.pem)], Date.now())).toBe(false);
    expect(isSignedBy(certificate, [new X509Certificate(forger.pem)], Date.now())).toBe(true);
  });
});

describe("a follower", () => {
  async function pair({ ca = CA, serverName = "localhost", own = "Bearer manager-token" as string | undefined } = {}) {
    const leading = await secure(MAP, { self: () => "manager" });
    leading.hub.tokens.set("manager-token", { username: "manager" });
    const jane = leading.hub.user("jane", { [APPS]: ["a"] });
    const { logger, lines } = logLines();
    const lease = (address: string) => ({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: "meridian", namespace: "system", annotations: { [LEADER_ADDRESS]: address } },
      spec: { holderIdentity: "manager-0" },
    });
    leading.hub.objects.set("system/meridian", lease(`https://127.0.0.1:${leading.tls.port}`));
    const leader = new Leader({
      ...{ client: leading.hub.client, namespace: "system", leaseName: "meridian", clock: leading.clock, logger },
      trust: () => ({ ca, serverName }),
      authorization: async () => own,
    });
    onTestFinished(() => leader[Symbol.asyncDispose]());
    const server = new QueryServer({
      client: leading.hub.client,
      clock: leading.clock,
      logger,
      kinds: () => [],
      leader,
    });
    const { createServer } = await import("node:https");
    const proof = { cert: SERVER.cert, key: SERVER.key, ca: [users.pem, proxies.pem] };
    const http = createServer({ ...proof, requestCert: true, rejectUnauthorized: false }, (...call) =>
      server.take(...call),
    );
    server.trust(clientTrustFrom(MAP));
    const { promise, resolve } = Promise.withResolvers<void>();
    http.listen(0, "127.0.0.1", resolve);
    await promise;
    onTestFinished(async () => {
      await server[Symbol.asyncDispose]();
      http.closeAllConnections();
      http.close();
    });
    const port = (http.address() as { port: number }).port;
    const ask = (path: string, headers: RequestOptions["headers"], client: Partial<ClientKey> = {}) => {
      const answer = Promise.withResolvers<TlsAnswer & { headers: NodeJS.Dict<string | string[]> }>();
      httpsRequest(
        { host: "127.0.0.1", port, path: API + path, ca: CA, agent: false, headers, ...client },
        (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (piece: string) => (text += piece));
          response.once("end", () => answer.resolve({ code: response.statusCode, text, headers: response.headers }));
        },
      )
        .once("error", answer.reject)
        .end();
      return answer.promise;
    };
    return { leading, ask, jane, lease, lines };
  }
  const names = ({ text }: TlsAnswer): string[] =>
    (JSON.parse(text) as { items: { metadata: { name: string } }[] }).items.map(({ metadata }) => metadata.name);

  test("passes a user's token on, and the leader's answer back", async () => {
    const { ask, jane, leading } = await pair();
    const answer = await ask("/federatedobjects", { authorization: `Bearer ${jane}` });
    expect([answer.code, names(answer)]).toEqual([200, ["DemoApplication.paas.cmft.com:shop"]]);
    expect(leading.hub.tokenReviews).not.toContain("manager-token");
    const refused = await ask("/federatedobjects?colour=red", { authorization: `Bearer ${jane}` });
    expect(refused.code).toBe(400);
  });

  test("vouches for the holder of a certificate, with the holder's rights", async () => {
    const { ask, leading } = await pair();
    const answer = await ask("/federatedobjects", {}, await users.issue("jane"));
    expect([answer.code, names(answer)]).toEqual([200, ["DemoApplication.paas.cmft.com:shop"]]);
    const other = await ask("/federatedobjects", {}, await users.issue("joe"));
    expect([other.code, names(other)]).toEqual([200, []]);
    expect(userOfReviews(leading).toSorted()).toEqual(["jane", "joe"]);
  });

  test.each([
    { name: "of another authority", trust: { ca: OTHER_CA } },
    { name: "with another name", trust: { serverName: "elsewhere.example" } },
  ])("tells no token to a leader with a certificate $name", async ({ trust }) => {
    const { ask, jane, leading, lines } = await pair(trust);
    leading.hub.tokenReviews.length = 0;
    const answer = await ask("/federatedobjects", { authorization: `Bearer ${jane}` });
    expect(JSON.parse(answer.text)).toMatchObject({ items: [], partial: [{ reason: "LeaderUnreachable" }] });
    // Only its own review: the other server has seen no request.
    expect(leading.hub.tokenReviews).toEqual([jane]);
    expect(leading.calls).toEqual([]);
    expect(JSON.stringify(lines)).not.toContain(jane);
  });

  test.each(["", "http://127.0.0.1:1", "https://a:b@127.0.0.1:1", "not an address", "https://127.0.0.1:1"])(
    "says partial with the address %o in the Lease",
    async (address) => {
      const { ask, jane, leading, lease } = await pair();
      leading.hub.objects.set("system/meridian", lease(address));
      const answer = await ask("/federatedobjects", { authorization: `Bearer ${jane}` });
      expect(JSON.parse(answer.text)).toMatchObject({ partial: [{ cluster: "*", reason: "LeaderUnreachable" }] });
    },
  );

  test("passes no request on twice", async () => {
    const { ask, jane } = await pair();
    const headers = { authorization: `Bearer ${jane}`, "x-meridian-passed-on": "1" };
    const answer = await ask("/federatedobjects", headers);
    expect(JSON.parse(answer.text)).toMatchObject({ partial: [{ reason: "LeaderUnreachable" }] });
  });
});

import { describe, expect, test } from "vitest";
import { type MemberCluster, parseYaml } from "../../apis/index.ts";
import { CredentialsError, MEMBERCLUSTERS, SECRETS, TransportError } from "../../runtime/index.ts";
import {
  SERVICE_ACCOUNT_ANNOTATION,
  TOKEN_EXPIRES_AT_ANNOTATION,
  TOKEN_ISSUED_AT_ANNOTATION,
} from "../../clusters/index.ts";
import { FakeMember, fakeToken } from "../../clusters/testing/fakeMember.ts";
import { type PoolHarness, poolHarness, SYSTEM } from "../testing/poolHarness.ts";

const start = poolHarness();

describe("credentials", () => {
  test("that are missing are named in the status, and used once they exist", async () => {
    const h = await start();
    const member = h.member("a");
    h.cluster("a");
    await h.settle();
    expect(h.readyCondition("a")).toBe(
      "False SecretNotFound: Secret a is not in Meridian's namespace: put it there, or run `meridian join a --renew --member-kubeconfig FILE`",
    );
    h.secret("a", member.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
  });

  test("that the cache lacks are read from the hub", async () => {
    const h = await start();
    h.hub.server.dropWatches(new TransportError("ConnectionReset", "connection closed"));
    await h.joined("a");
    expect(h.heard).not.toContain("a SecretNotFound");
  });

  test("that change begin a new session and client without a loss of contact", async () => {
    const h = await start();
    const member = await h.joined("a");
    const [old] = member.clients;
    member.token = "better";
    h.secret("a", member.kubeconfig());
    await h.until(() => h.sessions.length === 2);
    await h.settle();
    expect(h.heard).toEqual(["a Connecting", "a session a-uid", "a ok", "a session ended", "a session a-uid"]);
    expect(old?.disposed).toBe(true);
    expect(h.pool.session("a")?.client).toBe(member.clients[1]);
    expect(h.hub.statusWrites).toHaveLength(1);
  });

  test("that are rejected are named in the status until they change", async () => {
    const h = await start();
    const member = h.member("a");
    h.secret("a", member.kubeconfig("bad"));
    h.cluster("a");
    await h.settle();
    expect(h.readyCondition("a")).toBe(
      "False CredentialsRejected: the server does not accept the credentials (401): run `meridian join a --renew --member-kubeconfig FILE`",
    );
    h.secret("a", member.kubeconfig());
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    expect(
      h.hub.statusWrites.map(({ status }) => (status as MemberCluster["status"])?.conditions?.[0]?.reason),
    ).toEqual(["CredentialsRejected", "Connected"]);
  });

  test("that are removed end the session", async () => {
    const h = await start();
    await h.joined("a");
    h.hub.server.delete(SECRETS, SYSTEM, "a");
    await h.until(() => h.pool.contact("a").reason === "SecretNotFound");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.pool.session("a")).toBeUndefined();
  });

  test("that change to a metadata address end the session, and nothing is sent any more", async () => {
    const h = await start();
    const member = await h.joined("a");
    const sent = () => member.clients.flatMap(({ calls }) => calls).length;
    h.secret("a", member.kubeconfig().replace(/server: .*/, "server: https://169.254.169.254"));
    await h.until(() => h.pool.contact("a").reason === "AddressRefused");
    expect(h.sessions[0]?.signal.aborted).toBe(true);
    expect(h.status("a")?.conditions).toMatchObject([
      {
        type: "Ready",
        status: "False",
        reason: "AddressRefused",
        message: "the server 169.254.169.254 is a link-local or metadata address; credentials are never sent there",
      },
    ]);
    const before = sent();
    await h.advance(60_000);
    expect([sent() - before, member.clients.length]).toEqual([0, 1]);
  });

  test("are not sent to a host name that leads to a metadata address by now", async () => {
    const h = await start();
    const member = await h.joined("a");
    const message = "the host name a.test leads to a link-local or metadata address; credentials are never sent there";
    member.failure = new CredentialsError("Refused", message);
    await h.advance(20_000);
    expect(h.pool.contact("a").ok).toBe(false);
    expect(h.status("a")?.conditions).toMatchObject([{ status: "False", reason: "AddressRefused", message }]);
  });

  test.each([
    ["InvalidKubeconfig", /[^]*/, "hello"],
    ["AddressRefused", /server: .*/, "server: https://169.254.169.254"],
    ["AddressRefused", /server: .*/, "server: http://member.test"],
    ["InvalidKubeconfig", /token: .*/, "exec: {apiVersion: client.authentication.k8s.io/v1, command: date}"],
  ])("are refused as %s if %s is %s", async (reason, part, by) => {
    const h = await start();
    h.secret("a", new FakeMember("x", "u").kubeconfig().replace(part, by));
    h.cluster("a");
    await h.settle();
    expect([h.pool.contact("a").reason, h.status("a")?.conditions]).toMatchObject([
      reason,
      [{ status: "False", reason }],
    ]);
  });
});

describe("a token from join", () => {
  const HOUR = 3_600_000;

  async function withToken(): Promise<{ h: PoolHarness; member: FakeMember }> {
    const h = await start();
    const member = h.member("a");
    const issuedAt = h.clock.now();
    member.token = fakeToken("system:serviceaccount:meridian-system:meridian", issuedAt, issuedAt + HOUR);
    member.issuesTokensFor = {
      subject: "system:serviceaccount:meridian-system:meridian",
      seconds: 3600,
      now: () => h.clock.now(),
    };
    h.secret("a", member.kubeconfig(), {
      [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
      [TOKEN_ISSUED_AT_ANNOTATION]: "2026-01-01T08:00:00Z",
      [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T09:00:00Z",
    });
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    await h.settle();
    return { h, member };
  }

  test("is renewed at 80 % of its life, without a new session", async () => {
    const { h, member } = await withToken();
    expect(h.status("a")?.credentials).toEqual({ expiresAt: "2026-01-01T09:00:00Z", renewAt: "2026-01-01T08:48:00Z" });
    const before = member.token;
    await h.advance(47 * 60_000);
    expect(member.token).toBe(before);
    await h.advance(2 * 60_000);
    expect(member.token).not.toBe(before);

    const secret = h.hub.server.get(SECRETS, SYSTEM, "a");
    const kubeconfig = Buffer.from((secret["data"] as { kubeconfig: string }).kubeconfig, "base64").toString();
    expect(parseYaml(kubeconfig)).toEqual(parseYaml(member.kubeconfig()));
    expect(secret.metadata.annotations).toMatchObject({
      [TOKEN_ISSUED_AT_ANNOTATION]: "2026-01-01T08:48:00Z",
      [TOKEN_EXPIRES_AT_ANNOTATION]: "2026-01-01T09:48:00Z",
    });
    expect(h.status("a")?.credentials).toEqual({ expiresAt: "2026-01-01T09:48:00Z", renewAt: "2026-01-01T09:36:00Z" });
    expect(h.sessions).toHaveLength(1);
    expect(h.pool.contact("a").ok).toBe(true);
    expect(h.events).toEqual(["Normal TokenRenewed: the token is valid until 2026-01-01T09:48:00Z"]);
    await h.advance(10 * 60_000);
    expect(member.clients[0]?.calls.filter((call) => call.endsWith("/token"))).toHaveLength(1);
  });

  test("is renewed only by the manager that owns the MemberCluster", async () => {
    const { h, member } = await withToken();
    const cluster = () => h.hub.server.get(MEMBERCLUSTERS, undefined, "a");
    h.upsert(cluster(), false);
    const token = member.token;
    h.hub.server.merge(MEMBERCLUSTERS, undefined, "a", { metadata: { generation: 2 } });
    h.upsert(cluster(), false);
    await h.advance(55 * 60_000);
    expect(member.token).toBe(token);
    expect(h.status("a")?.observedGeneration).toBe(1);
    expect([h.sessions.length, h.pool.contact("a").ok, h.events]).toEqual([1, true, []]);
    h.upsert(cluster(), true);
    await h.advance(1_000);
    expect(member.token).not.toBe(token);
    expect(h.status("a")?.observedGeneration).toBe(2);
  });

  test.each([
    { name: "an hour ahead", skew: HOUR },
    { name: "an hour behind", skew: -HOUR },
  ])("is renewed at 80 % of its life if the member's clock is $name", async ({ skew }) => {
    const h = await start();
    const member = h.member("a");
    const subject = "system:serviceaccount:meridian-system:meridian";
    const now = (): number => h.clock.now() + skew;
    const realLife = new Map<string, number>();
    member.token = fakeToken(subject, now(), now() + HOUR);
    member.issuesTokensFor = { subject, seconds: 3600, now };
    h.secret("a", member.kubeconfig(), {
      [SERVICE_ACCOUNT_ANNOTATION]: "meridian-system/meridian",
      [TOKEN_ISSUED_AT_ANNOTATION]: new Date(h.clock.now()).toISOString(),
      [TOKEN_EXPIRES_AT_ANNOTATION]: new Date(now() + HOUR).toISOString(),
    });
    h.cluster("a");
    await h.until(() => h.pool.contact("a").ok);
    for (let minute = 0; minute < 190; minute++) {
      await h.advance(60_000);
      realLife.set(member.token, (realLife.get(member.token) ?? 0) + 1);
    }
    // Each lives for its 48 minutes of 60.
    expect([...realLife.values()].slice(0, -1).every((minutes) => minutes >= 47 && minutes <= 49)).toBe(true);
    expect(realLife.size).toBe(4);
    expect([h.pool.contact("a").ok, h.sessions.length]).toEqual([true, 1]);
  });

  test.each([
    { name: "an hour ahead", jump: HOUR },
    { name: "an hour back", jump: -HOUR },
  ])("is renewed in time if the hub's clock jumps $name, also by the next manager", async ({ jump }) => {
    const { h, member } = await withToken();
    const wall = h.clock.now();
    member.issuesTokensFor = {
      subject: "system:serviceaccount:meridian-system:meridian",
      seconds: 3600,
      now: () => wall + h.clock.monotonic(),
    };
    const first = member.token;
    await h.advance(10 * 60_000);
    h.clock.jumpTo(h.clock.now() + jump);
    await h.advance(37 * 60_000);
    expect(member.token).toBe(first);
    await h.advance(2 * 60_000);
    expect(member.token).not.toBe(first);

    const second = member.token;
    await h.advance(30 * 60_000);
    const object = h.hub.server.get(MEMBERCLUSTERS, undefined, "a");
    h.connected.remove("a");
    h.upsert(object);
    await h.advance(16 * 60_000);
    expect(member.token).toBe(second);
    await h.advance(2 * 60_000);
    expect(member.token).not.toBe(second);
  });

  test("is renewed later if a renewal failed", async () => {
    const { h, member } = await withToken();
    const issues = member.issuesTokensFor;
    member.issuesTokensFor = undefined;
    await h.advance(49 * 60_000);
    expect(h.events).toContain("Warning TokenNotRenewed: may not create serviceaccounts/token");
    member.issuesTokensFor = issues;
    await h.advance(6 * 60_000);
    expect(h.events.at(-1)).toMatch(/^Normal TokenRenewed/);
    expect(h.pool.contact("a").ok).toBe(true);
  });

  test("is renewed at once with new contact if a renewal failed", async () => {
    const { h, member } = await withToken();
    const issues = member.issuesTokensFor;
    member.issuesTokensFor = undefined;
    await h.advance(49 * 60_000);
    member.issuesTokensFor = issues;
    member.failure = new TransportError("ConnectionRefused", "refused");
    await h.advance(20_000);
    member.failure = undefined;
    await h.advance(10_000);
    expect(h.events.filter((event) => event.includes("TokenRenewed"))).toHaveLength(1);
  });
});

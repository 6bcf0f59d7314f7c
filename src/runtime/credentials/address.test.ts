import dns from "node:dns";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createClient } from "../client/client.ts";
import { CredentialsError } from "../core/errors.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { sendJson, startTestServer } from "../testing/testServer.ts";
import { guarded, guardedLookup } from "./address.ts";

/** What the resolver of the machine answers, question by question; the last answer for good. */
const answers: { of: string[][] } = { of: [] };
const { lookup } = dns;
beforeAll(() => {
  dns.lookup = ((hostname: string, options: object, callback: (...given: unknown[]) => void) => {
    const answer = answers.of.length > 1 ? answers.of.shift() : answers.of[0];
    if (answer === undefined) lookup(hostname, options, callback);
    else
      callback(
        null,
        answer.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
      );
  }) as unknown as typeof lookup;
});
afterAll(() => {
  dns.lookup = lookup;
});

const resolve = (name: string) =>
  new Promise<unknown>((settle) => guardedLookup(name, { all: true }, (error, found) => settle(error ?? found)));

test("names that lead to loopback are resolved", async () => {
  await expect(resolve("localhost")).resolves.toEqual(
    expect.arrayContaining([expect.objectContaining({ family: expect.any(Number) })]),
  );
});

test("names that lead to a link-local address are refused, whatever they are called", async () => {
  // The resolver takes an address for a name that leads to itself.
  await expect(resolve("169.254.169.254")).resolves.toBeInstanceOf(CredentialsError);
});

describe("an answer of the resolver", () => {
  const judge = (found: string | string[]) =>
    new Promise<unknown>((settle) => {
      const given = typeof found === "string" ? found : found.map((address) => ({ address, family: 4 }));
      guarded((_name, _options, callback) => callback(null, given, 4))("api.example.com", {}, (error) => settle(error));
    });

  test.each([
    { found: "169.254.169.254" },
    { found: ["10.0.0.1", "169.254.0.1"] },
    { found: ["fe80::1%eth0"] },
    { found: ["::ffff:169.254.169.254"] },
    { found: ["100.100.100.200"] },
  ])("is refused when one of it is $found", async ({ found }) => {
    await expect(judge(found)).resolves.toMatchObject({
      reason: "Refused",
      message:
        "the host name api.example.com leads to a link-local or metadata address; credentials are never sent there",
    });
  });

  test.each([{ found: "10.0.0.1" }, { found: ["127.0.0.1", "::1"] }])("is taken when it is $found", async ({ found }) =>
    expect(await judge(found)).toBeNull(),
  );

  test("that is a failure is passed on as it is", async () => {
    const failure = Object.assign(new Error("no such name"), { code: "ENOTFOUND" });
    const answer = await new Promise<unknown>((settle) => {
      guarded((_name, _options, callback) => callback(failure, ""))("nowhere", {}, (error) => settle(error));
    });
    expect(answer).toBe(failure);
  });
});

test("a name that leads to a member first and to a metadata service later gets no credential there", async () => {
  const server = await startTestServer((_request, response) =>
    sendJson(response, { kind: "ConfigMapList", items: [] }),
  );
  onTestFinished(() => server[Symbol.asyncDispose]());
  const { port } = new URL(server.url);
  answers.of = [["127.0.0.1"], ["169.254.169.254"]];
  onTestFinished(() => void (answers.of = []));
  const client = createClient(
    server.config({
      server: `https://localhost:${port}`,
      credentials: { authorization: async () => "Bearer secret" },
    }),
    { cluster: "shanghai-1", clock: new FakeClock() },
  );
  onTestFinished(() => client[Symbol.asyncDispose]());
  await client.list(CONFIGMAPS);
  expect(server.requests.map(({ headers }) => headers["authorization"])).toEqual(["Bearer secret"]);

  server.sever();
  await expect(
    // A connection that was open is used again once and found broken.
    client.list(CONFIGMAPS).catch(() => client.list(CONFIGMAPS)),
  ).rejects.toMatchObject({ reason: "Refused", message: expect.stringContaining("localhost leads to a link-local") });
  expect(server.requests).toHaveLength(1);
});

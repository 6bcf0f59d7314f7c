import { expect, onTestFinished, test } from "vitest";
import { createClient } from "../client/client.ts";
import { FakeClock } from "../testing/fakeClock.ts";
import { type Handler, sendJson, startTestServer } from "../testing/testServer.ts";
import { requestToken } from "./tokenRequest.ts";

async function serve(handler: Handler) {
  const server = await startTestServer(handler);
  const client = createClient(server.config(), { cluster: "m", clock: new FakeClock() });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  return { server, client };
}

const asked = { namespace: "meridian-system", serviceAccount: "meridian", expirationSeconds: 3600 };

test("the life of a token is what the server gave, not what was asked for", async () => {
  const { server, client } = await serve((_request, response) =>
    sendJson(response, { status: { token: "t-1", expirationTimestamp: "2026-01-01T00:10:00Z" } }, 201),
  );
  await expect(requestToken(client, { ...asked, audiences: ["x"] })).resolves.toEqual({
    token: "t-1",
    expiresAt: Date.UTC(2026, 0, 1, 0, 10),
  });
  const [seen] = server.requests;
  expect(seen).toMatchObject({
    method: "POST",
    path: "/api/v1/namespaces/meridian-system/serviceaccounts/meridian/token",
  });
  expect(JSON.parse(seen?.body ?? "")).toMatchObject({
    kind: "TokenRequest",
    spec: { expirationSeconds: 3600, audiences: ["x"] },
  });
});

test("an answer without a token is an error, not an empty token", async () => {
  const { client } = await serve((_request, response) => sendJson(response, { status: {} }, 201));
  await expect(requestToken(client, asked)).rejects.toThrow("cluster m answered a TokenRequest without a token");
});

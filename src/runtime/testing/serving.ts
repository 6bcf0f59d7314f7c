import { onTestFinished } from "vitest";
import { type ClientOptions, createClient } from "../client/client.ts";
import type { Client } from "../types.ts";
import { FakeClock } from "./fakeClock.ts";
import { type Handler, startTestServer, type TestServer } from "./testServer.ts";

/** Starts a server with this handler, and a client for it. Both end with the test. */
export async function serving(
  handler: Handler,
  options: Partial<ClientOptions> = {},
): Promise<{ server: TestServer; client: Client }> {
  const server = await startTestServer(handler);
  const client = createClient(server.config(), { cluster: "shanghai-1", clock: new FakeClock(), ...options });
  onTestFinished(async () => {
    await client[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });
  return { server, client };
}

import { onTestFinished } from "vitest";
import { type ClientOptions, createClient } from "../client/client.ts";
import type { Client } from "../types.ts";
import { FakeClock } from "./fakeClock.ts";
import { type Handler, startTestServer, type TestServer } from "./testServer.ts";

/** A client of a server that answers as the handler says, until the test ends. */
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

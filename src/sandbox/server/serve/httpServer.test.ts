import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, get } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { startSandboxCluster } from "../../index.ts";

test("a connection of HTTP/1.1 is kept for the next request, without a time after which it ends", async () => {
  const cluster = await startSandboxCluster({ name: "test", controllers: false });
  const agent = new Agent({ keepAlive: true, ca: cluster.caPem });
  onTestFinished(async () => {
    agent.destroy();
    await cluster.stop();
  });
  const ask = async () => {
    const headers = { authorization: `Bearer ${cluster.adminToken}` };
    const request = get(`${cluster.url}/readyz`, { agent, headers });
    const [response] = (await once(request, "response")) as [IncomingMessage];
    const port = response.socket.localPort;
    response.resume();
    await once(response, "end");
    return { port, keepAlive: response.headers["keep-alive"] };
  };
  const first = await ask();
  expect(first.keepAlive).toBeUndefined();
  expect(await ask()).toEqual(first);
});

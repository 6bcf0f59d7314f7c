import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, test } from "vitest";
import { freePort } from "../../realClusters/index.ts";
import { assignPorts } from "./ports.ts";

async function occupiedPort(): Promise<AsyncDisposable & { port: number }> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, "close");
    },
  };
}

test("what was kept is taken again, unless somebody else has it by now", async () => {
  await using taken = await occupiedPort();
  const free = await freePort();
  const ports = await assignPorts(["hub", "a"], { base: undefined, kept: { hub: free, a: taken.port } });
  expect(ports["hub"]).toBe(free);
  expect(ports["a"]).not.toBe(taken.port);
});

test("from a first port on they follow each other, whatever was kept", async () => {
  const base = await freePort();
  expect(await assignPorts(["hub"], { base, kept: { hub: 1 } })).toEqual({ hub: base });
});

test("a port that was asked for and is occupied is an error that names it", async () => {
  await using taken = await occupiedPort();
  await expect(assignPorts(["hub"], { base: taken.port, kept: {} })).rejects.toMatchObject({
    exitCode: 2,
    message: `port ${taken.port} (for hub) is taken by another program: choose another --port, or leave --port out to have free ones taken`,
  });
});

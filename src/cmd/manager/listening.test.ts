import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { checkPort, type Listening } from "./listening.ts";

async function takenPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const metrics = (port: number, host = "127.0.0.1"): Listening => ({
  port,
  host,
  what: "/metrics",
  flag: "--metrics-port",
  hostFlag: "--metrics-host",
});

test("a port that is taken is named, with the option that chooses another", async () => {
  const port = await takenPort();
  await expect(checkPort(metrics(port))).rejects.toThrow(
    `port ${port} of 127.0.0.1, for /metrics, is taken by another program: choose another with --metrics-port, or end that program`,
  );
  await expect(checkPort({ port, what: "the webhooks", flag: "--webhook-port" })).rejects.toThrow(
    `port ${port}, for the webhooks, is taken`,
  );
});

test("an address that this machine does not have is named, with the option for it", async () => {
  await expect(checkPort(metrics(8383, "192.0.2.1"))).rejects.toThrow(
    "port 8383 of 192.0.2.1, for /metrics, cannot be listened on (EADDRNOTAVAIL): choose an address of this machine with --metrics-host",
  );
});

test("a port that is free stays free", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  await checkPort(metrics(port));
  await checkPort(metrics(port));
  await checkPort(metrics(0));
});

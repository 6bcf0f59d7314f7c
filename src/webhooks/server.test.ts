import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { CertificateAuthority, type CertifiedKey } from "../certificates/index.ts";
import { createLogger } from "../observability/index.ts";
import { type WebhookHandler, WebhookServer } from "./server.ts";

let certificate: CertifiedKey;

beforeAll(async () => {
  const authority = await CertificateAuthority.create({ name: "authority", now: Date.now() });
  certificate = await authority.issue({ name: "webhook", hosts: ["127.0.0.1"], now: Date.now() });
});

async function serve(handler: WebhookHandler): Promise<WebhookServer> {
  const handlers = { "/answer": handler };
  const server = new WebhookServer({ port: 0, host: "127.0.0.1", handlers, logger: createLogger({ level: "silent" }) });
  await server.show(certificate);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return server;
}

/** A connection that is kept open, as an API server keeps it. */
async function connection({ port }: WebhookServer): Promise<TLSSocket> {
  const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false });
  socket.setEncoding("utf8");
  await once(socket, "secureConnect");
  return socket;
}

async function ask(socket: TLSSocket): Promise<string> {
  const closed = once(socket, "close").then(() => "closed without an answer");
  socket.write("POST /answer HTTP/1.1\r\nhost: webhook\r\ncontent-length: 2\r\n\r\n{}");
  const [answer] = await Promise.race([once(socket, "data"), closed.then((word) => [word])]);
  return answer as string;
}

describe("a server that ends", () => {
  test("answers what is sent on a connection that was kept open, and closes it then", async () => {
    const server = await serve(() => ({}));
    const socket = await connection(server);
    expect(await ask(socket)).toMatch(/^HTTP\/1.1 200/);
    const ended = server[Symbol.asyncDispose]();
    const answer = await ask(socket);
    expect(answer).toMatch(/^HTTP\/1.1 200/);
    expect(answer.toLowerCase()).toContain("connection: close");
    await ended;
    await expect(connection(server)).rejects.toThrow();
  });

  test("lets an answer that is being made be made", async () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const go = Promise.withResolvers<void>();
    const server = await serve(async (_, signal) => {
      asked.resolve(signal);
      await go.promise;
      return { aborted: signal.aborted };
    });
    const socket = await connection(server);
    const answer = ask(socket);
    await asked.promise;
    const ended = server[Symbol.asyncDispose]();
    go.resolve();
    expect(await answer).toContain('{"aborted":false}');
    await ended;
  });

  test("does not wait for ever for one who neither asks again nor goes", async () => {
    const server = await serve(() => ({}));
    const socket = await connection(server);
    await ask(socket);
    await server[Symbol.asyncDispose]();
    if (!socket.closed) await once(socket, "close");
  });
});

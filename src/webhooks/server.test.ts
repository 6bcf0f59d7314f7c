import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { request } from "node:https";
import { setImmediate as nextTurn } from "node:timers/promises";
import { connect, type TLSSocket } from "node:tls";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { CertificateAuthority, type CertifiedKey } from "../certificates/index.ts";
import { createLogger, type Logger } from "../observability/index.ts";
import { systemClock } from "../runtime/index.ts";
import { type ListHandler, type WebhookHandler, WebhookServer, type WebhookServerOptions } from "./server.ts";

let certificate: CertifiedKey;

beforeAll(async () => {
  const authority = await CertificateAuthority.create({ name: "authority", now: Date.now() });
  certificate = await authority.issue({ name: "webhook", hosts: ["127.0.0.1"], now: Date.now() });
});

async function serve(
  handler: WebhookHandler,
  lists: Record<string, ListHandler> = {},
  observed: Pick<WebhookServerOptions, "observe"> & { logger?: Logger } = {},
): Promise<WebhookServer> {
  const handlers = { "/answer": handler };
  const server = new WebhookServer({
    port: 0,
    host: "127.0.0.1",
    handlers,
    lists,
    clock: systemClock,
    logger: createLogger({ level: "silent" }),
    ...observed,
  });
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

/** Sends so much, and says what came back and whether all of it was taken. */
async function post(
  { port }: WebhookServer,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<{ code: number | undefined; text: string }> {
  const sent = request({
    host: "127.0.0.1",
    port,
    path,
    method: "POST",
    rejectUnauthorized: false,
    agent: false,
    headers,
  });
  // The server may hang up on what it does not read.
  sent.on("error", () => undefined);
  sent.end(body);
  const [response] = (await once(sent, "response")) as [NodeJS.ReadableStream & { statusCode?: number }];
  let text = "";
  for await (const chunk of response) text += String(chunk);
  return { code: response.statusCode, text };
}

const MIB = 1024 * 1024;
const review = (inner: string): string => `{"request":{"object":${inner}}}`;

describe("a body", () => {
  test.each([
    { what: "of 3 MiB", body: review(`"${"a".repeat(3 * MIB - 30)}"`) },
    {
      what: "with a value of 9,000 levels, as the API server lets it be",
      body: review("[".repeat(9_000) + "]".repeat(9_000)),
    },
  ])("$what is answered", async ({ body }) => {
    const server = await serve(() => ({ fine: true }));
    expect(await post(server, "/answer", body)).toEqual({ code: 200, text: '{"fine":true}' });
  });

  test.each([
    { what: "of more than 3 MiB", body: review(`"${"a".repeat(3 * MIB)}"`) },
    {
      what: "of more than 3 MiB that does not say so",
      body: review(`"${"a".repeat(3 * MIB)}"`),
      headers: { "transfer-encoding": "chunked" },
    },
    { what: "of a million brackets", body: "[".repeat(1_000_000) },
    { what: "of a million empty lists", body: `[${"[],".repeat(1_000_000)}[]]` },
    {
      what: "of a million entries in a list of its own",
      body: `{"request":{"objects":[${"{},".repeat(1_000_000)}{}]}}`,
    },
  ])("$what is refused before it is parsed", async ({ body, headers = {} }) => {
    const parse = vi.spyOn(JSON, "parse");
    onTestFinished(() => parse.mockRestore());
    const server = await serve(() => ({}));
    expect(await post(server, "/answer", body, headers)).toMatchObject({
      code: 413,
      text: expect.stringMatching(/the request (is|has)/),
    });
    expect(parse).not.toHaveBeenCalled();
  });

  test("that says it is 512 MiB is not read at all", async () => {
    const server = await serve(() => ({}));
    const socket = await connection(server);
    socket.write(`POST /answer HTTP/1.1\r\nhost: webhook\r\ncontent-length: ${512 * MIB}\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [string];
    expect(answer).toMatch(/^HTTP\/1.1 413/);
    if (!socket.closed) await once(socket, "close");
  });

  test("of many objects comes one object after the other, each within the bound of one", async () => {
    const objects: unknown[] = [];
    const list: ListHandler = async (given, entries) => {
      expect(given).toEqual({ request: { uid: "u", objects: [] } });
      for await (const entry of entries) objects.push(entry);
      return ["[", String(objects.length), "]"];
    };
    const server = await serve(() => ({}), { "/list": list });
    const entries = Array.from({ length: 2_000 }, (_, n) => ({ n, text: "x".repeat(4_000) }));
    expect(await post(server, "/list", JSON.stringify({ request: { uid: "u", objects: entries } }))).toEqual({
      code: 200,
      text: "[2000]",
    });
    expect(objects).toEqual(entries);
    const wide = { request: { objects: [Array.from({ length: 200_000 }, () => ({}))] } };
    expect(await post(server, "/list", JSON.stringify(wide))).toMatchObject({ code: 413 });
  });
});

/** Calls for each request that a server of this process gets. */
function onRequest(take: (response: ServerResponse) => void): void {
  const started = "http.server.request.start";
  const listen = (message: unknown): void => take((message as { response: ServerResponse }).response);
  subscribe(started, listen);
  onTestFinished(() => void unsubscribe(started, listen));
}

describe("a call whose handler fails", () => {
  async function observed(handler: WebhookHandler) {
    const logger = createLogger({ level: "silent" });
    const error = vi.spyOn(logger, "error");
    const codes: number[] = [];
    const server = await serve(handler, {}, { logger, observe: ({ code }) => codes.push(code) });
    return { server, error, codes };
  }

  test.each<{ when: string; handler: WebhookHandler }>([
    {
      when: "at once",
      handler: () => {
        throw new Error("no facts");
      },
    },
    {
      when: "later, with the whole request read",
      handler: async () => {
        await nextTurn();
        throw new Error("no facts");
      },
    },
  ])("$when, is answered with 500 and logged", async ({ handler }) => {
    const { server, error, codes } = await observed(handler);
    expect(await post(server, "/answer", "{}")).toEqual({ code: 500, text: '{"message":"no facts"}' });
    expect(codes).toEqual([500]);
    expect(error).toHaveBeenCalledOnce();
  });

  test("after the caller has gone, counts as the caller's end and is not logged", async () => {
    const asked = Promise.withResolvers<ServerResponse>();
    onRequest((response) => asked.resolve(response));
    const { server, error, codes } = await observed(async () => {
      const response = await asked.promise;
      if (!response.destroyed) await once(response, "close");
      throw new Error("no facts");
    });
    const socket = await connection(server);
    socket.write("POST /answer HTTP/1.1\r\nhost: webhook\r\ncontent-length: 2\r\n\r\n{}");
    await asked.promise;
    socket.destroy();
    await vi.waitFor(() => expect(codes).toEqual([499]));
    expect(error).not.toHaveBeenCalled();
  });
});

test("thirty bodies at once are answered in as many turns of the event loop", async () => {
  let inThisTurn = 0;
  let most = 0;
  const server = await serve(() => {
    inThisTurn += 1;
    most = Math.max(most, inThisTurn);
    setImmediate(() => (inThisTurn = 0));
    const until = performance.now() + 10;
    while (performance.now() < until);
    return {};
  });
  await Promise.all(Array.from({ length: 100 }, () => post(server, "/answer", "{}")));
  expect(most).toBeLessThanOrEqual(2);
});

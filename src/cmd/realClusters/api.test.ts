import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CA, SERVER } from "../../runtime/testing/certificates.ts";
import { Api } from "./api.ts";

const line = (name: string): string => `${JSON.stringify({ type: "ADDED", object: { metadata: { name } } })}\n`;

let server: Server;
let api: Api;
/** The connections of the watches that were begun. */
let sockets: TLSSocket[];

beforeAll(async () => {
  sockets = [];
  server = createServer({ cert: SERVER.cert, key: SERVER.key }, (request, response) => {
    sockets.push(request.socket as TLSSocket);
    response.writeHead(200, { "content-type": "application/json" });
    response.write(line("first") + line("second"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  api = new Api({ server: `https://127.0.0.1:${port}`, ca: CA, token: "t" });
});

afterAll(() => {
  api.close();
  server.closeAllConnections();
  server.close();
});

const closed = (socket: TLSSocket | undefined): Promise<void> =>
  new Promise((resolve) => (socket === undefined || socket.destroyed ? resolve() : socket.once("close", resolve)));

test("a watch that its reader leaves is closed, and no later end of the connection is an error of anybody", async () => {
  const seen: string[] = [];
  for await (const { object } of api.watch("/api/v1/configmaps", new AbortController().signal)) {
    seen.push(object.metadata.name);
    break;
  }
  expect(seen).toEqual(["first"]);
  await closed(sockets.at(-1));
});

test("a watch whose server dies while its reader is busy throws where it is read", async () => {
  const read = async (): Promise<void> => {
    for await (const { object } of api.watch("/api/v1/configmaps", new AbortController().signal)) {
      if (object.metadata.name !== "second") continue;
      const socket = sockets.at(-1);
      socket?.destroy();
      await closed(socket);
    }
  };
  await expect(read()).rejects.toMatchObject({ code: "ECONNRESET" });
});

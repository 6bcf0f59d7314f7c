import { createHash } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect as connectTcp } from "node:net";
import type { Duplex } from "node:stream";
import { onTestFinished } from "vitest";
import { type Connection, connect } from "../../shared/connection.ts";
import type { ClusterConfig, Credentials } from "../../../runtime/index.ts";

export interface StandIn {
  /** Answers of GET by path. Absent: 404. A number: a refusal with this code. */
  answers?: Record<string, object | number>;
  /** Ports of pods, as `pod:port`, and where they really are. */
  ports?: Record<string, number>;
  credentials: Credentials;
}

/** An API server as far as the query API is found through it. Port-forwards end at ports of this machine. */
export async function standInHub({ answers = {}, ports = {}, credentials }: StandIn) {
  const forwarded: string[] = [];
  const server = createServer(({ url = "" }, response) => {
    const answer = answers[url.split("?")[0] ?? ""] ?? 404;
    const code = typeof answer === "number" ? answer : 200;
    const reason = code === 403 ? "Forbidden" : "NotFound";
    const body = typeof answer === "number" ? { kind: "Status", code, reason, message: `code ${code}` } : answer;
    response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex) => {
    const [, pod = "", port = ""] = /\/pods\/([^/]+)\/portforward\?ports=(\d+)$/.exec(request.url ?? "") ?? [];
    const target = ports[`${pod}:${port}`];
    forwarded.push(`${pod}:${port} ${request.headers.authorization ?? "without a token"}`);
    if (target === undefined) return void socket.end(refusal(403, "pods/portforward is forbidden"));
    socket.write(accepted(request));
    forward(socket, Number(port), target);
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const config: ClusterConfig = { server: `http://127.0.0.1:${port}`, currentNamespace: "default", credentials };
  const hub: Connection = connect("hub", config);
  onTestFinished(() => hub[Symbol.asyncDispose]());
  return { hub, forwarded };
}

function refusal(code: number, message: string): string {
  const body = JSON.stringify({ kind: "Status", code, reason: "Forbidden", message });
  return `HTTP/1.1 ${code} Forbidden\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

function accepted({ headers }: IncomingMessage): string {
  const accept = createHash("sha1")
    .update(`${headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest("base64");
  const protocol = headers["sec-websocket-protocol"];
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\nsec-websocket-protocol: ${protocol}\r\n\r\n`;
}

/** As the kubelet: the number of the port first, then data on channel 0. */
function forward(socket: Duplex, port: number, target: number): void {
  const tcp = connectTcp(target, "127.0.0.1");
  const send = (channel: number, content: Buffer): void => {
    for (let start = 0; start < content.length; start += 1_000) {
      const message = Buffer.concat([Buffer.from([channel]), content.subarray(start, start + 1_000)]);
      const { length } = message;
      const head = length < 126 ? Buffer.from([0x82, length]) : Buffer.from([0x82, 126, length >> 8, length & 0xff]);
      socket.write(Buffer.concat([head, message]));
    }
  };
  const number = Buffer.from([port & 0xff, port >> 8]);
  send(0, number);
  send(1, number);
  tcp.on("data", (chunk) => send(0, chunk));
  tcp.on("error", (error) => send(1, Buffer.from(`cannot reach port ${port}: ${error.message}`)));
  tcp.on("close", () => socket.end(Buffer.from([0x88, 0])));
  let bytes = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    bytes = Buffer.concat([bytes, chunk]);
    for (;;) {
      const short = (bytes[1] ?? 0) & 0x7f;
      const start = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (bytes.length < start) return;
      const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short;
      if (bytes.length < start + 4 + length) return;
      const mask = bytes.subarray(start, start + 4);
      const masked = bytes.subarray(start + 4, start + 4 + length);
      const payload = Buffer.from(masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0)));
      const opcode = (bytes[0] ?? 0) & 0x0f;
      bytes = bytes.subarray(start + 4 + length);
      if (opcode === 0x8) tcp.end();
      else if (payload[0] === 0) tcp.write(payload.subarray(1));
    }
  });
  socket.on("close", () => tcp.destroy());
  socket.on("error", () => tcp.destroy());
}

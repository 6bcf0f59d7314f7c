import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { type Frame, FrameReader, frameOf, OPCODE } from "./webSocketFrames.ts";

/** Streams of a port, each a channel of the connection: data, and the kubelet's error if the port does not answer. */
const PROTOCOL = "v4.channel.k8s.io";
const DATA = 0;
const ERROR = 1;
/** The first message of a channel is the number of the port. */
const PORT_BYTES = 2;
const MOST_OF_FRAME = 32_768;
/** Of RFC 6455: the answer proves that the server speaks the protocol. */
const ACCEPTING = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

export function portForwardPath(namespace: string, pod: string, port: number): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/portforward?ports=${port}`;
}

export interface Handshake {
  headers: Record<string, string>;
  /** @throws for an answer that does not accept the connection */
  check: (answer: IncomingMessage) => void;
}

/** The request that opens a tunnel. */
export function handshake(): Handshake {
  const key = randomBytes(16).toString("base64");
  const accept = createHash("sha1")
    .update(key + ACCEPTING)
    .digest("base64");
  return {
    headers: {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": key,
      "sec-websocket-protocol": PROTOCOL,
    },
    check({ headers }) {
      if (headers["sec-websocket-accept"] !== accept || headers["sec-websocket-protocol"] !== PROTOCOL)
        throw new Error(`the server does not open a tunnel by ${PROTOCOL}`);
    },
  };
}

/** A connection to a port of a pod, over the WebSocket that the API server has opened. */
export class Tunnel extends Duplex {
  readonly #socket: Duplex;
  readonly #reader = new FrameReader();
  readonly #begun = new Set<number>();
  #parts: Buffer[] = [];

  /** `head`: bytes that came with the server's answer. */
  constructor(socket: Duplex, head: Buffer) {
    super({ allowHalfOpen: false });
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => this.#take(chunk));
    socket.once("end", () => this.push(null));
    socket.once("close", () => this.push(null));
    socket.once("error", (error) => this.destroy(error));
    if (head.length > 0) this.#take(head);
  }

  /** An agent that keeps connections calls this method and the next ones, as of a socket. */
  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  /** The tunnel ends with its agent. */
  unref(): this {
    return this;
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    for (let start = 0; start < chunk.length; start += MOST_OF_FRAME) {
      const part = chunk.subarray(start, start + MOST_OF_FRAME);
      this.#send(OPCODE.binary, Buffer.concat([Buffer.from([DATA]), part]));
    }
    if (this.#socket.writableNeedDrain) this.#socket.once("drain", callback);
    else callback();
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#send(OPCODE.close, Buffer.alloc(0));
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.destroy();
    callback(error);
  }

  #send(opcode: number, payload: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(frameOf(opcode, payload, randomBytes(4)));
  }

  #take(chunk: Buffer): void {
    try {
      for (const frame of this.#reader.take(chunk)) {
        if (frame.opcode === OPCODE.close) this.push(null);
        else if (frame.opcode === OPCODE.ping) this.#send(OPCODE.pong, frame.payload);
        else if (frame.opcode !== OPCODE.pong) this.#gather(frame);
      }
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  /** A message may have several frames. */
  #gather({ isFinal, payload }: Frame): void {
    this.#parts.push(payload);
    if (!isFinal) return;
    const message = Buffer.concat(this.#parts);
    this.#parts = [];
    this.#receive(message);
  }

  #receive(message: Buffer): void {
    const [channel] = message;
    if (channel === undefined) return;
    const isFirst = !this.#begun.has(channel);
    this.#begun.add(channel);
    const content = message.subarray(1 + (isFirst ? PORT_BYTES : 0));
    if (content.length === 0) return;
    if (channel === ERROR) throw new Error(content.toString("utf8").trim());
    if (channel === DATA && !this.push(content)) this.#socket.pause();
  }
}

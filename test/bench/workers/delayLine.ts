import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Stands before one server and holds every byte back for a time, in both directions, as a long way does. Watches are late, too. */
export class DelayLine implements AsyncDisposable {
  readonly url: string;
  readonly #listener: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(listener: Server) {
    this.#listener = listener;
    this.url = `https://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  }

  /** A round trip takes twice the time of one way. */
  static async start(server: string, oneWayMs: number): Promise<DelayLine> {
    const { hostname, port } = new URL(server);
    const listener = createServer({ noDelay: true }, (near) => {
      const far = connect({ host: hostname, port: Number(port), noDelay: true });
      line.#join(near, far, oneWayMs);
      line.#join(far, near, oneWayMs);
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    const line = new DelayLine(listener);
    return line;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    const closed = once(this.#listener, "close");
    this.#listener.close();
    await closed;
  }

  /** Timers of one length end in the order of their start, so that the bytes keep their order. */
  #join(from: Socket, to: Socket, oneWayMs: number): void {
    this.#sockets.add(from);
    from.on("data", (bytes) => setTimeout(() => to.write(bytes), oneWayMs));
    from.on("end", () => setTimeout(() => to.end(), oneWayMs));
    // A manager that is killed resets its connections.
    from.on("error", () => to.destroy());
    from.on("close", () => {
      this.#sockets.delete(from);
      setTimeout(() => to.destroy(), oneWayMs);
    });
  }
}

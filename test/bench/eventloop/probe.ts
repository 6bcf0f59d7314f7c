import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { LoopFigures } from "./preload.ts";

/** Asks the preload of one process, which is started with {@link env}. */
export class LoopProbe implements AsyncDisposable {
  readonly env: NodeJS.ProcessEnv;
  readonly #server: Server;
  readonly #connected: Promise<Socket>;
  #socket: Socket | undefined;
  #lines: Interface | undefined;

  private constructor(server: Server, path: string) {
    this.#server = server;
    this.#connected = this.#connection();
    const preload = fileURLToPath(new URL("preload.ts", import.meta.url));
    this.env = { NODE_OPTIONS: `--import ${preload}`, LOOP_SOCKET: path };
  }

  /** The name is of a file in the folder. */
  static async listen(folder: string, name: string): Promise<LoopProbe> {
    const path = join(folder, name);
    const server = createServer().listen(path);
    await once(server, "listening");
    return new LoopProbe(server, path);
  }

  /** What the process counted since the last call, or since its start. */
  async read(): Promise<LoopFigures> {
    const socket = await this.#connected;
    this.#lines ??= createInterface(socket);
    const line = once(this.#lines, "line");
    socket.write("read\n");
    const [text] = (await line) as [string];
    return JSON.parse(text) as LoopFigures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lines?.close();
    this.#socket?.destroy();
    const closed = once(this.#server, "close");
    this.#server.close();
    await closed;
  }

  async #connection(): Promise<Socket> {
    const [socket] = (await once(this.#server, "connection")) as [Socket];
    this.#socket = socket.on("error", () => socket.destroy());
    return socket;
  }
}

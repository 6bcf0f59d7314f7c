import { eventually, freePort } from "../../../src/cmd/realClusters/index.ts";

/** The heap of a Node process that was started with {@link HeapProbe.options}: what is really in use, without what only waits to be collected. */
export class HeapProbe {
  readonly #port: number;

  private constructor(port: number) {
    this.#port = port;
  }

  static async create(): Promise<HeapProbe> {
    return new HeapProbe(await freePort());
  }

  /** For `NODE_OPTIONS`. */
  get options(): string {
    return `--inspect=127.0.0.1:${this.#port}`;
  }

  /** MiB, buffers outside of the heap included. */
  async inUse(): Promise<number> {
    const listed = await eventually(async () => (await fetch(`http://127.0.0.1:${this.#port}/json/list`)).json());
    const [target] = listed as { webSocketDebuggerUrl: string }[];
    if (target === undefined) throw new Error("the process has no inspector");
    const socket = new WebSocket(target.webSocketDebuggerUrl);
    try {
      await new Promise((resolve, reject) => {
        socket.addEventListener("open", resolve, { once: true });
        socket.addEventListener("error", reject, { once: true });
      });
      // The second one takes what finalizers of the first one let go.
      await ask(socket, "HeapProfiler.collectGarbage");
      await ask(socket, "HeapProfiler.collectGarbage");
      const { result } = (await ask(socket, "Runtime.evaluate", {
        expression: "JSON.stringify(process.memoryUsage())",
      })) as { result: { value: string } };
      const { heapUsed, external } = JSON.parse(result.value) as NodeJS.MemoryUsage;
      return (heapUsed + external) / 1024 / 1024;
    } finally {
      socket.close();
    }
  }
}

let asked = 0;

function ask(socket: WebSocket, method: string, params: object = {}): Promise<unknown> {
  const id = ++asked;
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const listener = ({ data }: MessageEvent): void => {
    const answer = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: { message: string } };
    if (answer.id !== id) return;
    socket.removeEventListener("message", listener);
    if (answer.error === undefined) resolve(answer.result);
    else reject(new Error(`${method}: ${answer.error.message}`));
  };
  socket.addEventListener("message", listener);
  socket.addEventListener("close", () => reject(new Error(`${method}: the process closed its inspector`)), {
    once: true,
  });
  socket.send(JSON.stringify({ id, method, params }));
  return promise;
}

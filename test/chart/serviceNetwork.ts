import { connect, createServer, type Server, type Socket } from "node:net";

/**
 * A network of Services on the loopback address. Where Services get their addresses from a range of 127.0.0.0/8, an API server dials them on
 * its own machine, and a listener on `clusterIP:port` carries each connection to a pod that is ready: what kube-proxy does. (EndpointSlices,
 * which an API server could dial itself, may name no loopback address.)
 */
const RANGE = `127.${64 + (process.pid % 128)}.0.0/16`;

/** What the API server of a hub is started with, so that its Services are reached. */
export const SERVICE_ARGUMENTS: readonly string[] = [`--service-cluster-ip-range=${RANGE}`];

/** Undefined where Services can be carried; else why not, in a sentence. The port of the webhooks' Service is 443. */
export async function whyNoServices(): Promise<string | undefined> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  server.once("error", (error: NodeJS.ErrnoException) =>
    resolve(`nothing can listen on ${RANGE} port 443: ${error.code}`),
  );
  server.listen(443, RANGE.replace(/0\.0\/16$/, "255.254"), () => resolve(undefined));
  const why = await promise;
  server.close();
  return why;
}

/** One port of one Service. */
export class ServicePort implements AsyncDisposable {
  readonly #server: Server;
  readonly #ready = new Map<string, number>();
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor() {
    this.#server = createServer((incoming) => this.#carry(incoming));
  }

  static async listen(clusterIp: string, port: number): Promise<ServicePort> {
    const service = new ServicePort();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    service.#server.once("error", reject);
    service.#server.listen(port, clusterIp, resolve);
    await promise;
    return service;
  }

  /** From now on the pod gets its share of new connections. */
  add(pod: string, port: number): void {
    this.#ready.set(pod, port);
  }

  /** New connections go elsewhere; those that the pod has stay its own. */
  remove(pod: string): void {
    this.#ready.delete(pod);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    await promise;
  }

  #carry(incoming: Socket): void {
    const ports = [...this.#ready.values()];
    const port = ports[this.#turn++ % Math.max(ports.length, 1)];
    if (port === undefined) {
      incoming.destroy();
      return;
    }
    const outgoing = connect({ host: "127.0.0.1", port });
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      this.#sockets.add(from);
      // A peer that is gone is told to the other end as it is.
      from.on("error", () => to.destroy());
      from.once("close", () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

interface CollectedRequest {
  call: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
}

/** A collector that keeps its requests. `status`: what it answers. */
export class Collector implements AsyncDisposable {
  readonly requests: CollectedRequest[] = [];
  status = 200;
  readonly #server = createServer((request, response) => {
    void json(request).then((body) => {
      const { method, url, headers } = request;
      this.requests.push({ call: `${method} ${url}`, headers, body: body as Record<string, unknown> });
      response.writeHead(this.status, { "content-type": "application/json" }).end("{}");
    });
  });

  static async start(): Promise<Collector> {
    const collector = new Collector();
    collector.#server.listen(0, "127.0.0.1");
    await once(collector.#server, "listening");
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

import { constants } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { defined } from "../../apis/index.ts";
import type { CertifiedKey } from "../../certificates/index.ts";
import type { Logger } from "../../observability/index.ts";

export interface QueryTlsOptions {
  /** 0 takes any free port. */
  port: number;
  /** All addresses when absent. */
  host?: string;
  take: (request: IncomingMessage, response: ServerResponse) => boolean;
  logger: Logger;
}

const HEAD_BYTES = 32_768;
const HEAD_WITHIN_MS = 5_000;
const MOST_CONNECTIONS = 2_000;

/** Listens with TLS from the first certificate on, and asks for client certificates. */
export class QueryTls implements AsyncDisposable {
  readonly #options: QueryTlsOptions;
  #server: Server | undefined;
  #serving: CertifiedKey | undefined;
  #clientAuthorities = "";

  constructor(options: QueryTlsOptions) {
    this.#options = options;
  }

  /** Undefined before the first certificate. */
  get port(): number | undefined {
    return (this.#server?.address() as AddressInfo | null | undefined)?.port;
  }

  /** Listens at the first call, and rejects when the port cannot be opened. Open connections stay as they are. */
  async show(serving: CertifiedKey): Promise<void> {
    this.#serving = serving;
    if (this.#server === undefined) await this.#listen();
    else this.#server.setSecureContext(this.#context());
  }

  /** PEM of the authorities of client certificates. */
  trust(clientAuthorities: string): void {
    this.#clientAuthorities = clientAuthorities;
    this.#server?.setSecureContext(this.#context());
  }

  async #listen(): Promise<void> {
    const { port, host, take, logger } = this.#options;
    const server = createServer(
      // Without a valid certificate the sender may still show a token.
      { ...this.#context(), requestCert: true, rejectUnauthorized: false, maxHeaderSize: HEAD_BYTES },
      (request, response) => {
        if (take(request, response)) return;
        response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("not found\n");
      },
    );
    server.headersTimeout = HEAD_WITHIN_MS;
    server.maxConnections = MOST_CONNECTIONS;
    server.on("tlsClientError", (error: Error, _socket: Socket) =>
      logger.debug({ err: error }, "connection of the query API refused"),
    );
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    server.once("error", reject);
    server.listen({ port, ...defined({ host }) }, resolve);
    await promise;
    server.off("error", reject);
    this.#server = server;
  }

  #context() {
    return {
      cert: this.#serving?.certPem,
      key: this.#serving?.keyPem,
      // An empty list would mean the authorities of the system.
      ca: this.#clientAuthorities === "" ? this.#serving?.certPem : this.#clientAuthorities,
      minVersion: "TLSv1.2" as const,
      // A resumed session would keep the verdict on its client certificate.
      secureOptions: constants.SSL_OP_NO_TICKET,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    server.close(() => resolve());
    server.closeAllConnections();
    await promise;
  }
}

import { createServer } from "node:https";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CertificateAuthority } from "../../../certificates/index.ts";

export interface ReceivedReview {
  path: string;
  headers: IncomingHttpHeaders;
  /** The review that came. */
  body: { apiVersion: string; kind: string; request: Record<string, unknown> & { uid: string } };
}

/** Answers one review: a value is sent as JSON; a function writes the answer itself. */
export type Reply = (received: ReceivedReview) => unknown;

/** A webhook server on the loopback address, for tests: each path has its reply. */
export class HookServer implements AsyncDisposable {
  readonly received: ReceivedReview[] = [];
  /** For a clientConfig: base64 of PEM. */
  readonly caBundle: string;
  readonly port: number;
  readonly #replies = new Map<string, Reply>();
  readonly #close: () => Promise<void>;

  private constructor(port: number, caPem: string, close: () => Promise<void>) {
    this.port = port;
    this.caBundle = Buffer.from(caPem).toString("base64");
    this.#close = close;
  }

  static async start(hosts: readonly string[] = ["127.0.0.1"]): Promise<HookServer> {
    const now = Date.now();
    const authority = await CertificateAuthority.create({ name: "hooks", now });
    const { certPem, keyPem } = await authority.issue({ name: "hook", hosts, now });
    const server = createServer({ cert: certPem, key: keyPem });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const close = () => {
      server.closeAllConnections();
      return new Promise<void>((resolve, reject) =>
        server.close((error) => (error === undefined ? resolve() : reject(error))),
      );
    };
    const hooks = new HookServer((server.address() as AddressInfo).port, authority.caPem, close);
    server.on("request", (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(parts).toString()) as ReceivedReview["body"];
        hooks.answer({ path: request.url ?? "", headers: request.headers, body }, response);
      });
    });
    return hooks;
  }

  url(path: string): string {
    return `https://127.0.0.1:${this.port}${path}`;
  }

  reply(path: string, reply: Reply): void {
    this.#replies.set(path, reply);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close();
  }

  private answer(received: ReceivedReview, response: ServerResponse): void {
    this.received.push(received);
    const reply = this.#replies.get(received.path.split("?")[0] as string)?.(received);
    if (typeof reply === "function") {
      (reply as (response: ServerResponse) => void)(response);
      return;
    }
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(reply));
  }
}

/** An AdmissionReview that answers the one received. */
export function reviewed(received: ReceivedReview, response: Record<string, unknown>): unknown {
  const { apiVersion, kind, request } = received.body;
  return { apiVersion, kind, response: { uid: request.uid, ...response } };
}

/** The operations of a JSON patch as an AdmissionReview holds them. */
export function patchOf(...operations: unknown[]): Record<string, unknown> {
  const patch = Buffer.from(JSON.stringify(operations)).toString("base64");
  return { allowed: true, patchType: "JSONPatch", patch };
}

import type { IncomingMessage } from "node:http";
import { Agent, createServer, request as httpsRequest, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import type { ControlPlane } from "../envtest/index.ts";
import { neededBy, type UsedRight } from "./rights.ts";

/** Stands in front of an API server, with its own certificate, and writes down what is asked for. Speaks HTTP/1.1. */
export class RecordingProxy implements AsyncDisposable {
  readonly url: string;
  readonly #server: Server;
  readonly #used = new Map<string, UsedRight>();

  private constructor(server: Server, used: Map<string, UsedRight>) {
    this.#server = server;
    this.#used = used;
    this.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(plane: ControlPlane): Promise<RecordingProxy> {
    const { cert, key } = await plane.certificate();
    const agent = new Agent({ ca: plane.caData, keepAlive: true });
    const used = new Map<string, UsedRight>();
    const server = createServer({ cert, key, ALPNProtocols: ["http/1.1"] }, (incoming, outgoing) => {
      const { method = "GET", url = "/", headers } = incoming;
      const options = { method, agent, headers: { ...headers, host: new URL(plane.server).host } };
      const onward = httpsRequest(new URL(url, plane.server), options, (answer: IncomingMessage) => {
        const right = rightOf(method, url, answer.statusCode ?? 0);
        for (const one of right === undefined ? [] : neededBy(right)) used.set(JSON.stringify(one), one);
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        outgoing.flushHeaders();
        answer.on("error", () => outgoing.destroy());
        answer.pipe(outgoing);
      });
      onward.on("error", () => outgoing.destroy());
      outgoing.on("close", () => onward.destroy());
      incoming.pipe(onward);
    });
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, "127.0.0.1", resolve);
    await promise;
    return new RecordingProxy(server, used);
  }

  /** What was asked for so far, each once. */
  used(): UsedRight[] {
    return [...this.#used.values()];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#server.closeAllConnections();
    await promise;
  }
}

/** What the API server asks RBAC about a request; undefined for paths that are no resource's. */
export function rightOf(method: string, url: string, status: number): UsedRight | undefined {
  const { pathname, searchParams } = new URL(url, "https://hub");
  const parts = pathname.split("/").filter((part) => part !== "");
  const group = parts[0] === "api" ? "" : parts[1];
  let rest = parts.slice(parts[0] === "api" ? 2 : 3);
  if (group === undefined || rest.length === 0 || (parts[0] !== "api" && parts[0] !== "apis")) return undefined;
  let namespace: string | undefined;
  if (rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize") {
    namespace = rest[1];
    rest = rest.slice(2);
  }
  const [plural = "", named, subresource] = rest;
  const selected = /(?:^|,)metadata\.name=([^,]+)/.exec(searchParams.get("fieldSelector") ?? "")?.[1];
  const watching = searchParams.get("watch") === "true" || searchParams.get("watch") === "1";
  const verbs: Record<string, string> = {
    GET: watching ? "watch" : named === undefined ? "list" : "get",
    HEAD: "get",
    POST: "create",
    PUT: "update",
    PATCH: "patch",
    DELETE: named === undefined ? "deletecollection" : "delete",
  };
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  return { group, resource, verb: verbs[method] ?? method, namespace, name: named ?? selected, status };
}

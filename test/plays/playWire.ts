import type { KubeObject } from "../../src/apis/index.ts";
import type { Clock } from "../../src/runtime/index.ts";
import type { Incoming } from "../../src/sandbox/index.ts";
import { Line, type Reply, type Wire } from "../integration/federation/wire.ts";

/** A request of the manager that changes something. */
export interface Write {
  /** Name of the cluster that gets the write. */
  cluster: string;
  verb: "create" | "apply" | "patch" | "delete";
  /** Plural of the kind. */
  plural: string;
  subresource?: string;
  namespace?: string;
  name: string;
  body: unknown;
}

export interface PlayWireOptions {
  cluster: string;
  /** The cluster that answers at present. */
  server: () => Wire;
  clock: Clock;
  /** Milliseconds that a message takes in one direction. */
  latency: () => number;
  /** Refuses a request before the server sees it: the reply instead. */
  refuse: (request: Incoming, write: Write | undefined) => Reply | undefined;
  /** A write leaves the manager. */
  onSend: (write: Write) => void;
  /** A write arrives at the server. */
  onArrival: (write: Write) => void;
  /** The manager gets the answer to a write. */
  onAnswer: (write: Write, reply: Reply) => void;
}

/** The network between the manager and one cluster: messages take time, in both directions, and writes are noted. */
export class PlayWire implements Wire {
  readonly #options: PlayWireOptions;

  constructor(options: PlayWireOptions) {
    this.#options = options;
  }

  async answer(request: Incoming): Promise<Reply> {
    const { cluster, clock, latency, onSend, onArrival, onAnswer, refuse, server } = this.#options;
    const write = writeOf(cluster, request);
    if (write !== undefined) onSend(write);
    await clock.sleep(latency());
    const refused = refuse(request, write);
    if (write !== undefined && refused === undefined) onArrival(write);
    const reply = refused ?? (await server().answer(request));
    if (reply.kind === "Stream") return { ...reply, begin: (line) => reply.begin(this.#delayed(line)) };
    await clock.sleep(latency());
    if (write !== undefined) onAnswer(write, reply);
    return reply;
  }

  /** The stream arrives later, in the order in which it was sent. */
  #delayed(line: Line): Line {
    const { clock, latency } = this.#options;
    const deliveries: (() => void)[] = [];
    let last = 0;
    const deliver = (delivery: () => void): void => {
      deliveries.push(delivery);
      last = Math.max(last, clock.monotonic() + latency());
      clock.after(last - clock.monotonic(), () => deliveries.shift()?.());
    };
    const delayed = new Line();
    delayed.send = (text) => deliver(() => line.send(text));
    delayed.end = () => deliver(() => line.end());
    delayed.cut = (error) => line.cut(error);
    return delayed;
  }
}

const VERBS: Record<string, "create" | "patch" | "delete"> = { POST: "create", PATCH: "patch", DELETE: "delete" };
/** Requests that are posted and store nothing. */
const QUESTIONS = /reviews$|\/token$/;

/** Undefined for a request that changes nothing. */
function writeOf(cluster: string, { method, path, query, headers, body }: Incoming): Write | undefined {
  const plain = VERBS[method];
  if (plain === undefined || query.get("dryRun") !== null || QUESTIONS.test(path)) return undefined;
  const parts = path.split("/").slice(path.startsWith("/api/") ? 3 : 4);
  const namespace = parts[0] === "namespaces" && parts.length > 2 && parts[2] !== "status" ? parts[1] : undefined;
  const [plural = "", named, subresource] = namespace === undefined ? parts : parts.slice(2);
  const sent = body.length === 0 ? undefined : (JSON.parse(body.toString()) as unknown);
  const write: Write = {
    cluster,
    verb: headers["content-type"] === "application/apply-patch+yaml" ? "apply" : plain,
    plural,
    name: named ?? (sent as KubeObject).metadata.name,
    body: sent,
  };
  if (subresource !== undefined) write.subresource = subresource;
  if (namespace !== undefined) write.namespace = namespace;
  return write;
}

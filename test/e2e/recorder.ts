import type { KubeObject } from "../../src/apis/index.ts";
import type { Api } from "../envtest/index.ts";
import { collectionPath } from "./objects.ts";

/** Every life of every object of some kinds on one cluster, as its API server tells it. What was lost or doubled shows here. */
export class Recorder implements AsyncDisposable {
  /** UIDs by `Kind namespace/name`, in the order of their creation. */
  readonly lives = new Map<string, string[]>();
  /** `Kind namespace/name` of everything that was deleted. */
  readonly deletions: string[] = [];
  readonly #stop = new AbortController();
  readonly #streams: Promise<void>[];
  #broken: unknown;

  /** Records from now on, beginning with what is there. */
  constructor(api: Api, kinds: string[]) {
    this.#streams = kinds.map((kind) => this.#record(api, kind));
  }

  /** Stops and throws when a stream broke off, which would make the record worthless. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#streams);
    if (this.#broken !== undefined) throw new Error("the record is incomplete", { cause: this.#broken });
  }

  async #record(api: Api, kind: string): Promise<void> {
    try {
      for await (const { type, object } of api.watch<KubeObject>(collectionPath(kind), this.#stop.signal))
        this.#take(kind, type, object);
      if (!this.#stop.signal.aborted) this.#broken = new Error(`the watch of ${kind} ended`);
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#broken = error;
    }
  }

  #take(kind: string, type: string, { metadata }: KubeObject): void {
    const key = `${kind} ${metadata.namespace}/${metadata.name}`;
    if (type === "DELETED") this.deletions.push(key);
    const uids = this.lives.get(key) ?? [];
    if (metadata.uid !== undefined && !uids.includes(metadata.uid)) this.lives.set(key, [...uids, metadata.uid]);
  }

  /** The lives of one namespace, as number of UIDs by `Kind name`. */
  countsOf(namespace: string): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const [key, uids] of this.lives) {
      const [kind, path = ""] = key.split(" ");
      const [where, name] = path.split("/");
      if (where === namespace) counts[`${kind} ${name}`] = uids.length;
    }
    return counts;
  }
}

import { isDeepStrictEqual } from "node:util";
import type { KubeObject } from "../../src/apis/index.ts";
import type { ApiResponse, Plane } from "../envtest/index.ts";

const WORKERS = 4;

/** More than v1beta1 can hold, so that a conversion which loses anything shows. */
export const LOADED_SPEC = {
  image: "nginx:1.27",
  replica: 3,
  ports: [{ port: 80, protocol: "TCP", targetPort: 8080 }],
  env: [{ name: "MODE", value: "live" }],
  serviceType: "ClusterIP",
};

/**
 * People who write and read applications in both versions, one request after the other, without a retry unless told. Whatever fails or comes
 * back otherwise than it was written is remembered.
 */
export class ApplicationLoad implements AsyncDisposable {
  /** Rounds that were completed. */
  done = 0;
  readonly #hub: Plane;
  readonly #namespace: string;
  readonly #spec: object;
  readonly #attempts: number;
  readonly #failures: string[] = [];
  readonly #names: string[] = [];
  readonly #workers: Promise<void>[];
  #ending = false;
  #waiting: { rounds: number; resolve: () => void }[] = [];

  /** `attempts`: how often a request is sent whose answer is that a webhook could not be reached. */
  constructor(hub: Plane, namespace: string, spec: object, attempts = 1) {
    this.#hub = hub;
    this.#namespace = namespace;
    this.#spec = spec;
    this.#attempts = attempts;
    this.#workers = Array.from({ length: WORKERS }, (_, index) => this.#work(index));
  }

  /** Resolves when so many rounds are completed. */
  async untilDone(rounds: number): Promise<void> {
    if (this.done >= rounds) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ rounds, resolve });
    await promise;
  }

  /** Ends the load and reads everything once more. What went wrong, one sentence each. */
  async finish(): Promise<string[]> {
    await this[Symbol.asyncDispose]();
    for (const name of this.#names) await this.#check(name, "v1", 9);
    return this.#failures;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending = true;
    await Promise.all(this.#workers);
  }

  async #work(worker: number): Promise<void> {
    for (let round = 0; !this.#ending; round++) {
      const name = `load-${worker}-${round}`;
      await this.#round(name);
      this.done++;
      this.#waiting = this.#waiting.filter(({ rounds, resolve }) => {
        if (this.done < rounds) return true;
        resolve();
        return false;
      });
    }
  }

  /** Written in v1, changed in v1beta1, read in both. */
  async #round(name: string): Promise<void> {
    const object = {
      apiVersion: "paas.cmft.com/v1",
      kind: "DemoApplication",
      metadata: { name, namespace: this.#namespace },
      spec: this.#spec,
    };
    if ((await this.#request("POST", "v1", "", object)) === undefined) return;
    this.#names.push(name);
    await this.#request("PATCH", "v1beta1", `/${name}`, { spec: { replica: 9 } });
    await this.#check(name, "v1beta1", 9);
    await this.#check(name, "v1", 9);
  }

  async #check(name: string, version: string, replica: number): Promise<void> {
    const object = await this.#request("GET", version, `/${name}`);
    if (object === undefined) return;
    const { image, ports } = this.#spec as { image?: unknown; ports?: unknown };
    const wanted = version === "v1" ? { ...this.#spec, replica } : { image, replica, ports };
    if (!isDeepStrictEqual(object["spec"], wanted)) {
      this.#failures.push(`${name} in ${version}: ${JSON.stringify(object["spec"])}`);
    }
  }

  async #request(method: string, version: string, rest: string, body?: unknown): Promise<KubeObject | undefined> {
    const path = `/apis/paas.cmft.com/${version}/namespaces/${this.#namespace}/demoapplications${rest}`;
    const options = method === "PATCH" ? { contentType: "application/merge-patch+json" } : {};
    let response: ApiResponse<KubeObject & { message?: string }> | undefined;
    for (let attempt = 0; attempt < this.#attempts; attempt++) {
      try {
        response = await this.#hub.api.request<KubeObject & { message?: string }>(method, path, body, options);
      } catch (error) {
        this.#failures.push(`${method} ${path}: ${String(error)}`);
        return undefined;
      }
      if (response.status !== 500 || response.body.message?.includes("webhook") !== true) break;
    }
    if (response === undefined) return undefined;
    if (response.status < 300) return response.body;
    this.#failures.push(`${method} ${path}: ${response.status} ${response.body.message}`);
    return undefined;
  }
}

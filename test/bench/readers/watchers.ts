import { LineSplitter } from "../../../src/runtime/transport/index.ts";
import type { Api } from "../../envtest/index.ts";
import { collectionPath } from "../../e2e/objects.ts";
import { NAMESPACE } from "../workload.ts";

/** Watches that one user may have at a time. */
const WATCHES_OF_USER = 20;
const PATH = "/apis/query.federation.paas.cmft.com/v1alpha1/placedobjects?watch=true";

export interface PlacedEvent {
  type: string;
  object: { status?: { name?: string; cluster?: string; ready?: number } };
}

/** Tokens of ServiceAccounts that may read everything, enough for so many watches. */
export async function readerTokens(hub: Api, watches: number): Promise<string[]> {
  const names = Array.from({ length: Math.ceil(watches / WATCHES_OF_USER) }, (_, index) => `reader-${index}`);
  const accounts = collectionPath("ServiceAccount", NAMESPACE);
  for (const name of names)
    await hub.create(accounts, { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: NAMESPACE } });
  await hub.create(collectionPath("ClusterRoleBinding"), {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name: "readers" },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "cluster-admin" },
    subjects: names.map((name) => ({ kind: "ServiceAccount", name, namespace: NAMESPACE })),
  });
  return Promise.all(
    names.map(async (name) => {
      const request = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} };
      const { status } = await hub.create<{ status: { token: string } }>(`${accounts}/${name}/token`, request);
      return status.token;
    }),
  );
}

/** Watches of every placed object, each by a connection of its own, as that many dashboards would have. */
export class Watchers implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];
  #broken: unknown;

  /** Resolves when each watch has begun. `seen` gets the events of the first watch. */
  static async open(
    url: string,
    tokens: readonly string[],
    count: number,
    seen: (event: PlacedEvent) => void,
  ): Promise<Watchers> {
    const watchers = new Watchers();
    const opened = Array.from({ length: count }, (_, index) => {
      const token = tokens[Math.floor(index / WATCHES_OF_USER)];
      if (token === undefined) throw new Error(`there is no user for watch ${index}`);
      return watchers.#open(url, token, index === 0 ? seen : undefined);
    });
    await Promise.all(opened);
    return watchers;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#running);
    if (this.#broken !== undefined) throw new Error("a watch ended before its reader", { cause: this.#broken });
  }

  async #open(url: string, token: string, seen: ((event: PlacedEvent) => void) | undefined): Promise<void> {
    const { signal } = this.#stop;
    const response = await fetch(url + PATH, { signal, headers: { authorization: `Bearer ${token}` } });
    const { body } = response;
    if (!response.ok || body === null) throw new Error(`${PATH}: ${response.status} ${await response.text()}`);
    const read = async (): Promise<void> => {
      using lines = new LineSplitter();
      for await (const chunk of body)
        if (seen !== undefined)
          for (const line of lines.push(Buffer.from(chunk))) seen(JSON.parse(line) as PlacedEvent);
      throw new Error("the manager ended the watch");
    };
    this.#running.push(
      read().catch((error: unknown) => {
        if (!signal.aborted) this.#broken ??= error;
      }),
    );
  }
}

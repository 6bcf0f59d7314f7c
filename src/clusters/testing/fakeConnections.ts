import type {
  ClusterNews,
  ClusterReport,
  ClusterReportChannel,
  ConnectionChange,
  ConnectionSettings,
  ConnectionSource,
  CredentialStore,
  MemberSecret,
} from "../../ports/index.ts";

/** The hub's side of the connections: the clusters to be connected, their Secrets, and what was reported. */
export class FakeConnections implements ConnectionSource, ClusterReport {
  readonly secrets = new Map<string, MemberSecret>();
  readonly sent: { cluster: string; news: ClusterNews }[] = [];
  readonly #takers = new Set<(change: ConnectionChange) => void>();
  readonly #changed = new Set<(name: string) => void>();
  readonly #settings = new Map<string, ConnectionSettings>();
  readonly #synced = Promise.withResolvers<void>();

  get followers(): number {
    return this.#takers.size;
  }

  set(cluster: string, change: Partial<ConnectionSettings> = {}): void {
    const connection = { kubeconfigSecretRef: { name: cluster, key: "kubeconfig" } };
    const settings = { cluster, uid: `${cluster}-object`, connection, owned: true, ...change };
    this.#settings.set(cluster, settings);
    this.#deliver({ set: settings });
  }

  remove(cluster: string): void {
    this.#settings.delete(cluster);
    this.#deliver({ remove: cluster });
  }

  follow(taker: (change: ConnectionChange) => void): Disposable {
    for (const settings of this.#settings.values()) taker({ set: settings });
    this.#takers.add(taker);
    return { [Symbol.dispose]: () => void this.#takers.delete(taker) };
  }

  open({ cluster }: Pick<ConnectionSettings, "cluster">): ClusterReportChannel {
    return {
      send: (news) => void this.sent.push({ cluster, news }),
      recordIdentity: async () => "Recorded",
    };
  }

  /** Stores a Secret with this kubeconfig. */
  put(name: string, kubeconfig: string, annotations: Record<string, string> = {}): void {
    const data = { kubeconfig: Buffer.from(kubeconfig).toString("base64") };
    this.secrets.set(name, { name, resourceVersion: String(this.secrets.size), annotations, data });
    for (const changed of this.#changed) changed(name);
  }

  /** Every Secret is known from now on. */
  sync(): void {
    this.#synced.resolve();
  }

  get credentials(): CredentialStore {
    return {
      run: (signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      waitForSync: () => this.#synced.promise,
      onChange: (handler) => {
        this.#changed.add(handler);
        return { [Symbol.dispose]: () => void this.#changed.delete(handler) };
      },
      get: (name) => this.secrets.get(name),
      lookUp: async (name) => this.secrets.get(name),
      renew: async () => "Stored",
    };
  }

  #deliver(change: ConnectionChange): void {
    for (const taker of [...this.#takers]) taker(change);
  }
}

import type {
  ClusterAnswer,
  ClusterNews,
  ClusterReport,
  ClusterReportChannel,
  ConnectionAnswer,
  ConnectionChange,
  ConnectionRequest,
  ConnectionSettings,
  ConnectionSource,
  ConnectionStream,
  ConnectionTaker,
  CredentialStore,
  MemberSecret,
  ReportSession,
} from "../../ports/index.ts";

/** The hub's side of the connections: the clusters to be connected, their Secrets, and what was reported. */
export class FakeConnections implements ConnectionSource, ClusterReport {
  readonly secrets = new Map<string, MemberSecret>();
  readonly sent: { cluster: string; news: ClusterNews }[] = [];
  readonly answers: ConnectionAnswer[] = [];
  readonly #takers = new Map<ConnectionTaker, number>();
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
    this.#deliver({ kind: "Set", settings });
  }

  remove(cluster: string): void {
    this.#settings.delete(cluster);
    this.#deliver({ kind: "Remove", cluster });
  }

  follow(_request: ConnectionRequest, taker: ConnectionTaker): ConnectionStream {
    this.#takers.set(taker, 0);
    const settings = [...this.#settings.values()].map((one) => ({ kind: "Set", settings: one }) as const);
    for (const change of [{ kind: "Start", epoch: 1 } as const, ...settings, { kind: "End" } as const])
      this.#send(taker, change);
    return {
      send: (answer) => void this.answers.push(answer),
      [Symbol.dispose]: () => void this.#takers.delete(taker),
    };
  }

  open(
    { cluster }: Pick<ConnectionSettings, "cluster">,
    _session: ReportSession,
    answer: (answer: ClusterAnswer) => void,
  ): ClusterReportChannel {
    return {
      send: ({ seq: _, ...news }) => {
        if (news.kind === "Identity") answer({ kind: "Identity", uid: news.identity.uid, answer: "Recorded" });
        else if (news.kind !== "Heartbeat") this.sent.push({ cluster, news });
      },
      [Symbol.dispose]: () => undefined,
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
    for (const taker of [...this.#takers.keys()]) this.#send(taker, change);
  }

  #send(taker: ConnectionTaker, change: ConnectionChange): void {
    const seq = this.#takers.get(taker) ?? 0;
    this.#takers.set(taker, seq + 1);
    taker.take({ ...change, seq });
  }
}

import { defined, type KubeObject, type MemberCluster } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Client,
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  Informer,
  MEMBERCLUSTERS,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import { buildReport, ENDED_EVENTS, endedIn, type EndedReport, type StatusReport } from "../view/index.ts";

export interface HubViewOptions {
  client: Client;
  logger: Logger;
  name: string;
  namespace?: string;
  labelSelector?: string;
  /** Kinds to show besides applications. */
  others?: readonly ResourceType[];
  /** Namespaces in which Events of ended problems are followed; undefined among them: all namespaces. */
  endedIn?: readonly (string | undefined)[];
  /** False: the person may not read MemberClusters, so the reports contain no clusters. */
  clusters?: boolean;
}

/** The hub's applications, other placed objects, and member clusters, kept current by watches. */
export class HubView {
  readonly #applications: Informer<KubeObject>;
  readonly #others: readonly Informer<KubeObject>[];
  readonly #clusters: Informer<KubeObject> | undefined;
  readonly #ended: readonly Informer<KubeObject>[];

  constructor(options: HubViewOptions) {
    const { client, logger, name, namespace, labelSelector, others = [], clusters = true } = options;
    const informer = (
      type: ResourceType,
      selection: { namespace?: string; labelSelector?: string; fieldSelector?: string },
    ) =>
      new Informer<KubeObject>({
        client,
        type,
        ...selection,
        clock: systemClock,
        logger,
        name: `${name}/${type.plural}`,
        transform: withoutOwners,
      });
    this.#applications = informer(DEMOAPPLICATIONS, defined({ namespace, labelSelector }));
    this.#others = others.map((type) => {
      const isEverywhere = namespace === undefined || type === CLUSTERRESOURCEBINDINGS;
      return informer(type, defined({ namespace: isEverywhere ? undefined : namespace, labelSelector }));
    });
    this.#clusters = clusters ? informer(MEMBERCLUSTERS, {}) : undefined;
    this.#ended = (options.endedIn ?? []).map((place) => {
      const { type, fieldSelector } = ENDED_EVENTS;
      return informer(type, { fieldSelector, ...defined({ namespace: place }) });
    });
  }

  /** Follows the hub until the signal; retries while the hub is in trouble. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers, ...this.#ended].map((informer) => informer.run(signal)));
  }

  /** Resolves when all informers have synced, except those for ended problems: nothing waits for these. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.waitForSync(signal)));
  }

  onChange(handler: () => void): Disposable {
    using stack = new DisposableStack();
    for (const informer of [...this.#informers, ...this.#ended]) stack.use(informer.onEvent(handler));
    return stack.move();
  }

  report(): StatusReport {
    const objects = [this.#applications, ...this.#others].flatMap((informer) => informer.list());
    return buildReport(objects, this.#clusters?.list() ?? []);
  }

  ended(): EndedReport[] {
    return endedIn(
      this.#ended.flatMap((informer) => informer.list()),
      systemClock.now(),
    );
  }

  cluster(name: string): MemberCluster | undefined {
    return this.#clusters?.get(name) as unknown as MemberCluster | undefined;
  }

  get #informers(): Informer<KubeObject>[] {
    return [this.#applications, ...this.#others, ...(this.#clusters === undefined ? [] : [this.#clusters])];
  }
}

function withoutOwners(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

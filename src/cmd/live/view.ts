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
  /** Of logs. */
  name: string;
  /** The applications of one namespace only. */
  namespace?: string;
  /** The applications with these labels only. */
  labelSelector?: string;
  /** What is shown beside applications (bundles and bindings) and may be read by the person; nothing unless given. */
  others?: readonly ResourceType[];
  /** Where Events of troubles that are over are followed, undefined among them: everywhere; nowhere unless given. */
  endedIn?: readonly (string | undefined)[];
  /** False: the person may not read MemberClusters, and there are none in the reports. */
  clusters?: boolean;
}

/** The hub's applications, other objects that are placed, and member clusters, as they are at this moment, by watch. */
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
      return informer(type, {
        ...(isEverywhere ? {} : { namespace }),
        ...defined({ labelSelector }),
      });
    });
    this.#clusters = clusters ? informer(MEMBERCLUSTERS, {}) : undefined;
    this.#ended = (options.endedIn ?? []).map((place) => {
      const { type, fieldSelector } = ENDED_EVENTS;
      return informer(type, { fieldSelector, ...(place === undefined ? {} : { namespace: place }) });
    });
  }

  /** Follows the hub until the signal; its trouble is waited through. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#informers, ...this.#ended].map((informer) => informer.run(signal)));
  }

  /** Resolves when all is known but what has ended: nothing waits for that. */
  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#informers.map((informer) => informer.waitForSync(signal)));
  }

  /** Called after every change. */
  onChange(handler: () => void): Disposable {
    using stack = new DisposableStack();
    for (const informer of [...this.#informers, ...this.#ended]) stack.use(informer.onEvent(handler));
    return stack.move();
  }

  report(): StatusReport {
    const objects = [this.#applications, ...this.#others].flatMap((informer) => informer.list());
    return buildReport(objects, this.#clusters?.list() ?? []);
  }

  /** The troubles that are over, the newest first. */
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

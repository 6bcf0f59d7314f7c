import type { KubeObject, MemberCluster } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import {
  type Client,
  DEMOAPPLICATIONS,
  Informer,
  MEMBERCLUSTERS,
  type ResourceType,
  systemClock,
} from "../../runtime/index.ts";
import { buildReport, type StatusReport } from "../statusView.ts";

/** The hub's applications and member clusters, as they are at this moment, by watch. */
export class HubView {
  readonly #applications: Informer<KubeObject>;
  readonly #clusters: Informer<KubeObject>;

  constructor(client: Client, logger: Logger) {
    const informer = (type: ResourceType): Informer<KubeObject> =>
      new Informer({
        client,
        type,
        clock: systemClock,
        logger,
        name: `quickstart/${type.plural}`,
        transform: withoutOwners,
      });
    this.#applications = informer(DEMOAPPLICATIONS);
    this.#clusters = informer(MEMBERCLUSTERS);
  }

  /** Follows the hub until the signal; its trouble is waited through. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#applications.run(signal), this.#clusters.run(signal)]);
  }

  async waitForSync(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#applications.waitForSync(signal), this.#clusters.waitForSync(signal)]);
  }

  /** Called after every change. */
  onChange(handler: () => void): Disposable {
    using stack = new DisposableStack();
    for (const informer of [this.#applications, this.#clusters]) stack.use(informer.onEvent(handler));
    return stack.move();
  }

  report(): StatusReport {
    return buildReport(this.#applications.list(), this.#clusters.list());
  }

  cluster(name: string): MemberCluster | undefined {
    return this.#clusters.get(name) as unknown as MemberCluster | undefined;
  }
}

function withoutOwners(object: KubeObject): KubeObject {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

import type { Logger } from "../../observability/index.ts";
import { type Client, type Clock, Informer, type InformerOptions, type ResourceType } from "../../runtime/index.ts";
import { withoutBookkeeping } from "./kept.ts";

export interface HubInformersOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Called when the hub shows an earlier state of the kind than before. */
  wentBack: (type: ResourceType) => void;
  /** Called when the hold of a kind's deletions begins or ends. */
  heldChanged: () => void;
}

/** Transform of an informer, with its preparation. */
export type Keeping<T> = Pick<InformerOptions<T>, "prepare" | "transform">;

/** Creates the informers of the hub's cache. */
export class HubInformers {
  readonly #options: HubInformersOptions;

  constructor(options: HubInformersOptions) {
    this.#options = options;
  }

  /** Creates an informer; `transform` selects the parts of an object to keep. */
  of<T>(type: ResourceType, more: Keeping<T> & Partial<InformerOptions<T>>): Informer<T> {
    const { client, clock, random, logger, wentBack } = this.#options;
    return new Informer<T>({
      client,
      type,
      clock,
      random,
      logger,
      name: `hub/${type.plural}`,
      onWentBack: () => wentBack(type),
      ...more,
    });
  }

  /**
   * Creates the informer of one of Meridian's own kinds. If most of its objects vanish at once, deletions are held.
   */
  followed<T>(type: ResourceType): Informer<T> {
    return this.holding(type, this.of<T>(type, { transform: (object) => withoutBookkeeping(object) as unknown as T }));
  }

  /** Makes an informer hold deletions if most of its objects vanish at once. */
  holding<T>(type: ResourceType, informer: Informer<T>): Informer<T> {
    const { logger, heldChanged } = this.#options;
    informer.onDeletionsHeld(({ held, vanished, known }) => {
      if (held)
        logger.warn(
          { resource: type.plural, vanished, known, event_reason: "DeletionsHeld" },
          "many objects vanished from the hub at once; deletes are held until a second read agrees",
        );
      heldChanged();
    });
    return informer;
  }
}

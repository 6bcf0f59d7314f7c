import type { Logger } from "../../observability/index.ts";
import { type Client, type Clock, Informer, type InformerOptions, type ResourceType } from "../../runtime/index.ts";
import { withoutBookkeeping } from "./kept.ts";

export interface HubInformersOptions {
  client: Client;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** The hub shows an earlier state of the kind than before. */
  wentBack: (type: ResourceType) => void;
  /** The hold of a kind's deletions begins or ends. */
  heldChanged: () => void;
}

export type Keeping<T> = Pick<InformerOptions<T>, "prepare" | "transform">;

export class HubInformers {
  readonly #options: HubInformersOptions;

  constructor(options: HubInformersOptions) {
    this.#options = options;
  }

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

  /** For one of Meridian's own kinds. */
  followed<T>(type: ResourceType): Informer<T> {
    return this.holding(type, this.of<T>(type, { transform: (object) => withoutBookkeeping(object) as unknown as T }));
  }

  /** Deletions are held if most objects vanish at once. */
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

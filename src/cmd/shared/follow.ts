import { defined, type KubeObject } from "../../apis/index.ts";
import { type Client, Informer, type ResourceType, systemClock } from "../../runtime/index.ts";
import type { Logger } from "../../observability/index.ts";

export interface FollowOptions {
  client: Client;
  type: ResourceType;
  /** Without a namespace, the first object of this name counts. */
  name: string;
  namespace?: string;
  timeoutMs: number;
  signal: AbortSignal;
  logger: Logger;
}

/**
 * Watches the object until `reached` is true of it (undefined: there is none). Returns false on timeout; rejects only
 * when interrupted.
 */
export async function follow(
  options: FollowOptions,
  reached: (object: KubeObject | undefined) => boolean,
): Promise<boolean> {
  const { client, type, name, namespace, timeoutMs, signal, logger } = options;
  const over = new AbortController();
  using timer = new DisposableStack();
  timer.use(systemClock.after(timeoutMs, () => over.abort()));
  const informer = new Informer<KubeObject>({
    client,
    type,
    ...defined({ namespace }),
    fieldSelector: `metadata.name=${name}`,
    transform: (object) => object,
    clock: systemClock,
    logger,
    name: `${client.cluster}/${type.plural}/${name}`,
  });
  let success = false;
  const check = (): void => {
    if (!informer.synced || !reached(informer.list()[0])) return;
    success = true;
    over.abort();
  };
  using _subscription = informer.onEvent(check);
  const ended = AbortSignal.any([signal, over.signal]);
  const running = informer.run(ended);
  // Keeps the process alive while only an idle watch is open.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await informer.waitForSync(ended).then(check, () => undefined);
    await running;
  } finally {
    clearInterval(alive);
  }
  if (!success) signal.throwIfAborted();
  return success;
}

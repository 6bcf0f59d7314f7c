import type { KubeObject } from "../apis/index.ts";
import { type Client, Informer, type ResourceType, systemClock } from "../runtime/index.ts";
import type { Logger } from "../observability/index.ts";

export interface FollowOptions {
  client: Client;
  type: ResourceType;
  /** metadata.name: of a cluster-scoped object, or of the first one found in any namespace. */
  name: string;
  /** Only there; absent: in any. */
  namespace?: string;
  timeoutMs: number;
  signal: AbortSignal;
  logger: Logger;
}

/**
 * Watches the object of one name until `reached` says so of its present state (undefined: it does not exist). Returns false when the
 * time is up before. Trouble with the connection is waited through; rejects only when the command is interrupted.
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
    ...(namespace === undefined ? {} : { namespace }),
    fieldSelector: `metadata.name=${name}`,
    transform: (object) => object,
    clock: systemClock,
    logger,
    name: `${client.cluster}/${type.plural}/${name}`,
  });
  let success = false;
  const look = (): void => {
    if (!informer.synced || !reached(informer.list()[0])) return;
    success = true;
    over.abort();
  };
  using _subscription = informer.onEvent(look);
  const ended = AbortSignal.any([signal, over.signal]);
  const running = informer.run(ended);
  // Keeps the process alive while nothing but an idle watch is open.
  const alive = setInterval(() => undefined, 60_000);
  try {
    await informer.waitForSync(ended).then(look, () => undefined);
    await running;
  } finally {
    clearInterval(alive);
  }
  if (!success) signal.throwIfAborted();
  return success;
}

import { onTestFinished } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { createLogger } from "../../observability/index.ts";
import { TransportError } from "../core/errors.ts";
import { Informer } from "../informer/informer.ts";
import type { DeletionsHeld } from "../informer/informerTypes.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import { FakeClient } from "./fakeClient.ts";
import { FakeClock } from "./fakeClock.ts";

export interface Kept {
  name: string;
  value: string;
  version: string;
}

export const LABELS = { managed: "yes" };
export const configMap = (name: string, value = "1", uid?: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace: "ns", name, labels: LABELS, ...(uid === undefined ? {} : { uid }) },
  data: { value },
});
export const keep = (object: KubeObject): Kept => ({
  name: object.metadata.name,
  value: (object["data"] as { value: string }).value,
  version: object.metadata.resourceVersion ?? "",
});
export const broken = (): TransportError => new TransportError("ConnectionReset", "connection reset");

/** Starts an informer of ConfigMaps, which runs until the end of the test. `events` lets time pass and returns the events since the last call. */
export function startInformer({
  transform = keep,
  objects = 0,
  known = [],
}: { transform?: (object: KubeObject) => Kept; objects?: number; known?: string[] } = {}) {
  const clock = new FakeClock();
  const client = new FakeClient();
  const { server } = client;
  for (let n = 0; n < objects; n += 1) server.create(CONFIGMAPS, configMap(`c${n}`));
  const informer = new Informer<Kept>({
    name: "configmaps",
    client,
    type: CONFIGMAPS,
    labelSelector: "managed=yes",
    transform,
    known: known.map((name) => [`ns/${name}`, { uid: `known-${name}`, object: { name, value: "0", version: "0" } }]),
    indexers: { value: ({ value }) => [value] },
    clock,
    logger: createLogger({ level: "silent" }),
    random: () => 0,
  });
  const delivered: string[] = [];
  informer.onEvent(({ type, key, initial }) => void delivered.push(`${type} ${key}${initial ? " (initial)" : ""}`));
  const held: DeletionsHeld[] = [];
  informer.onDeletionsHeld((state) => void held.push(state));
  const abort = new AbortController();
  const stopped = informer.run(abort.signal);
  const events = async (ms = 0): Promise<string[]> => {
    await clock.advance(ms);
    await clock.advance(0);
    return delivered.splice(0);
  };
  /** Breaks the watch and forgets its history, so that the informer must list again. */
  const relist = async (): Promise<void> => {
    server.compact();
    server.dropWatches(broken());
    await clock.advance(400);
    await clock.advance(0);
  };
  const stop = (): Promise<void> => (abort.abort(new Error("over")), stopped);
  onTestFinished(stop);
  return { clock, client, server, informer, held, events, relist, stop };
}

import { onTestFinished } from "vitest";
import { createLogger } from "../../observability/index.ts";
import { Reflector } from "../informer/reflector.ts";
import type { ReflectorEvent, ReflectorOptions } from "../informer/reflectorTypes.ts";
import { CONFIGMAPS } from "../client/resources.ts";
import type { WatchOptions } from "../types.ts";
import { FakeClient } from "./fakeClient.ts";
import { FakeClock } from "./fakeClock.ts";

export function textOf(event: ReflectorEvent): string {
  if ("object" in event) return `${event.type} ${event.object.metadata.name}`;
  return event.type === "SnapshotEnded" && event.wentBack ? "SnapshotEnded at an earlier state" : event.type;
}

/** Starts a reflector, which runs until the end of the test. `events` returns the events since the last call. */
export function reflect(
  prepare: (client: FakeClient) => void = () => undefined,
  options: Partial<ReflectorOptions> = {},
) {
  const clock = new FakeClock();
  const client = new FakeClient();
  const watches: WatchOptions[] = [];
  const contacts: unknown[] = [];
  client.gate = ({ verb, phase, options }) => {
    if (verb === "watch" && phase === "before") watches.push(options);
  };
  prepare(client);
  const reflector = new Reflector({
    client,
    type: CONFIGMAPS,
    clock,
    logger: createLogger({ level: "silent" }),
    random: () => 0,
    onContact: (ok, error) => void contacts.push(ok || error),
    ...options,
  });
  const abort = new AbortController();
  let seen: string[] = [];
  const stopped = (async () => {
    for await (const event of reflector.watch(abort.signal)) seen.push(textOf(event));
  })();
  const events = async (ms = 0): Promise<string[]> => {
    await clock.advance(ms);
    await clock.advance(0);
    const now = seen;
    seen = [];
    return now;
  };
  const stop = (): Promise<void> => (abort.abort(new Error("over")), stopped);
  onTestFinished(stop);
  return { clock, client, server: client.server, reflector, watches, contacts, events, stop };
}

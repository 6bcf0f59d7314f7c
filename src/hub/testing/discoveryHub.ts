import { onTestFinished } from "vitest";
import { logLines } from "../../observability/testing/logLines.ts";
import { DEMOAPPLICATIONS, MANIFESTBUNDLES, type ResourceType } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { KindCatalog } from "../kinds/kindCatalog.ts";
import { WIDGETS } from "./placedByHand.ts";

export const GADGETS: ResourceType = { ...WIDGETS, kind: "Gadget", plural: "gadgets" };
export const selects = (kind: string, apiVersion = "example.com/v1") => [{ apiVersion, kind }];
const WATCHED = ["get", "list", "watch"];

/** Hub that answers discovery requests, and counts them. */
export class DiscoveryHub extends FakeClient {
  served: ResourceType[] = [DEMOAPPLICATIONS, MANIFESTBUNDLES];
  /** Groups whose resources are unknown now. */
  stale: string[] = [];
  failure: Error | undefined;
  /** Answers wait for this promise. */
  opened: Promise<void> | undefined;
  asked = 0;

  override async raw(_method: string, path: string): Promise<unknown> {
    if (path === "/api") return discoveryOf([]);
    this.asked += 1;
    await this.opened;
    if (this.failure !== undefined) throw this.failure;
    return discoveryOf(this.served, this.stale);
  }
}

/** Answer of aggregated discovery. `stale`: groups whose resources are unknown now. */
export function discoveryOf(served: Iterable<ResourceType>, stale: readonly string[] = []): unknown {
  const items = Array.from(
    served,
    ({ group, version, kind, plural, namespaced, verbs = WATCHED, subresources = [] }) => {
      const resource = {
        resource: plural,
        responseKind: { group, version, kind },
        scope: namespaced ? "Namespaced" : "Cluster",
        verbs,
        subresources: subresources.map((subresource) => ({ subresource })),
      };
      return { metadata: { name: group }, versions: [{ version, resources: [resource] }] };
    },
  );
  const away = stale.map((group) => ({ metadata: { name: group }, versions: [{ version: "v1", freshness: "Stale" }] }));
  return { kind: "APIGroupDiscoveryList", items: [...items, ...away] };
}

/** Creates a catalog of the kinds of a {@link DiscoveryHub}. */
export function catalogByHand({ random = 0 }: { random?: number } = {}) {
  const hub = new DiscoveryHub();
  const clock = new FakeClock();
  const { logger, lines } = logLines();
  const catalog = new KindCatalog({
    client: hub,
    clock,
    random: () => random,
    logger,
  });
  const news = { changes: 0, settlements: 0 };
  catalog.onChange(() => (news.changes += 1));
  catalog.settlements.subscribe(() => (news.settlements += 1));
  const end = new AbortController();
  /** Runs the catalog until the end of the test. */
  const run = (): Promise<void> => {
    const running = catalog.run(end.signal);
    onTestFinished(async () => {
      end.abort(new Error("the test is over"));
      await running;
    });
    return running;
  };
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    await clock.advance(0);
  };
  const versions = (): string[] => catalog.hubKinds().map(({ kind, version }) => `${kind} ${version}`);
  return { hub, clock, catalog, lines, news, end, run, settle, versions };
}

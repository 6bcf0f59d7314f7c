import { onTestFinished } from "vitest";
import { type KubeObject, PAAS_GROUP } from "../../apis/index.ts";
import { Metrics } from "../../observability/index.ts";
import { logLines } from "../../observability/testing/logLines.ts";
import {
  ApiError,
  type CallOptions,
  CLUSTEROVERRIDEPOLICIES,
  CLUSTERPLACEMENTS,
  CLUSTERRESOURCEBINDINGS,
  DEMOAPPLICATIONS,
  MANIFESTBUNDLES,
  MEMBERCLUSTERS,
  NAMESPACES,
  OVERRIDEPOLICIES,
  PLACEMENTS,
  RESOURCEBINDINGS,
  type ResourceType,
  SECRETS,
} from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { FakeClock } from "../../runtime/testing/fakeClock.ts";
import { HubCache } from "../cache/hubCache.ts";
import { discoveryOf } from "./discoveryHub.ts";

/**
 * Hub in memory whose kinds come and go. A kind that is not served is answered with 404, and is missing in discovery.
 */
export class FakeHub extends FakeClient {
  readonly #served = new Map<string, ResourceType>();
  /** Error that discovery throws, if set. */
  discoveryFailure: Error | undefined;

  constructor() {
    super(undefined, "hub");
    this.serve(
      NAMESPACES,
      SECRETS,
      DEMOAPPLICATIONS,
      MANIFESTBUNDLES,
      MEMBERCLUSTERS,
      PLACEMENTS,
      CLUSTERPLACEMENTS,
      OVERRIDEPOLICIES,
      CLUSTEROVERRIDEPOLICIES,
      RESOURCEBINDINGS,
      CLUSTERRESOURCEBINDINGS,
    );
    this.gate = ({ type, phase }) => {
      if (phase === "before" && type !== undefined && !this.#served.has(nameOf(type)))
        throw new ApiError(404, "NotFound", "the server could not find the requested resource", { ofPath: true });
    };
  }

  /** Serves the kinds, as when their CRDs are established. */
  serve(...types: ResourceType[]): void {
    for (const type of types) this.#served.set(nameOf(type), type);
  }

  /** Stops serving the kind, as when its CRD is gone. */
  withdraw(type: ResourceType): void {
    this.#served.delete(nameOf(type));
    this.server.dropWatches();
  }

  override async raw(_method: "GET" | "POST" | "PUT", path: string, _options?: CallOptions): Promise<unknown> {
    this.calls.push(`raw ${path}`);
    if (this.discoveryFailure !== undefined) throw this.discoveryFailure;
    return discoveryOf(path === "/api" ? [] : this.#served.values());
  }

  /** Number of calls with this verb for this kind so far. */
  count(verb: string, { plural }: ResourceType): number {
    return this.calls.filter((call) => call === `${verb} ${plural}`).length;
  }
}

function nameOf({ group, version, plural }: ResourceType): string {
  return `${group}/${version}/${plural}`;
}

/** Creates a cache of a fake hub. The cache runs from `start` until the end of the test. */
export function setUpHub({ protectedNamespaces }: { protectedNamespaces?: readonly string[] } = {}) {
  const hub = new FakeHub();
  const clock = new FakeClock();
  const { logger, lines } = logLines("info");
  const metrics = new Metrics({ processMetrics: false });
  const shared = { client: hub, clock, random: () => 0, logger, metrics };
  const more = protectedNamespaces === undefined ? {} : { protectedNamespaces };
  const cache = new HubCache({ ...shared, ...more });
  const { catalog } = cache;
  const start = async (): Promise<void> => {
    const end = new AbortController();
    const running = cache.run(end.signal);
    onTestFinished(async () => {
      end.abort(new Error("the test is over"));
      await running;
    });
    await settle();
  };
  /** Lets running work finish. */
  const settle = async (ms = 0): Promise<void> => {
    await clock.advance(ms);
    for (let turn = 0; turn < 3; turn += 1) await clock.advance(0);
  };
  const reasons = (): unknown[] => lines.flatMap(({ event_reason: reason }) => (reason === undefined ? [] : [reason]));
  return { hub, server: hub.server, clock, logger, metrics, shared, cache, catalog, lines, reasons, start, settle };
}

export const SELECTS_APPLICATIONS = { apiVersion: `${PAAS_GROUP}/v1`, kind: "DemoApplication" };

export function application(name: string, namespace = "default", more: Partial<KubeObject> = {}): KubeObject {
  const { metadata, ...rest } = more;
  return {
    apiVersion: `${PAAS_GROUP}/v1`,
    kind: "DemoApplication",
    metadata: { name, namespace, ...metadata },
    spec: { image: "nginx" },
    ...rest,
  };
}

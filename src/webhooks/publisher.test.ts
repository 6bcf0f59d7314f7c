import { afterEach, describe, expect, test, vi } from "vitest";
import { crdNameOf, KINDS } from "../apis/index.ts";
import { CertificateAuthority } from "../certificates/index.ts";
import { createLogger } from "../observability/index.ts";
import { ApiError, CRDS, systemClock } from "../runtime/index.ts";
import { FakeClient } from "../runtime/testing/fakeClient.ts";
import { bundleOf, certificatesIn } from "./certificates/index.ts";
import { ConfigurationPublisher } from "./publisher.ts";
import { hubWithCrds } from "./testing/crds.ts";
import { bundlesIn } from "./wanted.ts";

const APPLICATIONS = "demoapplications.paas.cmft.com";
const PLACEMENTS = "placements.federation.paas.cmft.com";
/** For what is sure to happen. */
const PATIENCE = { timeout: 30_000 };

let end = new AbortController();
afterEach(() => {
  end.abort(new Error("the test is over"));
  end = new AbortController();
});

function startPublisher(hub: FakeClient): ConfigurationPublisher {
  const publisher = new ConfigurationPublisher({
    client: hub,
    target: { kind: "Url", url: "https://127.0.0.1:9443" },
    configurationName: "meridian",
    kinds: KINDS,
    overlapMs: 1_000,
    clock: systemClock,
    logger: createLogger({ level: "silent" }),
    published: () => undefined,
  });
  void publisher.run(end.signal);
  return publisher;
}

async function newBundle(): Promise<string> {
  return bundleOf([(await CertificateAuthority.create({ name: "authority", now: Date.now() })).caPem]);
}

/** Nobody may read this CRD. */
function hide(hub: FakeClient, crd: string): void {
  hub.gate = ({ options }) => {
    if ("fieldSelector" in options && options.fieldSelector === `metadata.name=${crd}`)
      throw new ApiError(403, "Forbidden", "no right to read that");
  };
}

const trustedBy = (hub: FakeClient, crd: string) => bundlesIn(hub.server.get(CRDS, undefined, crd));

describe("a new authority", () => {
  test("is not trusted before the kinds that are converted hold it", async () => {
    const hub = new FakeClient(hubWithCrds());
    hide(hub, APPLICATIONS);
    const soon = new AbortController();
    const published = startPublisher(hub).publish(await newBundle(), soon.signal);
    await vi.waitFor(() => expect(trustedBy(hub, PLACEMENTS)).toHaveLength(1), PATIENCE);
    soon.abort();
    expect(await published).toBe(false);
  });

  test("does not wait for kinds of a single version, about which the server asks nothing", async () => {
    const hub = new FakeClient(hubWithCrds());
    hide(hub, PLACEMENTS);
    expect(await startPublisher(hub).publish(await newBundle(), end.signal)).toBe(true);
    expect(trustedBy(hub, PLACEMENTS)).toEqual([]);
  });

  test("goes before what is left to do for the one before it", async () => {
    const hub = new FakeClient(hubWithCrds());
    const slow = Promise.withResolvers<void>();
    const apply = hub.apply.bind(hub);
    const applied: string[] = [];
    hub.apply = async (type, object, options) => {
      applied.push(object.metadata.name);
      if (object.metadata.name === PLACEMENTS) await slow.promise;
      return apply(type, object, options);
    };
    const publisher = startPublisher(hub);
    const [first, second] = [await newBundle(), await newBundle()];
    expect(await publisher.publish(first, end.signal)).toBe(true);
    const published = publisher.publish(bundleOf([first, second]), end.signal);
    slow.resolve();
    expect(await published).toBe(true);
    expect(applied[applied.indexOf(PLACEMENTS) + 1]).toBe(APPLICATIONS);
    const both = certificatesIn(bundleOf([first, second]));
    await vi.waitFor(() => {
      for (const kind of KINDS) expect(trustedBy(hub, crdNameOf(kind))).toEqual(both);
    }, PATIENCE);
  });
});

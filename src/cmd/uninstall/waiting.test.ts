import { describe, expect, test } from "vitest";
import { OBJECT_FINALIZER } from "../../apis/index.ts";
import { createLogger } from "../../observability/index.ts";
import { CRDS, DEMOAPPLICATIONS, LEASES } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import type { Item } from "./state.ts";
import { untilGone, untilManagerStopped, type Waited, type Waiting } from "./waiting.ts";

const CRD = "demoapplications.paas.cmft.com";
const SHOP = { name: "shop", namespace: "default" };

/** A hub with one application, and somebody who waits until it is gone. */
class Waiter {
  readonly hub = new FakeClient();
  readonly progress: string[] = [];
  readonly #reported = Promise.withResolvers<void>();

  constructor() {
    this.hub.server.create(CRDS, { apiVersion: "v1", kind: "CustomResourceDefinition", metadata: { name: CRD } });
    this.create();
  }

  create(): void {
    const status = { clusters: [{ name: "a", state: "Removing" }] };
    const metadata = { ...SHOP, finalizers: [OBJECT_FINALIZER] };
    this.hub.server.create(DEMOAPPLICATIONS, { apiVersion: "v1", kind: "DemoApplication", metadata, status });
  }

  remove(): void {
    this.hub.server.delete(DEMOAPPLICATIONS, SHOP.namespace, SHOP.name);
  }

  waiting(timeoutMs = 10_000): Waiting {
    return {
      place: { client: this.hub, namespace: "fed", leaseName: "meridian" },
      timeoutMs,
      signal: new AbortController().signal,
      logger: createLogger({ level: "silent" }),
      progress: (text) => {
        this.progress.push(text);
        this.#reported.resolve();
      },
    };
  }

  wait(timeoutMs?: number): Promise<Waited> {
    const { uid = "" } = this.hub.server.get(DEMOAPPLICATIONS, SHOP.namespace, SHOP.name).metadata;
    const life = { uid, deleting: true, finalizers: [], guarded: false };
    const item: Item = { type: DEMOAPPLICATIONS, ...SHOP, ...life };
    return untilGone([item], false, this.waiting(timeoutMs));
  }

  /** Resolves with the first report of what is left. */
  reported(): Promise<void> {
    return this.#reported.promise;
  }
}

describe("waiting for objects", () => {
  test.each<{ name: string; meanwhile: (waiter: Waiter) => void }>([
    { name: "ends when they are gone", meanwhile: (waiter) => waiter.remove() },
    {
      name: "ends when another life has the name",
      meanwhile: (waiter) => {
        waiter.remove();
        waiter.create();
      },
    },
    {
      name: "ends when somebody has taken their kind away",
      meanwhile: ({ hub }) => hub.server.delete(CRDS, undefined, CRD),
    },
  ])("$name", async ({ meanwhile }) => {
    const waiter = new Waiter();
    const waited = waiter.wait();
    await waiter.reported();
    meanwhile(waiter);
    expect(await waited).toEqual({ kind: "Reached" });
  });

  test("says what each object waits for, meanwhile and when the time is up", async () => {
    const waiter = new Waiter();
    const held = "demoapplication default/shop; default/shop waits for a (Removing)";
    expect(await waiter.wait(200)).toEqual({ kind: "TimedOut", still: held, each: [held] });
    expect(waiter.progress).toContain(held);
  });
});

describe("waiting for the manager's end", () => {
  function lease(spec: object): Waiter {
    const waiter = new Waiter();
    const metadata = { name: "meridian", namespace: "fed" };
    waiter.hub.server.create(LEASES, { apiVersion: "v1", kind: "Lease", metadata, spec });
    return waiter;
  }
  const held = () => ({ holderIdentity: "m", renewTime: new Date().toISOString(), leaseDurationSeconds: 15 });

  test.each<{ name: string; meanwhile: (waiter: Waiter) => void }>([
    {
      name: "ends when it gives its Lease back",
      meanwhile: ({ hub }) => void hub.server.merge(LEASES, "fed", "meridian", { spec: { holderIdentity: "" } }),
    },
    { name: "ends when the Lease is deleted", meanwhile: ({ hub }) => hub.server.delete(LEASES, "fed", "meridian") },
  ])("$name", async ({ meanwhile }) => {
    const waiter = lease(held());
    const waited = untilManagerStopped(waiter.waiting());
    meanwhile(waiter);
    expect(await waited).toEqual({ kind: "Reached" });
  });

  test("ends at once when the Lease has run out, or there is none", async () => {
    expect(await untilManagerStopped(new Waiter().waiting())).toEqual({ kind: "Reached" });
    const late = lease({ ...held(), renewTime: "2020-01-01T00:00:00Z" });
    expect(await untilManagerStopped(late.waiting())).toEqual({ kind: "Reached" });
  });

  test("gives up when the time is up", async () => {
    expect(await untilManagerStopped(lease(held()).waiting(100))).toMatchObject({ kind: "TimedOut" });
  });
});

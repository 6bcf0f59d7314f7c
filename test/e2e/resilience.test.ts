import { describe, expect, test } from "vitest";
import { DEFAULT_SYSTEM_NAMESPACE, type KubeObject } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, throughout } from "../envtest/index.ts";
import { conditionOf, useFederation } from "./federation.ts";
import { collectionPath } from "./objects.ts";
import { Recorder } from "./recorder.ts";

const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const FRANKFURT = "frankfurt-1";
const MEMBERS = [SHANGHAI, SINGAPORE, FRANKFURT] as const;

const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
    { name: FRANKFURT, region: "eu-central-1" },
  ],
});

const on = (replicas: number) => Object.fromEntries(MEMBERS.map((name) => [name, replicas]));

interface Lease extends KubeObject {
  spec: { holderIdentity?: string; leaseTransitions?: number };
}

/** Who leads now; Meridian has one Lease in its namespace that more than one process can hold. */
async function leader(): Promise<string> {
  const leases = await federation.api.list<Lease>(collectionPath("Lease", DEFAULT_SYSTEM_NAMESPACE));
  expect(leases).toHaveLength(1);
  return leases[0]?.spec.holderIdentity ?? "";
}

describe("a member that goes away", () => {
  test.each([
    {
      how: "is down",
      leave: () => federation.member(FRANKFURT).plane.kill(),
      back: () => federation.member(FRANKFURT).plane.start(),
    },
    {
      how: "accepts connections and never answers",
      leave: async () => federation.member(FRANKFURT).plane.pause(),
      back: async () => federation.member(FRANKFURT).plane.resume(),
    },
  ])("and $how degrades its own entry only, and catches up", async ({ leave, back }) => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace).replica(2).port(80);
    await federation.apply(shop);
    const before = await federation.untilAvailable(namespace, "shop", on(2));
    const lastBefore = before.status?.clusters?.find(({ name }) => name === FRANKFURT);

    const leftAt = Date.now();
    await leave();
    try {
      const entry = await federation.untilEntry(
        namespace,
        "shop",
        FRANKFURT,
        { state: "Unknown", reason: "ClusterUnreachable" },
        90_000,
      );
      // Last known numbers stay, and say of when they are.
      expect(entry.replicas).toEqual(lastBefore?.replicas);
      expect(Date.parse(entry.observedAt ?? "")).toBeGreaterThanOrEqual(Date.parse(lastBefore?.observedAt ?? ""));
      expect(Date.parse(entry.observedAt ?? "")).toBeLessThanOrEqual(leftAt + 2000);
      const application = await federation.application(namespace, "shop");
      expect(conditionOf(application, "Fresh")).toMatchObject({ status: "False", reason: "ClusterUnreachable" });
      expect(conditionOf(application, "Available")?.status).not.toBe("True");
      expect((await federation.memberCondition(FRANKFURT))?.status).not.toBe("True");
      expect(await federation.manager.metric("federation_member_ready")).toContainEqual({
        labels: expect.objectContaining({ cluster: FRANKFURT }),
        value: 0,
      });

      // The others are served meanwhile.
      await federation.apply(shop.image("nginx:1.28"));
      for (const member of [SHANGHAI, SINGAPORE]) {
        await eventually(async () => expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.28"), {
          timeout: 10_000,
        });
        await federation.untilEntry(namespace, "shop", member, { state: "Available" });
      }
    } finally {
      await back();
    }
    await federation.untilAvailable(namespace, "shop", on(2), 90_000);
    expect(await federation.image(FRANKFURT, namespace, "shop")).toBe("nginx:1.28");
  });
});

describe("the hub that goes away", () => {
  test("stops nothing on the members, and Meridian goes on when it is back", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace).port(80);
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", on(1));
    await using recorder = new Recorder(federation.memberApi(SHANGHAI), ["Deployment", "Service"]);
    await federation.hub.kill();
    await throughout(2000, async () =>
      expect((await federation.deployment(SHANGHAI, namespace, "shop")).status?.availableReplicas).toBe(1),
    );
    await federation.hub.start();
    // Without the hub for longer than the Lease a process may have ended; a supervisor would start it again.
    if (!federation.manager.running) await federation.startManager();
    await federation.apply(shop.image("nginx:1.28"));
    await federation.untilAvailable(namespace, "shop", on(1), 90_000);
    expect(await federation.image(SHANGHAI, namespace, "shop")).toBe("nginx:1.28");
    expect(recorder.deletions).toEqual([]);
  });
});

describe("the manager", () => {
  test("gives its Lease back on SIGTERM, and a successor works within 3 s", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const shop = demoApplication("shop").namespace(namespace);
    await federation.apply(shop);
    await federation.untilAvailable(namespace, "shop", on(1));
    const first = federation.manager;
    const firstIdentity = await eventually(async () => {
      const holder = await leader();
      expect(holder).not.toBe("");
      return holder;
    });
    const second = await federation.startManager({ waitUntilReady: false });
    await eventually(async () => expect((await fetch(`${second.url}/healthz`)).ok).toBe(true));
    await throughout(3000, async () => expect(await leader()).toBe(firstIdentity));

    const startedAt = performance.now();
    const stopping = first.stop();
    await federation.apply(shop.image("nginx:1.28"));
    await Promise.all(
      MEMBERS.map((member) =>
        eventually(async () => expect(await federation.image(member, namespace, "shop")).toBe("nginx:1.28"), {
          interval: 20,
        }),
      ),
    );
    await eventually(async () => expect(await leader()).not.toBe(firstIdentity), { interval: 20 });
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect(await stopping).toEqual({ code: 0, signal: null });
    await federation.untilAvailable(namespace, "shop", on(1));
  });

  test("that is killed is followed within the Lease's duration", async () => {
    const namespace = await federation.namespace();
    await federation.apply(placement("all").namespace(namespace));
    const first = federation.manager;
    await federation.startManager({ waitUntilReady: false });
    await eventually(async () => expect((await fetch(`${federation.manager.url}/healthz`)).ok).toBe(true));
    await first.kill();
    await federation.apply(demoApplication("shop").namespace(namespace));
    await federation.untilAvailable(namespace, "shop", on(1), 20_000);
  });
});

import { expect, test } from "vitest";
import type { Condition, DemoApplication, FederatedStatus } from "../../src/apis/index.ts";
import { conditionOf, useFederation } from "../e2e/federation.ts";
import { collectionPath, type Deployment, objectPath } from "../e2e/objects.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually } from "../envtest/index.ts";
import { KillPoints, QUICK_LEASE, WAIT_MS } from "./killPoints.ts";

const FRANKFURT = "frankfurt-1";
const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
/** Long enough for a manager to be killed before and after each clock has run down. */
const GRACE_SECONDS = 15;
const RETURN_SECONDS = 20;

const federation = useFederation({
  members: [
    { name: FRANKFURT, region: "eu-central-1" },
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
  managerArgs: QUICK_LEASE,
});

/** The Deployment of the application, if the member answers and has one. */
function shopOn(cluster: string, namespace: string): Promise<Deployment | undefined> {
  return federation.memberApi(cluster).find<Deployment>(objectPath("Deployment", namespace, "shop"));
}

const isServing = (deployment: Deployment | undefined): boolean => (deployment?.status?.availableReplicas ?? 0) > 0;

/** Fails at its end when the object was ever seen to serve nowhere while a cluster that answers had to have a copy. */
class Watchman implements AsyncDisposable {
  /** Clusters of which one has to serve; none while the outage is not over. */
  among: readonly string[] = [];
  readonly #stop = new AbortController();
  readonly #gaps: string[] = [];
  readonly #running: Promise<void>;

  constructor(namespace: string) {
    this.#running = this.#run(namespace);
  }

  async #run(namespace: string): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const { among } = this;
      const serving = await Promise.all(among.map(async (cluster) => isServing(await shopOn(cluster, namespace))));
      // What was to serve may have changed while the clusters were asked.
      if (among.length > 0 && among === this.among && !serving.includes(true))
        this.#gaps.push(`${new Date().toISOString()} on ${among.join(", ")}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    expect(this.#gaps, "times at which the object served nowhere").toEqual([]);
  }
}

test("a manager killed at twenty points of a failover moves the object once, and back once", async () => {
  const namespace = await federation.namespace();
  const rules = { gracePeriod: `${GRACE_SECONDS}s`, returnAfter: `${RETURN_SECONDS}s` };
  const groups = [
    { name: "primary", clusterNames: [FRANKFURT] },
    { name: "backup", clusterNames: [SHANGHAI] },
  ];
  await federation.apply(
    placement("where")
      .namespace(namespace)
      .affinity(...groups)
      .failover(rules),
  );
  await federation.apply(demoApplication("shop").namespace(namespace).replica(2).port(80));
  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 2 }, WAIT_MS);
  const first = (await shopOn(FRANKFURT, namespace))?.metadata.uid;

  const points = new KillPoints(federation);
  const status = async (): Promise<FederatedStatus> =>
    ((await federation.application(namespace, "shop")) as DemoApplication).status ?? {};
  const failingOver = async (reason: string): Promise<Condition> => {
    const condition = conditionOf(await federation.application(namespace, "shop"), "FailingOver");
    expect(condition?.reason).toBe(reason);
    return condition as Condition;
  };
  const ready = async (want: string): Promise<number> => {
    const condition = await federation.memberCondition(FRANKFURT);
    expect(condition?.status === "True" ? "True" : "not").toBe(want);
    return Date.parse(condition?.lastTransitionTime ?? "");
  };
  const passed = (at: number) => async (): Promise<void> => expect(Date.now()).toBeGreaterThanOrEqual(at);

  await using watchman = new Watchman(namespace);
  const frankfurt = federation.member(FRANKFURT).plane;

  await frankfurt.kill();
  await points.at("1: the region is gone", async () => undefined);
  const lostAt = await points.at("2: the hub knows", () => ready("not"));
  const clock = await points.at("3: the clock runs", () => failingOver("ClusterLost"));
  const due = lostAt + GRACE_SECONDS * 1000;
  await points.at("4: half the clock has run", passed(lostAt + GRACE_SECONDS * 500));
  expect(await eventually(() => failingOver("ClusterLost")), "the clock of a new manager").toEqual(clock);
  expect(await shopOn(SHANGHAI, namespace), "a copy before the clock has run down").toBeUndefined();
  await points.at("5: the clock has run down", passed(due));
  const second = await points.at("6: the replacement is there", async () => {
    const replacement = await shopOn(SHANGHAI, namespace);
    expect(replacement).toBeDefined();
    return replacement?.metadata;
  });
  expect(Date.parse(second?.creationTimestamp ?? "")).toBeGreaterThanOrEqual(due - 1000);
  const departures = await points.at("7: the departure is recorded", async () => {
    const found = (await status()).departures;
    expect(found).toMatchObject([{ cluster: FRANKFURT, reason: "ClusterLost" }]);
    return found;
  });
  await points.at("8: the object has left", () => failingOver("FailedOver"));
  await points.at("9: the replacement serves", async () =>
    expect(isServing(await shopOn(SHANGHAI, namespace))).toBe(true),
  );
  watchman.among = [SHANGHAI];
  await points.at("10: all of it serves", async () =>
    expect((await shopOn(SHANGHAI, namespace))?.status?.availableReplicas).toBe(2),
  );
  expect((await status()).departures, "the departure of a new manager").toEqual(departures);

  await frankfurt.start();
  await points.at("11: the region is back", async () => undefined);
  const readyAt = await points.at("12: the hub knows", () => ready("True"));
  await points.at("13: the return is awaited", () => failingOver("AwaitingReturn"));
  await points.at("14: the old copy is gone", async () => {
    const copy = await shopOn(FRANKFURT, namespace);
    expect(copy === undefined || copy.metadata.uid !== first).toBe(true);
  });
  await points.at("15: the way back is free", passed(readyAt + RETURN_SECONDS * 1000));
  watchman.among = [SHANGHAI, FRANKFURT];
  const third = await points.at("16: a copy is back", async () => {
    const copy = await shopOn(FRANKFURT, namespace);
    expect(copy?.metadata.uid).not.toBe(first);
    expect(copy).toBeDefined();
    return copy?.metadata;
  });
  expect(Date.parse(third?.creationTimestamp ?? "")).toBeGreaterThanOrEqual(readyAt + RETURN_SECONDS * 1000 - 1000);
  await points.at("17: the copy serves", async () => expect(isServing(await shopOn(FRANKFURT, namespace))).toBe(true));
  await points.at("18: the replacement goes", async () => {
    const copy = await shopOn(SHANGHAI, namespace);
    expect(copy === undefined || copy.metadata.deletionTimestamp !== undefined).toBe(true);
  });
  await points.at("19: the replacement is gone", async () => expect(await shopOn(SHANGHAI, namespace)).toBeUndefined());
  await points.at("20: all is settled", () => failingOver("Settled"));
  expect(points.killed).toBe(20);

  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 2 }, WAIT_MS);
  expect((await status()).departures ?? []).toEqual([]);
  expect((await shopOn(FRANKFURT, namespace))?.metadata.uid, "one copy, made once").toBe(third?.uid);
  expect(await federation.memberApi(SHANGHAI).list(collectionPath("Deployment", namespace))).toEqual([]);
  expect(await federation.memberApi(SINGAPORE).list(collectionPath("Deployment", namespace))).toEqual([]);
});

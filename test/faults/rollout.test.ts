import { expect, test } from "vitest";
import type { DemoApplication, KubeObject, RolloutStatus } from "../../src/apis/index.ts";
import { conditionOf, useFederation } from "../e2e/federation.ts";
import { collectionPath, type Deployment } from "../e2e/objects.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, meridianOk, type RequestCounters } from "../envtest/index.ts";
import { KillPoints, QUICK_LEASE, WAIT_MS } from "./killPoints.ts";

const FRANKFURT = "frankfurt-1";
const SHANGHAI = "shanghai-1";
const SINGAPORE = "singapore-1";
const REGIONS = [FRANKFURT, SHANGHAI, SINGAPORE] as const;
/** Long enough for a manager to be killed before and after each clock has run down. */
const SOAK_SECONDS = 12;
const GATE_SECONDS = 25;

const federation = useFederation({
  members: REGIONS.map((name) => ({ name, region: name })),
  managerArgs: QUICK_LEASE,
});

const imageOf = ({ spec }: Deployment): string => spec.template.spec.containers[0].image;
const tagOf = (deployment: Deployment): string => imageOf(deployment).split(":")[1] ?? "";

/** Without what did not change from one to the next. */
function changes<T>(values: readonly T[]): T[] {
  return values.filter((value, i) => i === 0 || value !== values[i - 1]);
}

/** Everything that was ever seen of one application, in its order: on the hub, and on each member. */
class Witness implements AsyncDisposable {
  readonly rollouts: RolloutStatus[] = [];
  /** How often the object on the hub became another one. */
  changesOnHub = 0;
  readonly deployments = new Map<string, Deployment[]>(REGIONS.map((name) => [name, []]));
  /** Clusters that got the revision, each with what the hub said of it then. */
  readonly arrivals: Promise<{ cluster: string; tag: string; said: RolloutStatus | undefined }>[] = [];
  /** Every watch has shown what there was: what happens from now on is seen. */
  readonly ready: Promise<unknown>;
  readonly #stop = new AbortController();
  readonly #running: Promise<unknown>;
  #failure: unknown;
  readonly #namespace: string;

  constructor(namespace: string) {
    this.#namespace = namespace;
    const begun = [...REGIONS, "hub"].map(() => Promise.withResolvers<void>());
    const [onHub = () => undefined, ...onMembers] = begun.map(({ resolve }) => resolve);
    const all = Promise.all([
      this.#seeHub(onHub),
      ...REGIONS.map((name, i) => this.#seeMember(name, onMembers[i] ?? (() => undefined))),
    ]);
    this.ready = Promise.all(begun.map(({ promise }) => promise));
    this.#running = all.catch((error: unknown) => {
      // A watch that is given up ends like one that breaks.
      if (!this.#stop.signal.aborted) this.#failure = error;
    });
  }

  async #seeHub(begun: () => void): Promise<void> {
    const collection = collectionPath("DemoApplication", this.#namespace);
    for await (const { type, object } of federation.api.watch<DemoApplication>(collection, this.#stop.signal)) {
      begun();
      if (type === "MODIFIED") this.changesOnHub += 1;
      if (object.status?.rollout !== undefined) this.rollouts.push(object.status.rollout);
    }
  }

  async #seeMember(cluster: string, begun: () => void): Promise<void> {
    const collection = collectionPath("Deployment", this.#namespace);
    const seen = this.deployments.get(cluster) ?? [];
    for await (const { object } of federation.memberApi(cluster).watch<Deployment>(collection, this.#stop.signal)) {
      begun();
      const before = seen.at(-1);
      seen.push(object);
      if (before !== undefined && tagOf(before) !== tagOf(object)) this.arrivals.push(this.#asked(cluster, object));
    }
  }

  /** What the hub says after the cluster got it was said before: the status is written before a worker hears of the turn. */
  async #asked(cluster: string, object: Deployment) {
    const { status } = await federation.application(this.#namespace, "shop");
    return { cluster, tag: tagOf(object), said: status?.rollout };
  }

  tags(cluster: string): string[] {
    return changes((this.deployments.get(cluster) ?? []).map(tagOf));
  }

  /** The states of one cluster in the run of that revision. */
  clusterStates(revision: number, cluster: string): string[] {
    const states = this.#of(revision).flatMap(({ stages = [] }) =>
      stages.flatMap(({ clusters = [] }) =>
        clusters
          .filter(({ name }) => name === cluster)
          .map(({ state, reason }) => `${state}${reason === "RollingBack" ? " back" : ""}`),
      ),
    );
    return changes(states);
  }

  stageStates(revision: number, stage: string): string[] {
    const all = this.#of(revision).flatMap(({ stages = [] }) => stages.filter(({ name }) => name === stage));
    return changes(all.map(({ state }) => state));
  }

  runStates(revision: number): string[] {
    return changes(
      this.#of(revision).map(({ state, reason }) => (reason === undefined ? state : `${state} ${reason}`)),
    );
  }

  /** Every value that one thing of the run ever had. */
  everOf<T>(revision: number, pick: (status: RolloutStatus) => T | undefined): T[] {
    return changes(this.#of(revision).flatMap((status) => pick(status) ?? []));
  }

  #of(revision: number): RolloutStatus[] {
    return this.rollouts.filter((status) => status.revision === revision);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#running;
    expect(this.#failure, "what ended a watch of this test").toBeUndefined();
  }
}

/** Fails when one comes again that has passed: `order` is all of them, some may be left out. */
function expectForward(what: string, seen: readonly string[], order: readonly string[]): void {
  const places = seen.map((state) => order.indexOf(state));
  expect({ what, seen, unknown: seen.filter((state) => !order.includes(state)) }).toEqual({ what, seen, unknown: [] });
  expect({ what, seen, places }).toEqual({ what, seen, places: places.toSorted((a, b) => a - b) });
}

/** A kill breaks off a write under way: the API server counts a 504, whether it has carried the write out or not. */
function applies(counters: RequestCounters | undefined, resource: string, subresource = "") {
  const withCode = (code: string) => counters?.total({ verb: "APPLY", resource, subresource, code }) ?? 0;
  return { carriedOut: withCode("200"), brokenOff: withCode("504") };
}

async function counters(): Promise<Map<string, RequestCounters>> {
  const counted = REGIONS.map(async (name) => [name, await federation.member(name).plane.metrics()] as const);
  return new Map(await Promise.all(counted));
}

test("a manager killed at twenty points of a rollout changes each cluster once, and takes each back once", async () => {
  const namespace = await federation.namespace();
  const policy = placement("in-stages")
    .namespace(namespace)
    .rollout({
      stages: [
        {
          name: "first",
          targetClusters: { clusterNames: [FRANKFURT] },
          soak: `${SOAK_SECONDS}s`,
          approval: "Manual",
        },
        { name: "second", targetClusters: { clusterNames: [SHANGHAI] } },
        { name: "third", targetClusters: { clusterNames: [SINGAPORE] } },
      ],
      gate: { timeout: `${GATE_SECONDS}s` },
      onFailure: "Rollback",
    });
  const shop = (tag: string): KubeObject =>
    demoApplication("shop").namespace(namespace).replica(1).port(80).image(`registry.test/shop:${tag}`).object();
  const approve = (): Promise<unknown> =>
    meridianOk(federation.hub, ["rollout", "approve", "shop", "-n", namespace, "--stage", "first"]);
  const rollout = async (): Promise<RolloutStatus | undefined> =>
    (await federation.application(namespace, "shop")).status?.rollout;
  const untilRolloutIs = (state: string, revision: number): Promise<void> =>
    eventually(async () => expect(await rollout()).toMatchObject({ state, revision }), { timeout: WAIT_MS });
  const clusterIs = async (name: string, ...states: string[]): Promise<void> => {
    const found = (await rollout())?.stages?.flatMap(({ clusters = [] }) => clusters);
    expect(states).toContain(found?.find((one) => one.name === name)?.state);
  };
  const has = async (cluster: string, tag: string): Promise<void> =>
    expect(tagOf(await federation.deployment(cluster, namespace, "shop"))).toBe(tag);
  const serves = async (cluster: string): Promise<void> => {
    const { metadata, status } = await federation.deployment(cluster, namespace, "shop");
    expect(status).toMatchObject({ observedGeneration: metadata.generation, updatedReplicas: 1, availableReplicas: 1 });
    expect(status?.replicas).toBe(1);
  };
  const passed = (at: number) => async (): Promise<void> => expect(Date.now()).toBeGreaterThanOrEqual(at);

  await federation.apply(policy);
  await federation.apply(shop("1"));
  await untilRolloutIs("Paused", 1);
  await approve();
  await untilRolloutIs("Succeeded", 1);
  await federation.untilAvailable(namespace, "shop", { [FRANKFURT]: 1, [SHANGHAI]: 1, [SINGAPORE]: 1 }, WAIT_MS);

  // Slow enough for a manager to be killed while the pods start; and in the second region they never do.
  federation.member(FRANKFURT).kubelet?.behave({ delayMs: 3_000 });
  federation.member(SHANGHAI).kubelet?.failImages(/:2$/);
  const hubBefore = await federation.hub.metrics();
  const untouched = await federation.deployment(SINGAPORE, namespace, "shop");
  const before = await counters();
  await using witness = new Witness(namespace);
  await witness.ready;
  const points = new KillPoints(federation);

  await federation.apply(shop("2"));
  await points.at("1: the object has changed", async () => undefined);
  await points.at("2: the run stands on the hub", async () => expect(await rollout()).toMatchObject({ revision: 2 }));
  await points.at("3: the first cluster's turn", () => clusterIs(FRANKFURT, "Applying", "Verifying", "Done"));
  await points.at("4: it is written there", () => has(FRANKFURT, "2"));
  await points.at("5: it is verified", () => clusterIs(FRANKFURT, "Verifying", "Done"));
  await points.at("6: it serves there", () => serves(FRANKFURT));
  await points.at("7: the first cluster is done", () => clusterIs(FRANKFURT, "Done"));
  const soaking = await points.at("8: the stage soaks", async () => {
    const [stage] = (await rollout())?.stages ?? [];
    expect(stage?.soakingSince).toBeDefined();
    return Date.parse(stage?.soakingSince ?? "");
  });
  await points.at("9: half of the soak", passed(soaking + SOAK_SECONDS * 500));
  await points.at("10: the soak is over", passed(soaking + SOAK_SECONDS * 1000));
  await points.at("11: the stage waits for approval", async () =>
    expect(await rollout()).toMatchObject({ state: "Paused", reason: "Gate" }),
  );
  await approve();
  await points.at("12: a person has approved", async () => undefined);
  await points.at("13: the second cluster's turn", () => clusterIs(SHANGHAI, "Applying", "Verifying"));
  await points.at("14: it is written there", () => has(SHANGHAI, "2"));
  const verifying = await points.at("15: it is verified there", async () => {
    await clusterIs(SHANGHAI, "Verifying");
    return Date.now();
  });
  await points.at("16: the time of the gate is over", passed(verifying + GATE_SECONDS * 1000));
  await points.at("17: the run goes back", async () =>
    expect(["RollingBack", "RolledBack"]).toContain((await rollout())?.state),
  );
  await points.at("18: the second cluster is back", () => has(SHANGHAI, "1"));
  await points.at("19: the first cluster is back", () => has(FRANKFURT, "1"));
  await points.at("20: the run is back", async () => expect((await rollout())?.state).toBe("RolledBack"));
  expect(points.killed).toBe(20);

  // The last manager agrees with all that the ones before it have said.
  await eventually(async () => {
    const application = await federation.application(namespace, "shop");
    expect(conditionOf(application, "Progressing")).toMatchObject({ status: "False", reason: "RolledBack" });
    expect(conditionOf(application, "Available")).toMatchObject({ status: "True" });
    expect(application.status?.replicas).toEqual({ desired: 3, updated: 0, ready: 3, available: 3 });
  });
  for (const name of [FRANKFURT, SHANGHAI]) {
    await eventually(() => serves(name));
    expect(witness.tags(name), name).toEqual(["1", "2", "1"]);
  }

  // No extra writes: one change to each cluster, and one back; none to the one whose turn never came.
  const after = await counters();
  for (const [name, writes] of Object.entries({ [FRANKFURT]: 2, [SHANGHAI]: 2, [SINGAPORE]: 0 })) {
    const since = after
      .get(name)
      ?.since(before.get(name) as RequestCounters)
      .writes();
    const { carriedOut, brokenOff } = applies(since, "deployments");
    const said = `writes to ${name}: ${since?.describe().join()}`;
    expect(carriedOut, said).toBeLessThanOrEqual(writes);
    expect(carriedOut + Math.min(brokenOff, writes), said).toBeGreaterThanOrEqual(writes);
    expect(since?.total({ verb: "APPLY" }), said).toBe(carriedOut + brokenOff);
  }
  expect((await federation.deployment(SINGAPORE, namespace, "shop")).metadata.resourceVersion).toBe(
    untouched.metadata.resourceVersion,
  );

  // On the hub every status that was written said something new; the change and the approval are the other two.
  const onHub = (await federation.hub.metrics()).since(hubBefore);
  const { carriedOut, brokenOff } = applies(onHub, "demoapplications", "status");
  await eventually(async () => expect(witness.changesOnHub).toBeGreaterThanOrEqual(carriedOut + 2));
  expect(witness.changesOnHub).toBeLessThanOrEqual(carriedOut + brokenOff + 2);

  // Never out of turn.
  for (const { cluster, tag, said } of await Promise.all(witness.arrivals)) {
    const states = Object.fromEntries((said?.stages ?? []).map(({ name, state }) => [name, state]));
    expect(said?.revision).toBe(2);
    if (tag === "1") expect(["RollingBack", "RolledBack"]).toContain(said?.state);
    else if (cluster === SHANGHAI) expect(states["first"]).toBe("Succeeded");
    else expect(states["first"]).not.toBe("Waiting");
  }

  // Never back to where it was: of nothing that stood on the hub.
  const run = ["Planned", "Progressing", "Paused Gate", "Progressing again", "RollingBack", "RolledBack"];
  const seen = witness.runStates(2);
  const paused = seen.indexOf("Paused Gate");
  expectForward(
    "the run",
    seen.map((state, i) => (state === "Progressing" && paused >= 0 && i > paused ? "Progressing again" : state)),
    run,
  );
  const there = ["Waiting", "Applying", "Verifying", "Done", "Failed", "Applying back", "RolledBack"];
  expectForward(FRANKFURT, witness.clusterStates(2, FRANKFURT), there);
  expectForward(SHANGHAI, witness.clusterStates(2, SHANGHAI), there);
  expect(witness.clusterStates(2, SINGAPORE)).toEqual(["Waiting"]);
  const stages = ["Waiting", "Progressing", "Soaking", "Paused", "Succeeded", "Failed", "RolledBack"];
  for (const stage of ["first", "second"]) expectForward(stage, witness.stageStates(2, stage), stages);
  expect(witness.stageStates(2, "third")).toEqual(["Waiting"]);
  expect(witness.everOf(2, ({ startedAt }) => startedAt)).toHaveLength(1);
  expect(witness.everOf(2, ({ stages: [first] = [] }) => first?.soakingSince)).toHaveLength(1);
  expect(witness.everOf(2, ({ lastGoodRevision }) => lastGoodRevision)).toEqual([1]);

  // And there is a way on.
  federation.member(FRANKFURT).kubelet?.behave({});
  await federation.apply(shop("3"));
  await untilRolloutIs("Paused", 3);
  await approve();
  await untilRolloutIs("Succeeded", 3);
  for (const name of REGIONS) await has(name, "3");
});

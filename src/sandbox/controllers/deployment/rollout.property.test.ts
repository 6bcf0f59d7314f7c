import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { DEPLOYMENTS, type Deployment, type IntOrPercent, type Pod, PODS } from "../shared/objects.ts";
import { isActive, isReady } from "../shared/pods.ts";
import { deployment, template, TestSandbox } from "../testing/index.ts";
import { maxSurge, maxUnavailable } from "./limits.ts";

const bound = (): fc.Arbitrary<IntOrPercent> =>
  fc.oneof(
    fc.nat(4),
    fc.nat(100).map((percent) => `${percent}%`),
  );

interface Change {
  /** Index into IMAGES. */
  image: number;
  /** Milliseconds until the next change. */
  pause: number;
  replicas: number;
  paused: boolean;
}

/** Ten rollouts in a row on a busy machine. */
const TIMEOUT_MS = 60_000;

const IMAGES = ["nginx:1", "nginx:2", "nginx:3", "nginx:does-not-exist", "nginx:crash"];

const change = fc.record<Change>({
  image: fc.nat(IMAGES.length - 1),
  pause: fc.nat(3000),
  replicas: fc.nat(9),
  paused: fc.boolean(),
});

const rollingUpdate = fc.record({ maxSurge: bound(), maxUnavailable: bound() });

async function sandboxWith(replicas: number, rollingUpdate: { maxSurge: IntOrPercent; maxUnavailable: IntOrPercent }) {
  const sandbox = await TestSandbox.start({
    options: { readinessDelayMs: 500, terminationDelayMs: 300, crashBackOffMs: 2000, events: 0 },
  });
  const strategy = { type: "RollingUpdate", rollingUpdate };
  await sandbox.create(DEPLOYMENTS, deployment({ replicas, strategy }));
  await sandbox.pass(2000);
  return sandbox;
}

function isComplete(sandbox: TestSandbox, replicas: number): void {
  const { status, metadata } = sandbox.deployment();
  expect(status?.observedGeneration).toBe(metadata.generation);
  const { updatedReplicas = 0, availableReplicas = 0, replicas: all = 0, unavailableReplicas = 0 } = status ?? {};
  expect({ updatedReplicas, availableReplicas, all, unavailableReplicas }).toEqual({
    updatedReplicas: replicas,
    availableReplicas: replicas,
    all: replicas,
    unavailableReplicas: 0,
  });
  expect(status?.conditions).toMatchObject([
    { type: expect.any(String), status: "True" },
    { type: expect.any(String), status: "True" },
  ]);
}

describe("a random rollout", () => {
  test.prop([fc.integer({ min: 1, max: 9 }), rollingUpdate, fc.array(change, { minLength: 1, maxLength: 6 })], {
    numRuns: 10,
  })(
    "never has more pods than maxSurge allows, nor fewer that are available than maxUnavailable leaves, and ends",
    async (replicas, limits, changes) => {
      await using sandbox = await sandboxWith(replicas, limits);
      const most = replicas + maxSurge(sandbox.deployment());
      const fewest = replicas - maxUnavailable(sandbox.deployment());
      const broken: string[] = [];
      using _watch = sandbox.cluster.onEvent(PODS, () => {
        const active = sandbox.list<Pod>(PODS).filter(isActive);
        const ready = active.filter(isReady).length;
        if (active.length > most) broken.push(`${active.length} pods, ${most} allowed`);
        if (ready < fewest) broken.push(`${ready} pods available, ${fewest} needed`);
      });
      for (const { image, pause } of changes) {
        await sandbox.change<Deployment>(DEPLOYMENTS, "web", (object) => ({
          ...object,
          spec: { ...object.spec, template: template(IMAGES[image]) },
        }));
        await sandbox.pass(pause);
      }
      await sandbox.change<Deployment>(DEPLOYMENTS, "web", (object) => ({
        ...object,
        spec: { ...object.spec, template: template("nginx:final") },
      }));
      await sandbox.pass(30_000);
      expect(broken).toEqual([]);
      expect(sandbox.errors).toEqual([]);
      isComplete(sandbox, replicas);
    },
    TIMEOUT_MS,
  );

  test.prop([fc.nat(9), rollingUpdate, fc.array(change, { minLength: 1, maxLength: 8 })], {
    numRuns: 10,
  })(
    "ends with the size and template that were asked for last, whatever was scaled, paused and broken before",
    async (replicas, limits, changes) => {
      await using sandbox = await sandboxWith(replicas, limits);
      for (const { image, pause, replicas: size, paused } of changes) {
        await sandbox.change<Deployment>(DEPLOYMENTS, "web", (object) => ({
          ...object,
          spec: { ...object.spec, template: template(IMAGES[image]), replicas: size, paused },
        }));
        await sandbox.pass(pause);
        const total = sandbox.replicaSets().reduce((sum, { spec }) => sum + (spec.replicas ?? 1), 0);
        const sizes = [replicas, ...changes.map((one) => one.replicas)];
        expect(total).toBeLessThanOrEqual(Math.max(...sizes) + surgeOf(sandbox, Math.max(...sizes)));
      }
      const size = changes.at(-1)?.replicas ?? 0;
      await sandbox.change<Deployment>(DEPLOYMENTS, "web", (object) => ({
        ...object,
        spec: { ...object.spec, template: template("nginx:final"), paused: false },
      }));
      await sandbox.pass(60_000);
      expect(sandbox.errors).toEqual([]);
      isComplete(sandbox, size);
      expect(sandbox.pods().map(({ spec }) => spec.containers[0]?.image)).toEqual(Array(size).fill("nginx:final"));
      expect(sandbox.clock.waiting).toBe(0);
    },
    TIMEOUT_MS,
  );
});

function surgeOf(sandbox: TestSandbox, replicas: number): number {
  const object = sandbox.deployment();
  return maxSurge({ ...object, spec: { ...object.spec, replicas } });
}

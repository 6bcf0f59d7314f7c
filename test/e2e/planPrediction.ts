import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import { HASH_ANNOTATION, type KubeObject, MANAGED_BY_LABEL } from "../../src/apis/index.ts";
import type { PlanReport } from "../../src/cmd/plan/report.ts";
import { fieldChanges } from "../../src/desiredstate/manifests/fieldChanges.ts";
import { eventually, meridian } from "../envtest/index.ts";
import type { Federation } from "./federation.ts";
import { collectionPath, pathOf } from "./objects.ts";
import { PREDICTION_CLUSTERS, RandomChanges, randomFrom } from "./randomChanges.ts";

/**
 * Random changes of objects, policies and clusters: each is planned, then applied, and what has happened on the members is compared with what
 * the plan said, object by object and field by field.
 */

const NAMES = PREDICTION_CLUSTERS.map(({ name }) => name);
const WATCHED = ["Deployment", "Service", "ConfigMap"] as const;
/** From the member's own controllers. */
const NOT_SENT = /^metadata\.annotations\[deployment\.kubernetes\.io/;

/** Member objects of Meridian in a namespace, by `cluster/kind/name`. */
async function onMembers(federation: Federation, namespace: string): Promise<Map<string, KubeObject>> {
  const found = new Map<string, KubeObject>();
  for (const cluster of NAMES) {
    for (const kind of WATCHED) {
      const path = `${collectionPath(kind, namespace)}?labelSelector=${encodeURIComponent(MANAGED_BY_LABEL)}`;
      for (const item of await federation.memberApi(cluster).list(path))
        found.set(`${cluster}/${kind}/${item.metadata.name}`, {
          ...item,
          kind,
          apiVersion: kind === "Deployment" ? "apps/v1" : "v1",
        });
    }
  }
  return found;
}

type Writes = Record<string, "Created" | "Changed" | "Deleted">;

function writesBetween(before: ReadonlyMap<string, KubeObject>, after: ReadonlyMap<string, KubeObject>): Writes {
  const writes: Writes = {};
  const hash = ({ metadata }: KubeObject): string | undefined => metadata.annotations?.[HASH_ANNOTATION];
  for (const [key, object] of after) {
    const old = before.get(key);
    if (old === undefined || old.metadata.uid !== object.metadata.uid) writes[key] = "Created";
    else if (hash(old) !== hash(object)) writes[key] = "Changed";
  }
  for (const key of before.keys()) if (!after.has(key)) writes[key] = "Deleted";
  return writes;
}

function predictedWrites({ objects }: PlanReport): Writes {
  const writes: Writes = {};
  for (const { clusters } of objects) {
    for (const { name: cluster, objects: members } of clusters) {
      for (const { kind, name, change } of members)
        if (change === "Created" || change === "Changed" || change === "Deleted")
          writes[`${cluster}/${kind}/${name}`] = change;
    }
  }
  return writes;
}

/** Every field that the plan named has changed as the plan said. */
function expectFields(
  report: PlanReport,
  before: ReadonlyMap<string, KubeObject>,
  after: ReadonlyMap<string, KubeObject>,
): void {
  for (const { clusters } of report.objects) {
    for (const { name: cluster, objects } of clusters) {
      for (const { kind, name, change, fields, fieldsFrom, reason } of objects) {
        // What another object takes over gets other marks, which are not shown.
        if (change !== "Changed" || reason === "NeededByOthers") continue;
        const key = `${cluster}/${kind}/${name}`;
        expect({ key, fieldsFrom }).toEqual({ key, fieldsFrom: "Member" });
        const changed = fieldChanges(before.get(key), after.get(key)).filter(({ path }) => !NOT_SENT.test(path));
        expect({ key, fields }).toEqual({ key, fields: changed });
      }
    }
  }
}

/** Returns how many writes were predicted, and happened. */
export async function expectPredictions(federation: Federation, seed: number, count: number): Promise<number> {
  const namespace = await federation.namespace();
  const changes = new RandomChanges(randomFrom(seed), namespace);
  const apply = (object: KubeObject): Promise<KubeObject> => federation.api.apply(pathOf(object), object, "kubectl");
  for (const object of changes.start()) await apply(object);
  await federation.untilAvailable(namespace, "a", { m1: 2, m2: 2, m3: 2 });
  await federation.untilAvailable(namespace, "b", { m1: 2, m2: 2, m3: 2 });
  let writes = 0;
  for (let i = 0; i < count; i++) {
    const { name, object } = changes.next();
    const message = `seed ${seed}, change ${i}: ${name}`;
    const file = join(federation.fleet.dir, `change-${i}.json`);
    await writeFile(file, JSON.stringify(object));
    const before = await onMembers(federation, namespace);
    const { code, stdout, stderr } = await meridian(federation.hub, ["plan", "-f", file, "-o", "json"]);
    expect({ message, stderr, isRun: code < 2 }).toEqual({ message, stderr: "", isRun: true });
    const report = JSON.parse(stdout) as PlanReport;
    expect(code).toBe(report.objects.length + report.unplaced.length === 0 ? 0 : 1);
    const predicted = predictedWrites(report);
    await apply(object);
    const after = await eventually(
      async () => {
        const now = await onMembers(federation, namespace);
        expect(writesBetween(before, now)).toEqual(predicted);
        await expectSettled(federation, namespace);
        return now;
      },
      { timeout: 60_000, message },
    );
    expectFields(report, before, after);
    writes += Object.keys(predicted).length;
    const again = await meridian(federation.hub, ["plan", "-f", file, "-o", "json"]);
    const left = JSON.parse(again.stdout) as PlanReport;
    // A ConfigMap that nothing needs yet still runs nowhere.
    const { unplaced } = report;
    expect({ message, ...left }).toMatchObject({ message, objects: [], unplaced });
    expect(again.code).toBe(unplaced.length === 0 ? 0 : 1);
  }
  return writes;
}

/** Every application says of its present state that nothing is under way; so the next plan does not begin in the middle of a move. */
async function expectSettled(federation: Federation, namespace: string): Promise<void> {
  for (const { metadata } of await federation.api.list(collectionPath("DemoApplication", namespace))) {
    const { status, metadata: latest } = await federation.application(namespace, metadata.name);
    expect(status?.observedGeneration).toBe(latest.generation);
    expect(status?.conditions?.find(({ type }) => type === "Progressing")?.status).toBe("False");
    for (const { name, state, desiredHash, observedHash } of status?.clusters ?? []) {
      const isSettled = state === "Held" || (state === "Available" && desiredHash === observedHash);
      expect({ name, state, isSettled }).toEqual({ name, state, isSettled: true });
    }
  }
}

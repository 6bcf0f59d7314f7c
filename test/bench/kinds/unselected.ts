import { setTimeout as sleep } from "node:timers/promises";
import { collectionPath, configMap, pathOf } from "../../e2e/objects.ts";
import { eventually, type Plane } from "../../envtest/index.ts";
import { AT_A_TIME, inParallel } from "../bareClient.ts";
import { cpuSeconds, residentMiB } from "../processUsage.ts";
import { HUB } from "../requests.ts";
import type { Stage } from "../stage.ts";
import { FLOOR_NAMESPACE, NAMESPACE } from "../workload.ts";
import { HeapProbe } from "./heap.ts";
import { CONFIG_MAPS, placementOf } from "./workload.ts";

const IDLE_SECONDS = 60;

export interface IdleFigures {
  rssMiB: number;
  /** After the garbage was collected. */
  heapMiB: number;
  /** Of one core, in a minute in which nothing happens. */
  cpuPercent: number;
  /** Open on the hub, all clients' together. */
  watches: number;
  /** Requests of that minute on the hub; Leases and Events apart. */
  writes: number;
  reads: number;
}

export interface UnselectedFigures {
  objects: number;
  /** A manager that was started without the objects. */
  without: IdleFigures;
  /** One that was started beside them. */
  beside: IdleFigures;
  loadAverage: Record<string, number>;
}

/**
 * What objects cost that no policy selects, though policies select others of their kind: ConfigMaps of 1 KiB. Both managers have just been
 * started, and have one ConfigMap on the members.
 */
export async function measureUnselected(objects: number, stage: Stage): Promise<UnselectedFigures> {
  await stage.startManager();
  await stage.federate([placementOf(CONFIG_MAPS), CONFIG_MAPS.object(NAMESPACE, "selected", 1)]);
  await untilPlaced(stage);
  await stage.stopManager();
  const without = await idle(stage, "without");
  stage.say(`creating ${objects} ConfigMaps`);
  const text = "x".repeat(1024);
  const names = Array.from({ length: objects }, (_, index) => `unselected-${index}`);
  const path = collectionPath("ConfigMap", FLOOR_NAMESPACE);
  await inParallel(names, AT_A_TIME, (name) =>
    stage.hub.sendNow("POST", path, "json", JSON.stringify(configMap(FLOOR_NAMESPACE, name, { text }))),
  );
  const beside = await idle(stage, "beside");
  return { objects, without, beside, loadAverage: stage.load };
}

async function idle(stage: Stage, phase: string): Promise<IdleFigures> {
  const heap = await HeapProbe.create();
  await stage.startManager(undefined, { NODE_OPTIONS: heap.options });
  await untilPlaced(stage);
  await stage.settle();
  const heapMiB = await heap.inUse();
  await stage.begin(phase);
  const before = await cpuSeconds(stage.pid);
  await sleep(IDLE_SECONDS * 1000);
  const cpuPercent = (((await cpuSeconds(stage.pid)) - before) / IDLE_SECONDS) * 100;
  const { writes, rows } = await stage.log.now();
  const reads = rows
    .filter(({ cluster, verb }) => cluster === HUB && (verb === "GET" || verb === "LIST"))
    .reduce((sum, { count }) => sum + count, 0);
  const figures = {
    rssMiB: await residentMiB(stage.pid),
    heapMiB,
    cpuPercent,
    watches: await watchesOn(stage.fleet.hub),
    writes: writes[HUB] ?? 0,
    reads,
  };
  await stage.stopManager();
  return figures;
}

async function untilPlaced({ fleet }: Stage): Promise<void> {
  for (const { plane } of fleet.members) {
    const path = pathOf(CONFIG_MAPS.object(NAMESPACE, "selected", 1));
    await eventually(() => plane.api.get(path), { timeout: 60_000, message: `${path} is not on ${plane.name}` });
  }
}

async function watchesOn(plane: Plane): Promise<number> {
  let watches = 0;
  const { body } = await plane.api.request<string>("GET", "/metrics", undefined, { accept: "text/plain" });
  for (const line of body.split("\n"))
    if (line.startsWith("apiserver_longrunning_requests{") && /[{,]verb="WATCH"/.test(line))
      watches += Number(line.slice(line.lastIndexOf("}") + 1));
  return watches;
}

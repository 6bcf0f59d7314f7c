import { setTimeout as sleep } from "node:timers/promises";
import type { SandboxCluster } from "../../../src/sandbox/index.ts";

type Resources = Parameters<Parameters<SandboxCluster["local"]["onResources"]>[0]>[0];

/** A lease is renewed as long as its holder lives; everything else stands still when there is nothing to do. */
const RENEWED = "leases.coordination.k8s.io";

/** Every object of the clusters, by resource. */
export function countObjects(clusters: readonly SandboxCluster[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const cluster of clusters) {
    for (const resource of resourcesOf(cluster)) {
      const { length } = cluster.local.list(resource);
      const name = nameOf(resource);
      if (length > 0) counts[name] = (counts[name] ?? 0) + length;
    }
  }
  return counts;
}

/** Counts changes of all objects but leases, in the stores themselves, whoever makes them. */
export class WriteCounter implements Disposable {
  /** By cluster and resource. */
  readonly writes = new Map<string, number>();
  total = 0;
  readonly #stack = new DisposableStack();

  constructor(clusters: readonly SandboxCluster[]) {
    let live = false;
    for (const cluster of clusters) {
      for (const resource of resourcesOf(cluster)) {
        const name = nameOf(resource);
        if (name === RENEWED) continue;
        const key = `${cluster.name} ${name}`;
        // What is there already is told while this is constructed.
        const count = () => {
          if (!live) return;
          this.total++;
          this.writes.set(key, (this.writes.get(key) ?? 0) + 1);
        };
        this.#stack.use(cluster.local.onEvent(resource, count));
      }
    }
    live = true;
  }

  /** Resolves when nothing was written for so long; answers with whether that happened before the time was up. */
  async quiet(forMs: number, withinMs: number): Promise<boolean> {
    const step = 250;
    let before = this.total;
    for (let waited = 0, still = 0; waited < withinMs; waited += step) {
      await sleep(step);
      still = this.total === before ? still + step : 0;
      if (still >= forMs) return true;
      before = this.total;
    }
    return false;
  }

  [Symbol.dispose](): void {
    this.#stack.dispose();
  }
}

function resourcesOf(cluster: SandboxCluster): Resources {
  let found: Resources = [];
  cluster.local.onResources((resources) => (found = resources))[Symbol.dispose]();
  // Two names lead to the same Events; those of the core group are stored.
  return found.filter(({ group, plural }) => !(group === "events.k8s.io" && plural === "events"));
}

function nameOf({ group, plural }: { group: string; plural: string }): string {
  return group === "" ? plural : `${plural}.${group}`;
}

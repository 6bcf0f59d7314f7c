import { randomUUID } from "node:crypto";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock, TimeSlice } from "../../../src/runtime/index.ts";
import { Engine } from "../../../src/query/index.ts";
import { type ObjectFacts, Table } from "../../../src/query/table/index.ts";
import type { Filter, PlacedObjectRow, Query, Scope } from "../../../src/query/types.ts";
import { BareRows } from "./bare.ts";
import { clusterName, clustersOf, fleetOf, namespaceName, OFFLINE } from "./fleet.ts";

export interface Timing {
  what: string;
  /** Whether a tenth of the members is offline. */
  isOffline: boolean;
  /** Milliseconds, JSON included. */
  p50: number;
  p99: number;
  /** The same answer from a plain sorted array. */
  bareP50: number;
  bareP99: number;
  /** Upper bound of p99, in milliseconds. Undefined: nothing has a bar. */
  bar: number | undefined;
}

export interface QueryFigures {
  placed: number;
  timings: Timing[];
  /** Of the table with all rows, after a collection of garbage; with the memory outside the heap. */
  memoryMb: number;
  bareMemoryMb: number;
  /** The most that the process had, with the garbage of filling the table and without the plain array. */
  residentMb: number;
  memoryBar: number;
  /** Until all rows are in the table. */
  fillSeconds: number;
  /** Longest time for which queries held the event loop, in milliseconds. */
  longestHeldMs: number;
}

const ROUNDS = 100;
const SLOW_ROUNDS = 10;
const MOST_BARE_ROUNDS = 20;
const WATCHERS = 100;
const MEMORY_BAR_MB = 2_048;
const ADMIN: Scope = { subject: "admin", mayRead: () => true, mayReadClusters: true };

/** Answers about many placed objects, in turns with a plain sorted array in the same process. */
export async function measureQueries(placed: number, say: (text: string) => void): Promise<QueryFigures> {
  const collect = garbageCollector();
  const empty = collect();
  say(`filling the table with ${placed} placed objects`);
  const begun = performance.now();
  const table = filled(placed);
  const fillSeconds = (performance.now() - begun) / 1_000;
  const residentMb = process.resourceUsage().maxRSS / 1_024;
  const memoryMb = collect() - empty;
  const bare = new BareRows(placed);
  const bareMemoryMb = collect() - empty - memoryMb;
  const slice = TimeSlice.of(systemClock);
  const engine = new Engine({
    table,
    now: () => Date.now(),
    random: Math.random,
    randomId: randomUUID,
    pause: () => slice.pause(),
  });
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const timings: Timing[] = [];
  let longestHeldMs = 0;
  const askAll = async (isOffline: boolean): Promise<void> => {
    for (const one of [...cases(engine, bare), await watched(engine, table)]) {
      say(isOffline ? `${one.what}, a tenth of the members offline` : one.what);
      const { timing, heldMs } = await timed(one, delay);
      timings.push({ ...timing, isOffline });
      longestHeldMs = Math.max(longestHeldMs, heldMs);
    }
  };
  await askAll(false);
  lose(table, placed);
  bare.lose(OFFLINE);
  await askAll(true);
  const memory = { memoryMb, bareMemoryMb, residentMb, memoryBar: MEMORY_BAR_MB };
  return { placed, timings, ...memory, fillSeconds, longestHeldMs };
}

/** A tenth of the members goes offline. */
function lose(table: Table, placed: number): void {
  const clusters = clustersOf(OFFLINE);
  // A row that does not change costs next to nothing.
  commitAll(table, fleetOf(placed, OFFLINE));
  table.commit({ clusters });
}

function filled(placed: number): Table {
  const table = new Table({ now: () => Date.now() });
  table.commit({ clusters: clustersOf(new Set()) });
  commitAll(table, fleetOf(placed));
  return table;
}

function commitAll(table: Table, all: Iterable<ObjectFacts>): void {
  let objects = [];
  for (const facts of all) {
    objects.push(facts);
    if (objects.length < 256) continue;
    table.commit({ objects });
    objects = [];
  }
  table.commit({ objects });
}

interface Case {
  what: string;
  rounds: number;
  bar?: number;
  ask: (round: number) => Promise<unknown>;
  askBare: (round: number) => unknown;
}

function cases(engine: Engine, bare: BareRows): Case[] {
  const query = (rest: Partial<Query>): Query => ({ resource: "placedobjects", filter: {}, limit: 100, ...rest });
  const list = async (rest: Partial<Query>): Promise<string> => JSON.stringify(await engine.list(query(rest), ADMIN));
  const page = (holds: (row: PlacedObjectRow) => boolean, after = 0): string =>
    JSON.stringify(bare.page(holds, after, 100));
  const filters: [string, (round: number) => Filter, (round: number) => (row: PlacedObjectRow) => boolean][] = [
    ["page of 100, all rows", () => ({}), () => () => true],
    [
      "page of 100, one namespace",
      (round) => ({ namespace: [namespaceName(round)] }),
      (round) => (row) => row.namespace === namespaceName(round),
    ],
    [
      "page of 100, trouble on one cluster",
      (round) => ({ cluster: [clusterName(round)], state: ["Degraded", "Failed"] }),
      (round) => (row) => row.cluster === clusterName(round) && (row.state === "Degraded" || row.state === "Failed"),
    ],
    ["page of 100, all rows available", () => ({ state: ["Available"] }), () => (row) => row.state === "Available"],
  ];
  const pages = filters.map(([what, filterOf, holds]): Case => ({
    what,
    rounds: ROUNDS,
    bar: 50,
    ask: (round) => list({ filter: filterOf(round) }),
    askBare: (round) => page(holds(round)),
  }));
  return [...pages, nextPages(engine, bare), ...walks(list, bare), streamed(engine, bare), grouped(list, bare)];
}

/** Pages after the first one, each with the token of the page before. */
function nextPages(engine: Engine, bare: BareRows): Case {
  let token: string | undefined;
  return {
    what: "next page of 100, all rows",
    rounds: ROUNDS,
    bar: 50,
    async ask() {
      const query: Query = { resource: "placedobjects", filter: {}, limit: 100 };
      const answer = await engine.list(token === undefined ? query : { ...query, continue: token }, ADMIN);
      token = answer.continue;
      return JSON.stringify(answer);
    },
    askBare: (round) => JSON.stringify(bare.page(() => true, round * 100, 100)),
  };
}

/** Questions that no index answers. */
function walks(list: (rest: Partial<Query>) => Promise<string>, bare: BareRows): Case[] {
  return [
    {
      what: "page of 100, label selector",
      rounds: SLOW_ROUNDS,
      bar: 50,
      ask: () => list({ filter: { labelSelector: [{ key: "tier", operator: "In", values: ["gold"] }] } }),
      askBare: () => JSON.stringify(bare.page(({ labels }) => labels["tier"] === "gold", 0, 100)),
    },
    {
      what: "page of 100, the newest first",
      rounds: SLOW_ROUNDS,
      bar: 50,
      ask: () => list({ sort: { field: "since", descending: true } }),
      askBare: () =>
        JSON.stringify(
          bare.sortedPage((a, b) => ((a.since ?? "") < (b.since ?? "") ? 1 : a.since === b.since ? 0 : -1), 100),
        ),
    },
  ];
}

/** Every row as an event of its own. */
function streamed(engine: Engine, bare: BareRows): Case {
  // One of the two goes offline.
  const clusters = [0, 7].map(clusterName);
  return {
    what: "10,000 rows streamed",
    rounds: SLOW_ROUNDS,
    bar: 300,
    async ask() {
      let text = "";
      const watch = engine.watch({ resource: "placedobjects", filter: { cluster: clusters }, limit: 100 }, ADMIN);
      for await (const event of watch) {
        text = `data: ${JSON.stringify(event)}\n\n`;
        if (event.type === "BOOKMARK") break;
      }
      return text;
    },
    askBare() {
      let text = "";
      for (const object of bare.rows)
        if (clusters.includes(object.cluster)) text = `data: ${JSON.stringify({ type: "ADDED", object })}\n\n`;
      return text;
    },
  };
}

function grouped(list: (rest: Partial<Query>) => Promise<string>, bare: BareRows): Case {
  return {
    what: "groupBy=reason",
    rounds: SLOW_ROUNDS,
    bar: 200,
    ask: () => list({ groupBy: "reason" }),
    askBare: () => JSON.stringify(bare.groups(({ reason = "" }) => reason)),
  };
}

/** One object changes, and every reader gets an event. */
async function watched(engine: Engine, table: Table): Promise<Case> {
  const [facts] = fleetOf(1);
  if (facts === undefined) throw new Error("the fleet is empty");
  const events = await Promise.all(
    Array.from({ length: WATCHERS }, async () => {
      const filter = { namespace: [facts.identity.namespace ?? ""] };
      const reader = engine.watch({ resource: "placedobjects", filter, limit: 100 }, ADMIN)[Symbol.asyncIterator]();
      while ((await reader.next()).value?.type !== "BOOKMARK");
      return reader;
    }),
  );
  const changed = (count: number): typeof facts => ({
    ...facts,
    placed: facts.placed.map((row, at) => (at === 0 ? { ...row, ready: count } : row)),
  });
  let ready = 100;
  return {
    what: `a change, at ${WATCHERS} readers`,
    rounds: ROUNDS,
    bar: 250,
    async ask() {
      ready += 1;
      table.commit({ objects: [changed(ready)] });
      await Promise.all(events.map(async (reader) => JSON.stringify((await reader.next()).value)));
    },
    askBare() {
      const { placed: rows, ...object } = changed(ready);
      for (const _ of events) JSON.stringify({ type: "MODIFIED", object: { ...object.identity, ...rows[0] } });
    },
  };
}

async function timed(
  { what, rounds, bar, ask, askBare }: Case,
  delay: ReturnType<typeof monitorEventLoopDelay>,
): Promise<{ timing: Omit<Timing, "isOffline">; heldMs: number }> {
  const [ours, bare]: [number[], number[]] = [[], []];
  await ask(0);
  askBare(0);
  // A walk over the array takes long, and its time varies little.
  const everyBare = Math.ceil(rounds / MOST_BARE_ROUNDS);
  let heldMs = 0;
  for (let round = 0; round < rounds; round++) {
    delay.reset();
    delay.enable();
    const start = performance.now();
    await ask(round);
    ours.push(performance.now() - start);
    await systemClock.nextTurn();
    delay.disable();
    heldMs = Math.max(heldMs, delay.max / 1e6);
    if (round % everyBare !== 0) continue;
    const bareStart = performance.now();
    askBare(round);
    bare.push(performance.now() - bareStart);
  }
  const timing = {
    what,
    p50: quantile(ours, 0.5),
    p99: quantile(ours, 0.99),
    bareP50: quantile(bare, 0.5),
    bareP99: quantile(bare, 0.99),
    bar,
  };
  return { timing, heldMs };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Returns the memory in use in MB after a collection: the heap, and the buffers outside of it. */
function garbageCollector(): () => number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  return () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 2 ** 20;
  };
}

/** What a seed decides: how long messages take, and what disturbs a play. */
export interface Chance {
  /** Numbers in [0, 1); undefined: everything in the order in which it was asked for. */
  readonly random: (() => number) | undefined;
  /** Milliseconds of a message in one direction. */
  latency(toHub: boolean): number;
  /** What happens after a person or a fault did something. */
  disturbances(members: readonly string[]): Disturbance[];
}

export interface Disturbance {
  afterMs: number;
  /** Open watches of the cluster break; `relist`: the server has forgotten its history, too. */
  what: "restart" | { cluster: string; relist: boolean };
}

/** Everything in order: the play of the golden log. */
export const ORDERLY: Chance = {
  random: undefined,
  latency: (toHub) => (toHub ? 5 : 20),
  disturbances: () => [],
};

/** Messages that overtake one another, broken watches, relists, and, unless the play forbids them, new managers. */
export function chanceOf(seed: number, restarts: boolean): Chance {
  const random = numbersOf(seed);
  const upTo = (limit: number): number => Math.floor(random() * limit);
  return {
    random,
    latency: (toHub) => 1 + upTo(toHub ? 40 : 150),
    disturbances(members) {
      const all: Disturbance[] = [];
      for (const cluster of ["hub", ...members])
        if (random() < 0.3) all.push({ afterMs: upTo(4_000), what: { cluster, relist: random() < 0.3 } });
      if (restarts && random() < 0.3) all.push({ afterMs: upTo(4_000), what: "restart" });
      return all;
    },
  };
}

/** Numbers in [0, 1) that a seed decides (mulberry32). */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

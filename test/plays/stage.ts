import { afterAll, describe, expect, test } from "vitest";
import { chanceOf, ORDERLY } from "./chance.ts";
import { Play } from "./play.ts";
import { Theatre } from "./theatre.ts";

/** A scenario: what happens to a federation, and the golden log of it. */
export interface Scene {
  /** Name of the log, of small letters and hyphens. */
  name: string;
  /** A sentence for the reader of the log. */
  about: string;
  /** Joined before the log begins. Default: a, b and c. */
  members?: readonly string[];
  /** Members run the controllers of the sandbox: for scenes about namespaces, quotas and nodes. */
  controllers?: true;
  /** The play installs kinds: its clusters are of no use to the next play. */
  installsKinds?: true;
  /** Maximum number of members on which a rollout changes a copy at the same time. */
  atOnce?: number;
  /** False: a new manager in the middle may lead to another end. */
  restarts?: false;
  /** False: other orders of events may lead to another end, for a reason that `about` gives. */
  seeds?: false;
  act: (play: Play) => Promise<void>;
}

/**
 * Number of seeds that each scene is played with besides the golden order. Default: one seed for every twentieth scene,
 * which is as much as a run of all tests has time for.
 */
const SEEDS = process.env["MERIDIAN_PLAY_SEEDS"];
const FIRST_SEED = Number(process.env["MERIDIAN_PLAY_SEED"] ?? 1);
const EVERY = 20;
const DEFAULT_MEMBERS = ["a", "b", "c"];

/** Plays each scene in order, compares its log, and plays it in other orders, which must come to the same end. */
export function plays(subject: string, scenes: readonly Scene[]): void {
  afterAll(() => Theatre.only[Symbol.asyncDispose]());
  describe(subject, () => {
    test.each(scenes.map((scene, index) => ({ ...scene, index })))("$name", async (scene) => {
      const golden = await perform(scene);
      const { name, about } = scene;
      const log = `${about}\n\n${golden.log}\n\nAT THE END\n${golden.end}\n`;
      await expect(log).toMatchFileSnapshot(`logs/${name}.log`);
      const seeds = Number(SEEDS ?? scene.index % EVERY === 0);
      for (let seed = FIRST_SEED; scene.seeds !== false && seed < FIRST_SEED + seeds; seed++) {
        const other = await perform(scene, seed);
        expect(other.end, `seed ${seed}\n${other.log}`).toBe(golden.end);
      }
    });
  });
}

async function perform(scene: Scene, seed?: number): Promise<{ log: string; end: string }> {
  const { members = DEFAULT_MEMBERS, act, atOnce, controllers = false, restarts = true } = scene;
  const chance = seed === undefined ? ORDERLY : chanceOf(seed, restarts);
  const play = await Play.open(Theatre.only, { members, controllers }, chance);
  try {
    play.invariants.atOnce = atOnce;
    await act(play);
    await play.rest();
    const [log, end] = [play.log.text, play.endState()];
    expect(play.invariants.broken, `seed ${seed}\n${log}`).toEqual([]);
    return { log, end };
  } finally {
    await play.close();
    if (scene.installsKinds === true) await Theatre.only[Symbol.asyncDispose]();
  }
}

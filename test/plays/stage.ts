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
  /** Maximum number of members on which a rollout changes a copy at the same time. */
  atOnce?: number;
  /** False: a new manager in the middle may lead to another end. */
  restarts?: false;
  /** False: other orders of events may lead to another end, for a reason that `about` gives. */
  seeds?: false;
  act: (play: Play) => Promise<void>;
}

/** Seeds that each scene is played with besides the golden order: `MERIDIAN_PLAY_SEEDS=20` for more. */
const SEEDS = Number(process.env["MERIDIAN_PLAY_SEEDS"] ?? 1);
const FIRST_SEED = Number(process.env["MERIDIAN_PLAY_SEED"] ?? 1);
const DEFAULT_MEMBERS = ["a", "b", "c"];
/** How long nothing may be written at the end. */
const REST_MS = 60_000;

/** Plays each scene in order, compares its log, and plays it in other orders, which must come to the same end. */
export function plays(subject: string, scenes: readonly Scene[]): void {
  afterAll(() => Theatre.only[Symbol.asyncDispose]());
  describe(subject, () => {
    test.each(scenes)("$name", async (scene) => {
      const golden = await perform(scene);
      const { name, about } = scene;
      const log = `${about}\n\n${golden.log}\n\nAT THE END\n${golden.end}\n`;
      await expect(log).toMatchFileSnapshot(`logs/${name}.log`);
      for (let seed = FIRST_SEED; scene.seeds !== false && seed < FIRST_SEED + SEEDS; seed++) {
        const other = await perform(scene, seed);
        expect(other.end, `seed ${seed}\n${other.log}`).toBe(golden.end);
      }
    });
  });
}

async function perform(scene: Scene, seed?: number): Promise<{ log: string; end: string }> {
  const { members = DEFAULT_MEMBERS, act, atOnce, restarts = true } = scene;
  const cpu0 = process.cpuUsage();
  const chance = seed === undefined ? ORDERLY : chanceOf(seed, restarts);
  const play = await Play.open(Theatre.only, members, chance);
  try {
    play.invariants.atOnce = atOnce;
    await act(play);
    await play.settle();
    const [log, end, at] = [play.log.text, play.endState(), play.now];
    await play.pass(REST_MS);
    const restless = play.lastWrite.at > at ? [`a write after the end: ${play.lastWrite.words}`] : [];
    expect([...play.invariants.broken, ...restless], `seed ${seed}\n${play.log.text}`).toEqual([]);
    const u = process.cpuUsage(cpu0);
    if (process.env["PLAY_CPU"]) console.log("CPU", scene.name, seed, Math.round((u.user + u.system) / 1000));
    return { log, end };
  } finally {
    await play.close();
  }
}

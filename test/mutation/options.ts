import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { ROOMS, type Room } from "./rooms.ts";
import type { Sample } from "./sample.ts";

/** What of a room is changed. */
export interface Selection {
  room: Room;
  /** Globs of sources. */
  mutate: readonly string[];
}

export interface MutationOptions {
  selections: readonly Selection[];
  /** Also what an earlier run has the answer for. */
  all: boolean;
  /** What no test of its room notices is then tried with the tests of the rooms together: hours instead of minutes. */
  integration: boolean;
  /** How many changes are tried at once, each in a process of its own. */
  concurrency: number;
  /** Least share of changes that have to be noticed in each room, in percent. */
  threshold: number;
  /** Without it all changes are tried. */
  sample: Sample | undefined;
}

const USAGE = `usage: npm run mutate -- [src/ROOM | src/ROOM/FILE.ts]... [--all] [--integration] [--concurrency N] [--threshold 90] [--sample PERCENT [--seed N]]
rooms: ${ROOMS.map(({ name }) => name).join(", ")}`;

/** Throws, with the usage, for what it does not know. */
export function mutationOptions(args: string[]): MutationOptions {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: {
        all: { type: "boolean", default: false },
        integration: { type: "boolean", default: false },
        concurrency: { type: "string", default: String(Math.max(1, availableParallelism() - 1)) },
        threshold: { type: "string", default: "90" },
        sample: { type: "string" },
        seed: { type: "string", default: "1" },
      },
    });
    return {
      selections: selectionsOf(positionals),
      all: values.all,
      integration: values.integration,
      concurrency: wholeNumber("--concurrency", values.concurrency),
      threshold: wholeNumber("--threshold", values.threshold),
      sample:
        values.sample === undefined
          ? undefined
          : { share: wholeNumber("--sample", values.sample), seed: wholeNumber("--seed", values.seed) },
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

/** Each room at most once, in the order of the rooms; without a path all of them whole. */
function selectionsOf(paths: readonly string[]): Selection[] {
  const wanted = new Map<Room, string[]>();
  for (const path of paths.length === 0 ? ROOMS.map(({ name }) => name) : paths) {
    const [name, ...rest] = path
      .replace(/^(\.\/)?src\//, "")
      .replace(/\/$/, "")
      .split("/");
    const room = ROOMS.find((one) => one.name === name);
    if (room === undefined) throw new Error(`${path} is in none of the rooms`);
    const inside = rest.length === 0 || !path.endsWith(".ts") ? [...rest, "**/*.ts"] : rest;
    wanted.set(room, [...(wanted.get(room) ?? []), ["src", name, ...inside].join("/")]);
  }
  return ROOMS.flatMap((room) => (wanted.has(room) ? [{ room, mutate: wanted.get(room) ?? [] }] : []));
}

function wholeNumber(flag: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new Error(`${flag} takes a whole number of at least 1, not "${text}"`);
  return value;
}

import { parseArgs } from "node:util";
import { count } from "../options.ts";

export interface ScaleOptions {
  members: number;
  apps: number;
  /** Pods of each application in each member. */
  replicas: number;
  /** Where the figures go, as JSON. */
  json: string | undefined;
  /** A missed bar is an exit code of 1. */
  strict: boolean;
  /** Milliseconds that every step may take. */
  timeoutMs: number;
}

const USAGE =
  "usage: npm run bench:sandbox -- [--members 200] [--apps 100] [--replicas 1] [--json FILE] [--strict] [--timeout SECONDS]";

/** Throws, with the usage, for what it does not know. */
export function scaleOptions(args: string[]): ScaleOptions {
  try {
    const { values } = parseArgs({
      args,
      options: {
        members: { type: "string", default: "200" },
        apps: { type: "string", default: "100" },
        replicas: { type: "string", default: "1" },
        json: { type: "string" },
        strict: { type: "boolean", default: false },
        timeout: { type: "string", default: "600" },
      },
    });
    return {
      members: count("--members", values.members),
      apps: count("--apps", values.apps),
      replicas: count("--replicas", values.replicas),
      json: values.json,
      strict: values.strict,
      timeoutMs: count("--timeout", values.timeout) * 1_000,
    };
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`, { cause: error });
  }
}

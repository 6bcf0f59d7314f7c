import { type KubeObject, parseApiVersion } from "../../apis/index.ts";
import type { ReplicaPaths } from "../types.ts";
import { fieldsOf } from "../values.ts";

/**
 * A Job has two numbers of pods. `replicaScheduling.path` of a policy says which is divided; without it, neither is.
 */

const REPORTED: Readonly<Record<string, string>> = { completions: "succeeded", parallelism: "active" };

export function isJob({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): boolean {
  return kind === "Job" && parseApiVersion(apiVersion).group === "batch";
}

/** Only `completions` and `parallelism` have a status path. */
export function jobPaths(spec: readonly string[]): ReplicaPaths {
  const [top, field = "", ...rest] = spec;
  const status = top === "spec" && rest.length === 0 && Object.hasOwn(REPORTED, field) ? REPORTED[field] : undefined;
  return { spec, ...(status === undefined ? {} : { status: ["status", status] }) };
}

/**
 * Why completions cannot be divided: pods of an Indexed Job get the indexes from 0 on, so each cluster would run the
 * first indexes, and none the last.
 */
export function undividable(
  object: KubeObject,
  path: readonly string[],
): { reason: string; message: string } | undefined {
  if (!isJob(object) || path.join(".") !== "spec.completions") return undefined;
  if (fieldsOf(object["spec"])["completionMode"] !== "Indexed") return undefined;
  return {
    reason: "IndexedJob",
    message: "completions of an Indexed Job cannot be divided: each cluster would run index 0 on; use mode: Duplicated",
  };
}

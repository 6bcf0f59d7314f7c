import { type Pod } from "../shared/index.ts";

/**
 * Fate of a container. The image decides unless a test sets another fate:
 *
 * | image name contains | fate |
 * | --- | --- |
 * | `does-not-exist`, `not-found`, `fail` | the image cannot be pulled: ErrImagePull, then ImagePullBackOff |
 * | `crash` | the container starts and exits with 1: CrashLoopBackOff, or a failed pod with restartPolicy Never |
 * | `never-ready`, `unready` | the container runs and never becomes ready |
 * | anything else | the container runs and becomes ready; in a pod without restarts it completes |
 */
export type Fate = "runs" | "pullFails" | "crashes" | "neverReady";

const FATES: readonly (readonly [RegExp, Fate])[] = [
  [/does-not-exist|not-found|fail/, "pullFails"],
  [/crash/, "crashes"],
  [/never-ready|unready/, "neverReady"],
];

export function fateOfImage(image: string): Fate {
  return FATES.find(([pattern]) => pattern.test(image))?.[1] ?? "runs";
}

/** Pods without restarts after success finish by themselves. */
export function isShortLived({ spec }: Pod): boolean {
  return spec.restartPolicy === "Never" || spec.restartPolicy === "OnFailure";
}

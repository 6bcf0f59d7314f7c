import { type Pod } from "../shared/index.ts";

/**
 * What becomes of a container, which its image decides unless a test says otherwise:
 *
 * | the image contains | what happens |
 * | --- | --- |
 * | `does-not-exist`, `not-found`, `fail` | it cannot be pulled: ErrImagePull, then ImagePullBackOff |
 * | `crash` | it starts and exits with 1: CrashLoopBackOff, or a failed pod when it must not be restarted |
 * | `never-ready`, `unready` | it runs and never becomes ready |
 * | anything else | it runs and becomes ready; in a pod that is not restarted it completes |
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

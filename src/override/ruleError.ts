import type { OverrideProblem } from "./types.ts";

/** Caught only by the code that applies a policy's rules. */
export class RuleError extends Error {
  override readonly name = "RuleError";
  readonly reason: OverrideProblem["reason"];
  /** Words at the beginning of the message that tell the place, such as `patch 2 on Deployment: `. */
  readonly place: string;

  constructor(reason: OverrideProblem["reason"], message: string, options: ErrorOptions & { place?: string } = {}) {
    super(`${options.place ?? ""}${message}`, options);
    this.reason = reason;
    this.place = options.place ?? "";
  }
}

import type { OverrideProblem } from "./types.ts";

/** A rule cannot be applied. Caught where a policy's rules are applied, and nowhere else. */
export class RuleError extends Error {
  override readonly name = "RuleError";
  readonly reason: OverrideProblem["reason"];

  constructor(reason: OverrideProblem["reason"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}

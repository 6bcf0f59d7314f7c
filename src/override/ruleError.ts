import type { OverrideProblem } from "./types.ts";

/** A rule cannot be applied. Caught where a policy's rules are applied, and nowhere else. */
export class RuleError extends Error {
  override readonly name = "RuleError";
  readonly reason: OverrideProblem["reason"];
  /** What is wrong in as few words as say it. */
  readonly point: string;

  constructor(reason: OverrideProblem["reason"], message: string, options: ErrorOptions & { point?: string } = {}) {
    super(message, options);
    this.reason = reason;
    this.point = options.point ?? message;
  }
}

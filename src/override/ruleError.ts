import type { OverrideProblem } from "./types.ts";

/** A rule that cannot be applied. Only the code that applies a policy's rules catches this error. */
export class RuleError extends Error {
  override readonly name = "RuleError";
  readonly reason: OverrideProblem["reason"];
  /** Shortest form of the message. */
  readonly point: string;

  constructor(reason: OverrideProblem["reason"], message: string, options: ErrorOptions & { point?: string } = {}) {
    super(message, options);
    this.reason = reason;
    this.point = options.point ?? message;
  }
}

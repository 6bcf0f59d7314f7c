import type { Metrics } from "../../observability/index.ts";
import type { Clock } from "../../runtime/index.ts";
import { decide, type MemberObjects, withoutEffect } from "../model/index.ts";
import type { Backoffs, Pace } from "../pacing/index.ts";
import { type Attempt, attemptOf, isApply, isStillAskedFor } from "./attempt.ts";
import type { AttemptTelemetry } from "./attemptTelemetry.ts";
import type { DriftCorrections } from "./driftCorrections.ts";
import type { LaneMember } from "./laneMember.ts";
import type { RequestPacing } from "./requestPacing.ts";
import type { Answer } from "./requests.ts";

export interface AttemptAnswersOptions {
  objects: MemberObjects;
  clock: Clock;
  metrics: Pick<Metrics, "observePhase">;
  pacing: RequestPacing;
  telemetry: AttemptTelemetry;
  corrections: DriftCorrections;
  backoffs: Pick<Backoffs, "forget">;
  retry: (key: string, attempt: string, pace: Pace) => void;
}

/** Takes the answer to an attempt into the model of the member, and ends or repeats the attempt. */
export class AttemptAnswers {
  readonly #options: AttemptAnswersOptions;

  constructor(options: AttemptAnswersOptions) {
    this.#options = options;
  }

  /** `ms`: time until the answer. */
  take(attempt: Attempt, answer: Exclude<Answer, { kind: "Inspected" }>, member: LaneMember, ms: number): void {
    const { objects, clock, metrics } = this.#options;
    const { object } = attempt;
    switch (answer.kind) {
      case "Written": {
        const answeredAt = clock.monotonic();
        member.observe(answer.written);
        metrics.observePhase("verify", clock.monotonic() - answeredAt);
        return this.#written(attempt, answer.written.altered, member, ms);
      }
      case "Found":
        objects.found(object, answer.found);
        // No watch reports the end of the object that is being deleted.
        return answer.found?.deleting === true ? this.#repeat(attempt, "soon") : this.#succeeded(attempt, ms);
      case "Read":
        if (answer.read !== undefined) objects.read(object, answer.read);
        return this.#succeeded(attempt, ms);
      case "Removed":
        objects.removed(object, answer.uid);
        return this.#succeeded(attempt, ms);
      case "Changed":
        return this.#repeat(attempt, "slowly");
      case "Labelled":
        this.#options.telemetry.succeeded(attempt);
        // Until the watch brings the labels, they are not written again at once.
        return this.#repeat(attempt, "slowly");
    }
  }

  #written(attempt: Attempt, altered: readonly string[], member: LaneMember, ms: number): void {
    const { objects, metrics, pacing, corrections } = this.#options;
    const { object, action, isHeal } = attempt;
    pacing.answered(object.ref, ms);
    metrics.observePhase("apply", ms);
    if (altered.length > 0 && isStillAskedFor(object, action)) return this.#hadNoEffect(attempt, altered, member);
    this.#end(attempt);
    if (isApply(action)) objects.carryOut(object, action.row.hash);
    if (action.kind === "Update") objects.putBack(object, action.row, action.drift);
    if (isHeal) corrections.corrected(attempt);
  }

  #succeeded(attempt: Attempt, ms: number): void {
    const { pacing, corrections } = this.#options;
    pacing.answered(attempt.object.ref, ms);
    this.#end(attempt);
    if (attempt.isHeal) corrections.corrected(attempt);
  }

  #end(attempt: Attempt): void {
    const { objects, telemetry, backoffs } = this.#options;
    telemetry.succeeded(attempt);
    backoffs.forget(attempt.object.key);
    objects.fail(attempt.object, undefined);
  }

  /** Retries slowly, since admission will change the values again. */
  #hadNoEffect(attempt: Attempt, altered: readonly string[], member: LaneMember): void {
    const { objects, telemetry, retry } = this.#options;
    const { object, before } = attempt;
    const failure = withoutEffect(altered);
    attempt.span.setAttribute("sync.result", "failed");
    if (before !== failure.reason) telemetry.hadNoEffect(attempt, failure);
    objects.fail(object, failure);
    retry(object.key, attemptOf(object, decide(object, member.mayRemove(object.ref))), "slowly");
  }

  #repeat({ object, action }: Attempt, pace: Pace): void {
    const { pacing, retry } = this.#options;
    pacing.answered(object.ref);
    retry(object.key, attemptOf(object, action), pace);
  }
}

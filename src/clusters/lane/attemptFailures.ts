import type { Failure } from "../../desiredstate/index.ts";
import type { Metrics } from "../../observability/index.ts";
import { isNamespace, type MemberObjects } from "../model/index.ts";
import type { Pace } from "../pacing/index.ts";
import { type Attempt, attemptOf, isApply } from "./attempt.ts";
import type { AttemptTelemetry } from "./attemptTelemetry.ts";
import type { LaneMember } from "./laneMember.ts";
import { classify, failureOf, isAnswer, isWriteForbidden, withGrant } from "../write/index.ts";
import type { RequestPacing } from "./requestPacing.ts";

export interface AttemptFailuresOptions {
  cluster: string;
  objects: MemberObjects;
  metrics: Pick<Metrics, "observePhase">;
  pacing: RequestPacing;
  telemetry: AttemptTelemetry;
  retry: (key: string, attempt: string, pace: Pace) => void;
  /** Called to probe now, when the connection seems broken. */
  suspect: () => void;
}

const INTERNAL_ERROR: Failure = {
  reason: "InternalError",
  message: "internal error; see the manager's log",
  final: true,
};

/** Turns the error of an attempt into a failure of its member object, and schedules the next attempt. */
export class AttemptFailures {
  readonly #options: AttemptFailuresOptions;

  constructor(options: AttemptFailuresOptions) {
    this.#options = options;
  }

  /** `ms`: duration of the attempt. */
  failed(attempt: Attempt, error: unknown, member: LaneMember, ms: number): void {
    const { object, action } = attempt;
    const { ref } = object;
    const { cluster, objects, metrics, pacing, telemetry } = this.#options;
    if (member.signal.aborted) {
      telemetry.failed(attempt, error, undefined);
      pacing.unsent(ref);
      return;
    }
    const outcome = withGrant(classify(error, ref.kind === "Secret"), error, member.isJoined ? cluster : undefined);
    telemetry.failed(attempt, error, outcome);
    telemetry.count(outcome);
    if (outcome?.kind === "Refused" && isApply(action)) metrics.observePhase("apply", ms);
    if (outcome === undefined) {
      pacing.unsent(ref);
      telemetry.broke(attempt, error);
      this.#refuse(attempt, INTERNAL_ERROR);
      return;
    }
    if (isWriteForbidden(error)) objects.untouched(object, attempt.mightBeThere);
    telemetry.retried(attempt, error, outcome);
    if (isAnswer(outcome)) telemetry.answered();
    pacing.failed(ref, outcome);
    if (outcome.kind === "Unreached" || outcome.kind === "Silent") this.#options.suspect();
    if (outcome.kind === "Refused" && outcome.staleDiscovery) member.doubtKind(ref);
    const failure = failureOf(outcome, ref);
    if (failure === undefined) this.#options.retry(object.key, attempt.name, "soon");
    else this.#refuse(attempt, failure);
  }

  #refuse({ object, action, name }: Attempt, failure: Failure): void {
    const { objects, retry } = this.#options;
    const isOfNamespace = isNamespace(object.ref);
    // The unjoin of a cluster passes over an object that fails for good, and must not pass over a namespace.
    const final = failure.final && !isOfNamespace;
    // The row may have changed during the attempt. The failure does not apply to the new row, whose own attempt follows.
    if (action.kind !== "Label" && attemptOf(object, action) === name) objects.fail(object, { ...failure, final });
    retry(object.key, name, failure.final || isOfNamespace ? "slowly" : "soon");
  }
}

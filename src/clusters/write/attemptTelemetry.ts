import { fullMessage, refKey } from "../../apis/index.ts";
import {
  changeOf,
  follow,
  linkTo,
  logContext,
  type Logger,
  type Metrics,
  recordError,
  type Span,
  startSpan,
  type Tracer,
} from "../../observability/index.ts";
import type { Attempt } from "./attempt.ts";
import type { Failure } from "../../desiredstate/index.ts";
import { type MemberObject, type RecordNamespace } from "../model/index.ts";
import { TransportError } from "../../runtime/index.ts";
import { CONTROLLER, type Outcome } from "./outcome.ts";

/** Spans, log lines and the error metric for the writes to one member. */

export interface AttemptTelemetryOptions {
  cluster: string;
  /** Logger whose lines name the cluster. */
  logger: Logger;
  metrics: Pick<Metrics, "failed">;
  tracer: Tracer;
}

type SyncResult = "created" | "updated" | "healed" | "deleted" | "released" | "confirmed" | "refused" | "failed";

/**
 * Reports what the lane does. An attempt is one try to read, write or remove a member object. A heal is an attempt that
 * corrects drift. For a failed attempt, the lane calls `failed` for the span, `count` for the metric, and then
 * `retried` or `broke` for the log.
 */
export class AttemptTelemetry {
  readonly #options: AttemptTelemetryOptions;
  /** A write has failed to reach the member since the member's last answer. */
  #outOfReach = false;
  /** Keys of member objects whose last attempt failed. */
  readonly #unfinished = new Set<string>();

  constructor(options: AttemptTelemetryOptions) {
    this.#options = options;
  }

  /**
   * Starts the span of an attempt as a child of the plan that asked for it. The span only links to the plan if the plan
   * is old or the attempt corrects drift. `now`: monotonic milliseconds.
   */
  startSpan(
    { object: { ref, origin }, action, isHeal }: Pick<Attempt, "object" | "action" | "isHeal">,
    now: number,
  ): Span {
    const isSync = action.kind === "Create" || action.kind === "Update";
    return startSpan(this.#options.tracer, `${isSync ? "Sync" : action.kind}${ref.kind}`, {
      ...(isHeal ? linkTo(origin) : follow(origin, now)),
      attributes: {
        cluster: this.#options.cluster,
        "k8s.resource.kind": ref.kind,
        "k8s.resource.name": ref.name,
        "k8s.namespace.name": ref.namespace ?? "",
        "meridian.action": action.kind,
        ...(ref.kind === "Secret" ? { "secret.name": ref.name } : {}),
      },
    });
  }

  /** Adds a child span and a log line for a namespace that the attempt has to create. */
  ofNamespaces(attempt: Attempt): RecordNamespace {
    return async (name, make) => {
      const { tracer, cluster, logger } = this.#options;
      const attributes = { cluster, "k8s.resource.kind": "Namespace", "k8s.resource.name": name };
      const span = startSpan(tracer, "SyncNamespace", { parent: attempt.span, attributes });
      try {
        const isNew = await make();
        span.setAttribute("sync.result", isNew ? "created" : "confirmed");
        const member_object = refKey({ apiVersion: "v1", kind: "Namespace", name });
        if (isNew) logger.info({ ...fieldsOf(attempt), member_object }, "applied: created");
        return isNew;
      } catch (error) {
        recordError(span, error);
        throw error;
      } finally {
        span.end();
      }
    };
  }

  succeeded(attempt: Attempt): void {
    const { action, isHeal, span } = attempt;
    const result = resultOf(attempt);
    this.#unfinished.delete(attempt.object.key);
    span.setAttribute("sync.result", result);
    if (result === "confirmed") return;
    const { logger } = this.#options;
    if (!logger.isLevelEnabled("info")) return;
    const fields = fieldsOf(attempt);
    const lost = isHeal && action.kind === "Update" ? action.drift : [];
    const [first] = lost;
    if (result === "healed") {
      const by = first?.takenBy === undefined ? {} : { changed_by: first.takenBy };
      const what = action.kind === "Create" ? "the object was gone" : (first?.path ?? "Meridian's marks");
      logger.info({ ...fields, event_reason: "DriftHealed", ...by, fields: lost.length }, `healed: ${what}`);
    } else if (result === "deleted" || result === "released") logger.info(fields, result);
    else logger.info(fields, `applied: ${result}`);
  }

  /**
   * Records the error in the span. The server's message is left out for a Secret, since the message may quote its
   * content.
   */
  failed({ object, span }: Attempt, error: unknown, outcome: Outcome | undefined): void {
    const result: SyncResult = outcome?.kind === "Refused" ? "refused" : "failed";
    span.setAttribute("sync.result", result);
    recordError(span, object.ref.kind === "Secret" ? withoutWords(error, outcome) : error);
  }

  /** Called when the member answers a write or the probe. */
  answered(): void {
    this.#outOfReach = false;
  }

  /**
   * Counts an error. Each refusal counts. An unreachable member counts once until it answers again, and not for each of
   * its objects.
   */
  count(outcome: Outcome | undefined): void {
    const unreached = isUnreached(outcome);
    if (outcome === undefined || outcome.kind === "Refused" || (unreached && !this.#outOfReach))
      this.#options.metrics.failed(CONTROLLER);
    if (unreached) this.#outOfReach = true;
  }

  /**
   * Called when an attempt has failed and will be repeated. Logs each new reason once, since the next attempt may fail
   * for the same reason.
   */
  retried(attempt: Attempt, error: unknown, outcome: Outcome): void {
    const reason = "reason" in outcome ? outcome.reason : outcome.kind;
    const isNews = attempt.object.failure?.reason !== reason;
    this.#unfinished.add(attempt.object.key);
    if (isNews && outcome.kind === "Refused")
      return this.#warn(attempt, error, reason, `refused by the member: ${fullMessage(outcome.message)}`);
    if (isNews && isUnreached(outcome))
      return this.#warn(attempt, error, transportReason(error) ?? reason, `failed: ${outcome.message}`);
    const { logger } = this.#options;
    if (!logger.isLevelEnabled("debug")) return;
    logger.debug({ ...fieldsOf(attempt), action: attempt.action.kind, event_reason: reason }, "tried in vain");
  }

  /**
   * Called when an object needs no more action. If its last attempt failed, the write had arrived although no answer
   * came.
   */
  settled(object: MemberObject): void {
    if (!this.#unfinished.delete(object.key) || object.row === undefined) return;
    this.#options.logger.info(fieldsOf({ object }), "applied: found there");
  }

  /** Logs an object that is not sent, since the account may not read its kind. */
  denied(object: MemberObject, { reason, message }: Failure): void {
    this.#options.logger.warn({ ...fieldsOf({ object }), event_reason: reason }, `not sent: ${fullMessage(message)}`);
  }

  hadNoEffect(attempt: Attempt, { reason, message }: Failure): void {
    this.#options.logger.warn(
      { ...fieldsOf(attempt), event_reason: reason },
      `applied without effect: ${fullMessage(message)}`,
    );
  }

  /** Logs an internal error that the member did not cause. */
  broke(attempt: Attempt, error: unknown): void {
    this.#options.logger.error(
      { ...fieldsOf(attempt), err: error, event_reason: "InternalError" },
      "a member object could not be written",
    );
  }

  #warn(attempt: Attempt, error: unknown, reason: string, message: string): void {
    const cause = attempt.object.ref.kind === "Secret" ? {} : { err: error };
    this.#options.logger.warn({ ...fieldsOf(attempt), ...cause, event_reason: reason }, message);
  }
}

type Unreached = Extract<Outcome, { kind: "Unreached" | "Silent" }>;

function isUnreached(outcome: Outcome | undefined): outcome is Unreached {
  return outcome?.kind === "Unreached" || outcome?.kind === "Silent";
}

/** Reason of a transport error, which is more specific than `ClusterUnreachable`. */
function transportReason(error: unknown): string | undefined {
  return error instanceof TransportError ? error.reason : undefined;
}

/** Result of an attempt that has succeeded. `confirmed`: nothing was written. */
function resultOf({ action, isHeal }: Attempt): SyncResult {
  switch (action.kind) {
    case "Create":
      return isHeal ? "healed" : "created";
    case "Update":
      return isHeal ? "healed" : "updated";
    case "Delete":
      return "deleted";
    case "Release":
      return "released";
    case "Confirm":
    case "Read":
    case "Nothing":
    case "Held":
      return "confirmed";
  }
}

function fieldsOf({
  object,
  asked = object,
  span,
}: Pick<Attempt, "object"> & Partial<Pick<Attempt, "asked" | "span">>): Record<string, string> {
  const { row, origin } = asked;
  return {
    ...logContext(span?.spanContext() ?? origin?.spanContext, {
      reconcileId: origin?.reconcileId,
      change: changeOf(origin),
      resourceUid: row?.owner.uid,
      object: row === undefined ? undefined : refKey(row.owner),
    }),
    member_object: object.key,
  };
}

/** The same kind of error with a message that quotes no content. */
function withoutWords(error: unknown, outcome: Outcome | undefined): Error {
  const anonymous = new Error(
    outcome === undefined ? "internal error" : "message" in outcome ? fullMessage(outcome.message) : outcome.kind,
  );
  if (error instanceof Error) anonymous.name = error.name;
  return anonymous;
}

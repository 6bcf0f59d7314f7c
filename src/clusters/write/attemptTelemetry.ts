import { refKey } from "../../apis/index.ts";
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
import { type MemberObject, type TellOfNamespace } from "../model/index.ts";
import { TransportError } from "../../runtime/index.ts";
import { CONTROLLER, type Outcome } from "./outcome.ts";

/** What spans, log lines and the count of errors say of the writes to one member. */

export interface AttemptTelemetryOptions {
  cluster: string;
  /** Its lines name the cluster. */
  logger: Logger;
  metrics: Pick<Metrics, "failed">;
  tracer: Tracer;
}

type SyncResult = "created" | "updated" | "healed" | "deleted" | "released" | "confirmed" | "refused" | "failed";

export class AttemptTelemetry {
  readonly #options: AttemptTelemetryOptions;
  /** A write has not reached the member since it answered last. */
  #outOfReach = false;
  /** Keys of member objects that were last tried in vain. */
  readonly #unfinished = new Set<string>();

  constructor(options: AttemptTelemetryOptions) {
    this.#options = options;
  }

  /** Beneath the plan that asked, or beside it where that is long ago, or where somebody else is the cause. `now`: monotonic milliseconds. */
  startSpan({ object: { ref, origin }, action, isHeal }: Omit<Attempt, "span">, now: number): Span {
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

  /** For the namespace that the attempt finds missing: a span beneath its own, and a line. */
  ofNamespaces(attempt: Attempt): TellOfNamespace {
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
    span?.setAttribute("sync.result", result);
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

  /** The error counts for the span. Of a Secret the server's own words may quote what is in it. */
  failed({ object, span }: Attempt, error: unknown, outcome: Outcome | undefined): void {
    if (span === undefined) return;
    const result: SyncResult = outcome?.kind === "Refused" ? "refused" : "failed";
    span.setAttribute("sync.result", result);
    recordError(span, object.ref.kind === "Secret" ? withoutWords(error, outcome) : error);
  }

  /** The member answers, to writes or to the probe. */
  answered(): void {
    this.#outOfReach = false;
  }

  /**
   * A refusal counts each time. A member that is out of reach would count for each of its objects: it does once, until it answers again.
   */
  count(outcome: Outcome | undefined): void {
    const unreached = isUnreached(outcome);
    if (outcome === undefined || outcome.kind === "Refused" || (unreached && !this.#outOfReach))
      this.#options.metrics.failed(CONTROLLER);
    if (unreached) this.#outOfReach = true;
  }

  /** The attempt has ended, and another one will be made. A line once for each new reason: the next attempt may well say the same. */
  retried(attempt: Attempt, error: unknown, outcome: Outcome): void {
    const reason = "reason" in outcome ? outcome.reason : outcome.kind;
    const isNews = attempt.object.failure?.reason !== reason;
    this.#unfinished.add(attempt.object.key);
    if (isNews && outcome.kind === "Refused")
      return this.#warn(attempt, error, reason, `refused by the member: ${outcome.message}`);
    if (isNews && isUnreached(outcome))
      return this.#warn(attempt, error, transportReason(error) ?? reason, `failed: ${outcome.message}`);
    const { logger } = this.#options;
    if (!logger.isLevelEnabled("debug")) return;
    logger.debug({ ...fieldsOf(attempt), action: attempt.action.kind, event_reason: reason }, "tried in vain");
  }

  /** Nothing is to be done any more. What was tried in vain and is as it should be arrived without an answer. */
  settled(object: MemberObject): void {
    if (!this.#unfinished.delete(object.key) || object.row === undefined) return;
    this.#options.logger.info(fieldsOf({ object }), "applied: found there");
  }

  /** What no attempt is made for, since the member refuses its kind. */
  denied(object: MemberObject, { reason, message }: Failure): void {
    this.#options.logger.warn({ ...fieldsOf({ object }), event_reason: reason }, `not sent: ${message}`);
  }

  hadNoEffect(attempt: Attempt, { reason, message }: Failure): void {
    this.#options.logger.warn({ ...fieldsOf(attempt), event_reason: reason }, `applied without effect: ${message}`);
  }

  /** An error that is none of the member's. */
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

/** What became of the connection, which says more than that the cluster is out of reach. */
function transportReason(error: unknown): string | undefined {
  return error instanceof TransportError ? error.reason : undefined;
}

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
}: Pick<Attempt, "object" | "asked" | "span">): Record<string, string> {
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

/** The same kind of error, with the words that are fit for everybody. */
function withoutWords(error: unknown, outcome: Outcome | undefined): Error {
  const told = new Error(
    outcome === undefined ? "internal error" : "message" in outcome ? outcome.message : outcome.kind,
  );
  if (error instanceof Error) told.name = error.name;
  return told;
}

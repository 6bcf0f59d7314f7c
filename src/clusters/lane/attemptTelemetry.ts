import { fullMessage, type ObjectRef, refKey } from "../../apis/index.ts";
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
import { type Action, type MemberObject, type RecordNamespace } from "../model/index.ts";
import { TransportError } from "../../runtime/index.ts";
import { CONTROLLER, type Outcome, type WriteAudit } from "../write/index.ts";

interface AttemptTelemetryOptions {
  cluster: string;
  logger: Logger;
  metrics: Pick<Metrics, "failed">;
  tracer: Tracer;
  audit?: Pick<WriteAudit, "begin"> | undefined;
}

type SyncResult = "created" | "updated" | "healed" | "deleted" | "released" | "confirmed" | "refused" | "failed";

/** Result of each action that succeeds. `confirmed`: nothing was written. */
const RESULTS: Readonly<Record<Action["kind"], SyncResult>> = {
  ...{ Create: "created", Update: "updated", Delete: "deleted", Release: "released" },
  ...{ Confirm: "confirmed", Read: "confirmed", Nothing: "confirmed", Held: "confirmed" },
  ...{ Inspect: "confirmed", Label: "updated" },
};

/**
 * Spans, log lines and the error metric for the writes to one member. For a failed attempt, the lane calls `failed` for
 * the span, `count` for the metric, and then `retried` or `broke` for the log.
 */
export class AttemptTelemetry {
  /** UID of the cluster that answered at the start of the session. */
  clusterUid: string | undefined;
  readonly #options: AttemptTelemetryOptions;
  /** A write has failed to reach the member since the member's last answer. */
  #outOfReach = false;
  /** Keys of member objects whose last attempt failed. */
  readonly #unfinished = new Set<string>();

  /** `logger`: its lines name the cluster. */
  constructor(options: AttemptTelemetryOptions) {
    this.#options = options;
  }

  /**
   * Starts a span below the plan that asked for the attempt; it only links to an old plan, or if it corrects drift.
   * `now`: epoch milliseconds.
   */
  startSpan(
    { object: { ref, origin }, action, isHeal }: Pick<Attempt, "object" | "action" | "isHeal">,
    now: number,
  ): Span {
    return startSpan(this.#options.tracer, `${isSync(action) ? "Sync" : action.kind}${ref.kind}`, {
      ...(isHeal ? linkTo(origin) : follow(origin, now)),
      attributes: {
        cluster: this.#options.cluster,
        ...this.#place,
        "k8s.resource.kind": ref.kind,
        "k8s.resource.name": ref.name,
        "k8s.namespace.name": ref.namespace ?? "",
        "meridian.action": action.kind,
        ...(ref.kind === "Secret" ? { "secret.name": ref.name } : {}),
      },
    });
  }

  /** Until disposed of, the requests of the attempt are recorded with its cause. */
  begin(attempt: Attempt): Disposable | undefined {
    return this.#begin(attempt.object.ref, attempt, attempt.span);
  }

  #begin(ref: ObjectRef, { asked, action }: Attempt, span: Span): Disposable | undefined {
    const { row, origin } = asked;
    const owner = row && { ...row.owner, resourceVersion: row.verb === "Apply" ? row.hubVersion : undefined };
    const cause = { action: action.kind, owner, span: span.spanContext(), reconcileId: origin?.reconcileId };
    return this.#options.audit?.begin(ref, cause);
  }

  /** Names of OpenTelemetry's semantic conventions 1.44, beside `cluster`, which dashboards use. */
  get #place(): Record<string, string> {
    const { cluster } = this.#options;
    const uid = this.clusterUid;
    return { "k8s.cluster.name": cluster, ...(uid === undefined ? {} : { "k8s.cluster.uid": uid }) };
  }

  /** Adds a child span and a log line for a namespace that the attempt has to create. */
  ofNamespaces(attempt: Attempt): RecordNamespace {
    return async (name, make) => {
      const { tracer, cluster, logger } = this.#options;
      const attributes = { cluster, ...this.#place, "k8s.resource.kind": "Namespace", "k8s.resource.name": name };
      const span = startSpan(tracer, "SyncNamespace", { parent: attempt.span, attributes });
      const namespace = { apiVersion: "v1", kind: "Namespace", name };
      using _audited = this.#begin(namespace, attempt, span);
      try {
        const isNew = await make();
        span.setAttribute("sync.result", isNew ? "created" : "confirmed");
        if (isNew) logger.info({ ...this.#fieldsOf(attempt), member_object: refKey(namespace) }, "applied: created");
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
    const result = isHeal && isSync(action) ? "healed" : RESULTS[action.kind];
    this.#unfinished.delete(attempt.object.key);
    span.setAttribute("sync.result", result);
    if (result === "confirmed") return;
    const { logger } = this.#options;
    if (!logger.isLevelEnabled("info")) return;
    const fields = this.#fieldsOf(attempt);
    const lost = isHeal && action.kind === "Update" ? action.drift : [];
    const [first] = lost;
    if (result === "healed") {
      const by = first?.takenBy === undefined ? {} : { changed_by: first.takenBy };
      const what = action.kind === "Create" ? "the object was gone" : (first?.path ?? "Meridian's marks");
      logger.info({ ...fields, event_reason: "DriftHealed", ...by, fields: lost.length }, `healed: ${what}`);
    } else if (result === "deleted" || result === "released") logger.info(fields, result);
    else logger.info(fields, `applied: ${result}`);
  }

  /** Records the error in the span, for a Secret without the server's message, which may quote its content. */
  failed({ object, span }: Attempt, error: unknown, outcome: Outcome | undefined): void {
    const result: SyncResult = outcome?.kind === "Refused" ? "refused" : "failed";
    span.setAttribute("sync.result", result);
    recordError(span, object.ref.kind === "Secret" ? withoutWords(error, outcome) : error);
  }

  /** Called when the member answers a write or the probe. */
  answered(): void {
    this.#outOfReach = false;
  }

  /** Counts each refusal, but an unreachable member once until it answers again. */
  count(outcome: Outcome | undefined): void {
    const unreached = isUnreached(outcome);
    if (outcome === undefined || outcome.kind === "Refused" || (unreached && !this.#outOfReach))
      this.#options.metrics.failed(CONTROLLER);
    if (unreached) this.#outOfReach = true;
  }

  /** Logs a failed attempt that will be repeated, at each new reason. */
  retried(attempt: Attempt, error: unknown, outcome: Outcome): void {
    const reason = "reason" in outcome ? outcome.reason : outcome.kind;
    const isNews = attempt.object.failure?.reason !== reason;
    this.#unfinished.add(attempt.object.key);
    if (attempt.action.kind === "Label" && (outcome.kind === "Refused" || isUnreached(outcome)))
      return this.#warn(
        attempt,
        error,
        "NamespaceNotLabelled",
        `the namespace did not get its Pod Security labels: ${fullMessage(outcome.message)}`,
      );
    if (isNews && outcome.kind === "Refused")
      return this.#warn(attempt, error, reason, `refused by the member: ${fullMessage(outcome.message)}`);
    if (isNews && isUnreached(outcome))
      return this.#warn(
        attempt,
        error,
        error instanceof TransportError ? error.reason : reason,
        `failed: ${outcome.message}`,
      );
    const { logger } = this.#options;
    if (!logger.isLevelEnabled("debug")) return;
    logger.debug({ ...this.#fieldsOf(attempt), action: attempt.action.kind, event_reason: reason }, "tried in vain");
  }

  /** Called when an object needs no more action. After a failed attempt, the write had arrived without an answer. */
  settled(object: MemberObject): void {
    if (!this.#unfinished.delete(object.key) || object.row === undefined) return;
    this.#options.logger.info(this.#fieldsOf({ object }), "applied: found there");
  }

  /** Logs an object that is not sent, since the account may not read its kind. */
  denied(object: MemberObject, { reason, message }: Failure): void {
    this.#options.logger.warn(
      { ...this.#fieldsOf({ object }), event_reason: reason },
      `not sent: ${fullMessage(message)}`,
    );
  }

  hadNoEffect(attempt: Attempt, { reason, message }: Failure): void {
    this.#options.logger.warn(
      { ...this.#fieldsOf(attempt), event_reason: reason },
      `applied without effect: ${fullMessage(message)}`,
    );
  }

  /** Logs an internal error that the member did not cause. */
  broke(attempt: Attempt, error: unknown): void {
    this.#options.logger.error(
      { ...this.#fieldsOf(attempt), err: error, event_reason: "InternalError" },
      "a member object could not be written",
    );
  }

  #fieldsOf(attempt: Parameters<typeof fieldsOf>[0]): Record<string, string> {
    return { ...fieldsOf(attempt), ...this.#place };
  }

  #warn(attempt: Attempt, error: unknown, reason: string, message: string): void {
    const cause = attempt.object.ref.kind === "Secret" ? {} : { err: error };
    this.#options.logger.warn({ ...this.#fieldsOf(attempt), ...cause, event_reason: reason }, message);
  }
}

const isSync = ({ kind }: Action): boolean => kind === "Create" || kind === "Update";

function isUnreached(outcome: Outcome | undefined): outcome is Extract<Outcome, { kind: "Unreached" | "Silent" }> {
  return outcome?.kind === "Unreached" || outcome?.kind === "Silent";
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

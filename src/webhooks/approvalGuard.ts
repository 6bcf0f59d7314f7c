import { type ApproversProven, KINDS, type KindDefinition, type KubeObject, parseApiVersion } from "../apis/index.ts";
import type { Clock, Informer } from "../runtime/index.ts";
import { asksAboutApprovals, type WebhookTarget } from "./configurations.ts";

export interface ApprovalGuardOptions {
  /** Informer of this release's validating configuration. */
  informer: Pick<Informer<KubeObject>, "list" | "onEvent" | "synced">;
  target: WebhookTarget;
  clock: Clock;
}

/** API servers learn of a changed configuration by a watch of their own, which takes a moment. */
const TAKEN_UP_MS = 2_000;
/** After this time a configuration that cannot be read counts as missing. */
const UNREAD_MS = 30_000;

/**
 * Knows since when the API server has asked the webhook about every approval of a rollout. Earlier approvals are not
 * verified: nobody served the webhooks, somebody changed their configuration, or an earlier release ran.
 */
export class ApprovalGuard {
  readonly #options: ApprovalGuardOptions;
  readonly #began: number;
  /** Kinds that the configuration left out at the last look, and when each was last seen left out. */
  readonly #open = new Set<KindDefinition>();
  readonly #openUntil = new Map<KindDefinition, number>();

  constructor(options: ApprovalGuardOptions) {
    this.#options = options;
    this.#began = options.clock.monotonic();
    options.informer.onEvent(() => this.#look());
  }

  provenSince({ apiVersion, kind: name }: Pick<KubeObject, "apiVersion" | "kind">): ApproversProven {
    const { informer, clock } = this.#options;
    if (!informer.synced) return clock.monotonic() - this.#began < UNREAD_MS ? "Unread" : "Never";
    this.#look();
    const { group } = parseApiVersion(apiVersion);
    const kind = KINDS.find((one) => one.group === group && one.kind === name);
    const [live] = informer.list();
    if (kind === undefined || live === undefined || this.#open.has(kind)) return "Never";
    const created = Date.parse(live.metadata.creationTimestamp ?? "");
    if (Number.isNaN(created)) return "Never";
    return Math.max(created, this.#openUntil.get(kind) ?? 0) + TAKEN_UP_MS;
  }

  #look(): void {
    const { informer, target, clock } = this.#options;
    const [live] = informer.list();
    for (const kind of KINDS) {
      const isOpen = !asksAboutApprovals(live, target, kind);
      if (isOpen || this.#open.has(kind)) this.#openUntil.set(kind, clock.now());
      if (isOpen) this.#open.add(kind);
      else this.#open.delete(kind);
    }
  }
}

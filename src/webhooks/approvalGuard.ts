import { type ApproversProven, KINDS, type KindDefinition, type KubeObject, parseApiVersion } from "../apis/index.ts";
import type { Clock, Informer } from "../runtime/index.ts";
import { asksAboutApprovals, type WebhookTarget } from "./configurations.ts";

export interface ApprovalGuardOptions {
  /** Of the validating configuration of this release. */
  informer: Pick<Informer<KubeObject>, "list" | "onEvent" | "synced">;
  target: WebhookTarget;
  clock: Clock;
}

/** API servers hear of what they are to ask by a watch of their own. */
const TAKEN_UP_MS = 2_000;
/** A configuration that cannot be read for so long proves nothing. */
const UNREAD_MS = 30_000;

/**
 * Knows from which time on the API server has asked about every approval of a rollout. What was approved before that may be anybody's word: while no
 * webhooks were served, while somebody had changed their configuration, or under an earlier release. Watches what is watched anyway.
 */
export class ApprovalGuard {
  readonly #options: ApprovalGuardOptions;
  readonly #began: number;
  /** Kinds that the configuration left out when it was seen last. */
  readonly #open = new Set<KindDefinition>();
  /** When a kind was seen to be left out last. */
  readonly #openUntil = new Map<KindDefinition, number>();

  constructor(options: ApprovalGuardOptions) {
    this.#options = options;
    this.#began = options.clock.monotonic();
    options.informer.onEvent(() => this.#look());
  }

  /** Since when nobody approves in another's name on objects of that kind. */
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

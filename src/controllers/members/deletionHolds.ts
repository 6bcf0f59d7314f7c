import {
  ACCEPT_DELETIONS_ANNOTATION,
  type Condition,
  counted,
  DELETIONS_HELD_CONDITION,
  type MemberCluster,
  sameValue,
  shortMessage,
  timestamp,
} from "../../apis/index.ts";
import type { HubCache } from "../../hub/index.ts";
import type { EventSink, Recoveries } from "../../observability/index.ts";
import {
  type Client,
  type Clock,
  done,
  from,
  type Reconciler,
  requeueAfter,
  type Result,
  type Source,
} from "../../runtime/index.ts";
import { type ControllerClasses, type HeldThere, type MissingOwners } from "../facts/index.ts";
import { type Observations } from "../tables/index.ts";
import { regardingMember, writeConditions } from "./memberCondition.ts";

export interface DeletionHoldReconcilerOptions {
  hub: HubCache;
  client: Client;
  observations: Observations;
  classes: ControllerClasses;
  missing: MissingOwners;
  events: EventSink;
  recoveries: Recoveries;
  clock: Pick<Clock, "now">;
}

const HOLDS_MANAGER = "meridian-holds";
/** Delay of the count, since a restored hub loses its objects one by one. */
const TOGETHER_MS = 500;
const AGAIN_MS = 60_000;
const NAMES_IN_EVENT = 20;

/** Writes a condition to each MemberCluster with held copies of missing objects, and how to agree to the removal. */
export class DeletionHoldReconciler implements Reconciler {
  readonly #options: DeletionHoldReconcilerOptions;

  constructor(options: DeletionHoldReconcilerOptions) {
    this.#options = options;
  }

  sources(): Source[] {
    const { hub, observations, missing } = this.#options;
    return [
      from(missing.changes).map(() => hub.clusters.keys()),
      from(missing.counts)
        .map(() => hub.clusters.keys())
        .after(TOGETHER_MS),
      from(hub.clusters).when(({ object }) => heldCondition(object) !== undefined),
      from(observations.contacts).when((name) => heldCondition(hub.clusters.get(name)) !== undefined),
    ];
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { hub, client, classes, missing } = this.#options;
    const member = hub.clusters.get(name);
    if (member === undefined || !classes.ownsCluster(name)) return done;
    const there = missing.on(name);
    const before = heldCondition(member);
    const condition = there === undefined ? undefined : conditionFor(there);
    // The end of a hold on the cluster is certain only if all our objects on the cluster are known.
    if (condition === undefined && (before === undefined || !missing.isKnown(name))) return this.#end();
    if (sameValue(before, condition)) return this.#end();
    const conditions = condition === undefined ? [] : [condition];
    if (!(await writeConditions({ client, clusters: hub.clusters }, name, HOLDS_MANAGER, conditions, signal)))
      return this.#end();
    if (there !== undefined && before?.reason !== condition?.reason) this.#record(member, there);
    if (there === undefined && before !== undefined) this.#ended(member, before);
    return this.#end();
  }

  #end(): Result {
    const { missing } = this.#options;
    missing.review();
    return missing.isHolding ? requeueAfter(AGAIN_MS) : done;
  }

  #ended(member: MemberCluster, { reason, message, lastTransitionTime: since }: Condition): void {
    const until = timestamp(this.#options.clock.now());
    this.#options.recoveries.ended([
      { object: regardingMember(member), reason, message, since, until, ending: "Over" },
    ]);
  }

  #record(member: MemberCluster, { hold, owners, accepted }: HeldThere): void {
    const names = owners.slice(0, NAMES_IN_EVENT).map(nameOf).join(", ");
    const regarding = regardingMember(member);
    if (accepted) {
      const note = `a person agrees that copies of ${counted(owners.length, "object")} that the hub lacks go: ${names}`;
      this.#options.events.record({ regarding, type: "Normal", reason: "DeletionsAccepted", action: "Remove", note });
      return;
    }
    const note = `copies of ${counted(owners.length, "object")} that the hub lacks stay until a person agrees: ${names}`;
    this.#options.events.record({ regarding, type: "Warning", reason: hold.reason, action: "Hold", note });
  }
}

function heldCondition(member: MemberCluster | undefined): Condition | undefined {
  return member?.status?.conditions?.find(({ type }) => type === DELETIONS_HELD_CONDITION);
}

function conditionFor({ hold, owners, accepted }: HeldThere): Condition {
  const base = { type: DELETIONS_HELD_CONDITION, status: "True" as const, lastTransitionTime: hold.since };
  const count = counted(owners.length, "object");
  if (accepted)
    return { ...base, reason: "DeletionsAccepted", message: `a person agrees: copies of ${count} not on the hub go` };
  const end = `; if meant, annotate ${ACCEPT_DELETIONS_ANNOTATION}: ${hold.since}`;
  return {
    ...base,
    reason: hold.reason,
    message: shortMessage(`hub lacks ${count}${examples(owners, 120 - end.length - count.length - 10)}${end}`),
  };
}

/** As many names in brackets as fit into `room` characters. */
function examples(owners: readonly string[], room: number): string {
  let text = "";
  for (const owner of owners) {
    const longer = text === "" ? nameOf(owner) : `${text}, ${nameOf(owner)}`;
    if (longer.length + 3 > room) break;
    text = longer;
  }
  return text === "" ? "" : ` (${text})`;
}

/** `namespace/name` of a hub object by its key. */
function nameOf(owner: string): string {
  const [, , namespace = "", name = ""] = owner.split("/");
  return namespace === "" ? name : `${namespace}/${name}`;
}

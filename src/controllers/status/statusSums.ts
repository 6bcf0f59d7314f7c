import { defined, FIELD_MANAGER, hashOf, type KubeObject, refKey, refOf, shortMessage } from "../../apis/index.ts";
import type { Target, Why } from "../../desiredstate/index.ts";
import type { PlacedKind } from "../../hub/index.ts";
import { isSummedUp, type MemberStatus, statusOwner, statusSum } from "../../interpreter/index.ts";
import { type ApiError, apiVersionOf, type Client, type Clock, isApiError } from "../../runtime/index.ts";
import type { ClusterView } from "../../status/index.ts";
import type { Tracked } from "../states/index.ts";

export interface StatusSumsOptions {
  client: Pick<Client, "applyStatus">;
  clock: Pick<Clock, "now">;
}

/** Result of writing a sum: the sum is in the object's status, or `refusal` says why it is not. */
export interface SumOutcome {
  refusal: Why | undefined;
  /** The hub could not take the sum now. Thrown by the caller after all other writes, for a retry. */
  error?: Error;
}

/**
 * Writes the sum of the members' statuses into the status of a propagated object, if its placement asks for this. One
 * apply, which takes no field from other writers, and none if the same sum is there or was refused.
 */
export class StatusSums {
  readonly #options: StatusSumsOptions;

  constructor(options: StatusSumsOptions) {
    this.#options = options;
  }

  /** Undefined if the placement asks for no sum, or if there is no sum yet. */
  async write(
    tracked: Pick<Tracked, "refusedSum">,
    { object, kind }: { object: KubeObject; kind: Pick<PlacedKind, "type" | "informer"> },
    target: Target | undefined,
    clusters: readonly ClusterView[],
    signal: AbortSignal,
  ): Promise<SumOutcome | undefined> {
    if (target?.aggregatesStatus !== true) {
      delete tracked.refusedSum;
      return undefined;
    }
    const members = membersOf(object, target, clusters);
    const sum = statusSum(object, members, this.#options.clock.now());
    if (sum === undefined) return undefined;
    if (isSummedUp(object, sum, FIELD_MANAGER)) return WRITTEN;
    const theirs = statusOwner(object, sum, FIELD_MANAGER);
    if (theirs !== undefined) return { refusal: ownedBy(theirs) };
    // The hash leaves out the times of conditions, since a sum that was not written gets new times with each attempt.
    const hash = hashOf(statusSum(object, members, 0));
    const before = tracked.refusedSum;
    if (before?.hash === hash) return { refusal: before.why };
    try {
      const { namespace, name } = object.metadata;
      const metadata = { ...defined({ namespace }), name };
      const body = { apiVersion: apiVersionOf(kind.type), kind: kind.type.kind, metadata, status: sum };
      const options = { force: false, fieldManager: FIELD_MANAGER, signal };
      kind.informer.observe(await this.#options.client.applyStatus(kind.type, body, options));
      delete tracked.refusedSum;
      return WRITTEN;
    } catch (error) {
      const why = refusalOf(error);
      if (why === undefined)
        return { refusal: NOT_NOW, error: error instanceof Error ? error : new Error(String(error)) };
      tracked.refusedSum = { hash, why };
      return { refusal: why };
    }
  }
}

const WRITTEN: SumOutcome = { refusal: undefined };
const NOT_NOW: Why = { reason: "ServerError", message: "the hub could not take the sum; it is tried again" };

function membersOf(object: KubeObject, target: Target, clusters: readonly ClusterView[]): MemberStatus[] {
  const key = refKey(refOf(object));
  const views = new Map(clusters.map((view) => [view.name, view]));
  return target.clusters.map(({ name }) => {
    const view = views.get(name);
    const row = view?.rows.find(({ ref, role }) => role === "rendered" && refKey(ref) === key);
    const isCurrent = view?.contact.ok === true && row?.inSync === true && row.isStatusOld !== true;
    const ended = row?.ended;
    const status = row?.status ?? (ended === undefined ? undefined : endedStatus(ended));
    return { cluster: name, status, isCurrent: isCurrent || ended !== undefined };
  });
}

/** Status of a finished copy that is gone: only the condition of its end is known. */
function endedStatus({ end }: NonNullable<ClusterView["rows"][number]["ended"]>): MemberStatus["status"] {
  return { conditions: [{ type: end, status: "True" }] };
}

function ownedBy(manager: string): Why {
  const message = shortMessage(
    `${manager} writes the object's status on the hub, and keeps it; nothing is summed up there`,
  );
  return { reason: "StatusOwnedByOthers", message };
}

/** Why the hub refuses the sum; undefined if a retry of the same sum may succeed. */
function refusalOf(error: unknown): Why | undefined {
  if (!isApiError(error) || isPassing(error)) return undefined;
  const { status, apiMessage } = error;
  switch (status) {
    case 403:
      return { reason: "Forbidden", message: shortMessage(`the sum: ${apiMessage}`) };
    case 404:
      return { reason: "StatusNotServed", message: "the kind has no status subresource on the hub" };
    case 409:
      return { reason: "StatusOwnedByOthers", message: shortMessage(apiMessage) };
    default:
      return { reason: "StatusRefused", message: shortMessage(`the hub refuses the sum: ${apiMessage}`) };
  }
}

function isPassing(error: ApiError): boolean {
  return error.status >= 500 || error.status === 401 || error.status === 429;
}

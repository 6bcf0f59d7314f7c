import { type FederatedStatus, generationOf, type KubeObject, TRACEPARENT_ANNOTATION } from "../apis/index.ts";
import { type Following, parseTraceparent } from "../observability/index.ts";

/** An object that is older was changed at a time that nobody knows, unless this manager was there. */
const JUST_MADE_MS = 60_000;

/**
 * The traces that objects of the hub bring along in their annotation `traceparent`: of the request that changed the object, or of the pipeline
 * that sent the request. The first reconcile of that change has its place in the trace; later ones link to it, and so does the one of a manager
 * that finds the change when it starts, however long after it.
 */
export class ObjectTraces {
  /** The annotation that was followed last, by object. */
  readonly #followed = new Map<string, string>();

  /** `isPlanned`: this manager knew the object before the change. `status`: what was said of the object last. `now`: epoch milliseconds. */
  follow(
    owner: string,
    object: KubeObject | undefined,
    { isPlanned, status, now }: { isPlanned: boolean; status: FederatedStatus | undefined; now: number },
  ): Following | undefined {
    const text = object?.metadata.annotations?.[TRACEPARENT_ANNOTATION];
    const context = parseTraceparent(text);
    if (object === undefined || text === undefined || context === undefined) {
      this.#followed.delete(owner);
      return undefined;
    }
    const before = this.#followed.get(owner);
    this.#followed.set(owner, text);
    const isWitnessed = isPlanned || isJustMade(object, now);
    const isNew = before === undefined ? isWitnessed && isUnanswered(object, status) : before !== text;
    return isNew ? { parent: context } : { links: [context] };
  }
}

/** No status speaks of the object as it is now, so that the change is still to be carried out. */
export function isUnanswered({ metadata }: KubeObject, status: FederatedStatus | undefined): boolean {
  return status?.observedGeneration !== generationOf(metadata);
}

function isJustMade({ metadata }: KubeObject, now: number): boolean {
  return now - Date.parse(metadata.creationTimestamp ?? "") < JUST_MADE_MS;
}

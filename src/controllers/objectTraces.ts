import { type FederatedStatus, type KubeObject, TRACEPARENT_ANNOTATION } from "../apis/index.ts";
import { type Following, parseTraceparent } from "../observability/index.ts";

/**
 * The traces that objects of the hub bring along in their annotation `traceparent`: of the request that changed the object, or of the pipeline
 * that sent the request. The first reconcile of that change has its place in the trace; later ones link to it.
 */
export class ObjectTraces {
  /** The annotation that was followed last, by object. */
  readonly #followed = new Map<string, string>();

  follow(owner: string, object: KubeObject | undefined): Following | undefined {
    const text = object?.metadata.annotations?.[TRACEPARENT_ANNOTATION];
    const context = parseTraceparent(text);
    if (object === undefined || text === undefined || context === undefined) {
      this.#followed.delete(owner);
      return undefined;
    }
    const before = this.#followed.get(owner);
    this.#followed.set(owner, text);
    const isNew = before === undefined ? isUnanswered(object) : before !== text;
    return isNew ? { parent: context } : { links: [context] };
  }
}

/** No status speaks of the object as it is now, so that the change is still to be carried out. */
export function isUnanswered(object: KubeObject): boolean {
  const status = object["status"] as FederatedStatus | undefined;
  return status?.observedGeneration !== object.metadata.generation;
}

import { defined, kindKeyOf, MANAGED_BY_LABEL } from "../../apis/index.ts";
import type { Logger } from "../../observability/index.ts";
import { type Clock, Informer, objectKey } from "../../runtime/index.ts";
import { type MemberObjects, observe, type ObservedObject } from "../model/index.ts";
import type { MemberSession } from "../types.ts";
import { memberBounds } from "./memberBounds.ts";
import type { MemberWatch } from "./memberWatch.ts";

export interface MemberInformerOptions {
  session: MemberSession;
  objects: MemberObjects;
  hubId: string;
  clock: Clock;
  random: () => number;
  logger: Logger;
  /** Number of member objects that the hub's record names. */
  expected: () => number;
}

/** Informer of one watch. It feeds the member objects, and tells the watch when it breaks and when it works again. */
export function memberInformer(
  watch: MemberWatch,
  { session, objects, hubId, clock, random, logger, expected }: MemberInformerOptions,
): Informer<ObservedObject> {
  const { type, namespace } = watch;
  const informer = new Informer<ObservedObject>({
    client: session.client,
    type,
    ...defined({ namespace }),
    labelSelector: `${MANAGED_BY_LABEL}=${hubId}`,
    clock,
    random,
    logger,
    name: `${session.cluster}/${namespace === undefined ? "" : `${namespace}/`}${type.plural}`,
    transform: (object) => observe(object, { keepsContent: objects.contents.isKeptOf(type), scale: type.scale }),
    bounds: memberBounds(type, () => Math.max(objects.asked, expected())),
    known: knownBefore(watch, objects),
    onContact: (ok, error) => {
      watch.heard(ok ? undefined : error);
      if (!ok) session.suspect();
    },
  });
  informer.onEvent(({ type: change, object }) => {
    if (watch.isLost) return;
    objects.observe(object.ref, change === "Deleted" || !object.isOurs ? undefined : object);
  });
  informer.onReadAnew(() => watch.readAnew());
  return informer;
}

/** Objects of an earlier session. If the first list lacks most of them, a second list has to agree. */
function* knownBefore(
  { kind, namespace }: MemberWatch,
  objects: MemberObjects,
): Iterable<[string, { uid: string; object: ObservedObject }]> {
  for (const { ref, observed } of objects.all()) {
    if (namespace !== undefined && ref.namespace !== namespace) continue;
    if (observed?.visible !== true || kindKeyOf(ref) !== kind) continue;
    yield [objectKey(ref.namespace, ref.name), { uid: observed.uid, object: observed }];
  }
}

import { defined, kindKeyOf, type KubeObject, type ObjectRef, parseApiVersion } from "../../apis/index.ts";
import { podSelectorOf } from "../../interpreter/index.ts";
import { ifFound, KindNotServedError, listPages, PODS } from "../../runtime/index.ts";
import type { MemberSession } from "../types.ts";

/** A member object that may have pods. */
export interface PodOwner {
  ref: ObjectRef;
  uid: string;
}

export interface OwnedPods {
  pods: readonly KubeObject[];
  /** UIDs of the pods, of their owners, and of all objects in between. */
  uids: ReadonlySet<string>;
  /** False: there are more pods than were read. */
  isWhole: boolean;
}

/** Kinds of Kubernetes that own pods. A kind of another API group may own some. */
const WITH_POD_SELECTOR: ReadonlySet<string> = new Set([
  "apps/DaemonSet",
  "apps/Deployment",
  "apps/ReplicaSet",
  "apps/StatefulSet",
  "batch/Job",
]);
const WITHOUT_POD_SELECTOR: ReadonlySet<string> = new Set(["/ReplicationController", "batch/CronJob"]);
const POD = "/Pod";

const PAGE = 100;
const PAGES = 10;
const LONGEST_MS = 10_000;
/** Objects between pods and their workload that are looked up for one request. */
const MOST_LOOKUPS = 50;
/** CronJob, Job, Pod; operators put one more in between. */
const LONGEST_CHAIN = 4;

/**
 * The pods of these member objects, by the chain of controllers that each pod names: equal labels prove nothing. The
 * chain is read on the member, and compared by UID.
 */
export async function readOwnedPods(
  session: Pick<MemberSession, "client" | "discovery">,
  owners: readonly PodOwner[],
  signal: AbortSignal,
): Promise<OwnedPods> {
  const reading = new Reading(session, owners, signal);
  for (const owner of owners) if (mayOwnPods(owner.ref)) await reading.read(owner);
  return reading.result();
}

function mayOwnPods({ apiVersion, kind, namespace }: ObjectRef): boolean {
  if (namespace === undefined) return false;
  const key = kindKeyOf({ apiVersion, kind });
  const { group } = parseApiVersion(apiVersion);
  const isOfKubernetes = !group.includes(".") || group.endsWith(".k8s.io");
  return !isOfKubernetes || key === POD || WITH_POD_SELECTOR.has(key) || WITHOUT_POD_SELECTOR.has(key);
}

class Reading {
  readonly #session: Pick<MemberSession, "client" | "discovery">;
  readonly #signal: AbortSignal;
  readonly #pods = new Map<string, KubeObject>();
  /** True for an object that is an owner, or is controlled by one. By UID. */
  readonly #belongs = new Map<string, boolean>();
  #lookups = 0;
  #isWhole = true;

  constructor(session: Pick<MemberSession, "client" | "discovery">, owners: readonly PodOwner[], signal: AbortSignal) {
    this.#session = session;
    this.#signal = signal;
    for (const { uid } of owners) this.#belongs.set(uid, true);
  }

  result(): OwnedPods {
    const uids = [...this.#belongs].flatMap(([uid, belongs]) => (belongs ? [uid] : []));
    const byName = (a: KubeObject, b: KubeObject): number => (a.metadata.name < b.metadata.name ? -1 : 1);
    return {
      pods: [...this.#pods.values()].toSorted(byName),
      uids: new Set([...uids, ...this.#pods.keys()]),
      isWhole: this.#isWhole,
    };
  }

  async read({ ref, uid }: PodOwner): Promise<void> {
    const selection = await this.#selectionOf(ref, uid);
    if (selection === undefined) return;
    const { client } = this.#session;
    const pages = listPages(
      { client, type: PODS, ...selection, ...defined({ namespace: ref.namespace }) },
      { limit: PAGE, mostPages: PAGES, longestMs: LONGEST_MS, signal: this.#signal },
    );
    let next: string | undefined;
    for await (const page of pages) {
      for (const pod of page.items) await this.#take(pod);
      next = page.continue;
    }
    if ((next ?? "") !== "") this.#isWhole = false;
  }

  /** Undefined: the object is another one by now. */
  async #selectionOf(
    ref: ObjectRef,
    uid: string,
  ): Promise<{ labelSelector?: string; fieldSelector?: string } | undefined> {
    const key = kindKeyOf(ref);
    if (key === POD) return { fieldSelector: `metadata.name=${ref.name}` };
    if (!WITH_POD_SELECTOR.has(key)) return {};
    const { client, discovery } = this.#session;
    const type = await discovery.resolve({ ...parseApiVersion(ref.apiVersion), kind: ref.kind });
    const object = await ifFound(client.get(type, ref.namespace, ref.name, { signal: this.#signal }));
    if (object === undefined || object.metadata.uid !== uid) return undefined;
    return defined({ labelSelector: podSelectorOf(object) });
  }

  async #take(pod: KubeObject): Promise<void> {
    const { uid } = pod.metadata;
    if (uid === undefined || this.#pods.has(uid)) return;
    if (this.#belongs.get(uid) === true || (await this.#isControlled(pod, LONGEST_CHAIN))) this.#pods.set(uid, pod);
  }

  async #isControlled({ metadata }: KubeObject, left: number): Promise<boolean> {
    const controller = metadata.ownerReferences?.find((one) => one.controller === true);
    if (controller === undefined || left === 0) return false;
    const known = this.#belongs.get(controller.uid);
    if (known !== undefined) return known;
    if (this.#lookups >= MOST_LOOKUPS) {
      this.#isWhole = false;
      return false;
    }
    this.#lookups += 1;
    const object = await this.#lookUp(controller, metadata.namespace);
    const belongs = object !== undefined && (await this.#isControlled(object, left - 1));
    this.#belongs.set(controller.uid, belongs);
    return belongs;
  }

  /** By a list: accounts of members may list kinds that they may not get. */
  async #lookUp(
    { apiVersion, kind, name, uid }: { apiVersion: string; kind: string; name: string; uid: string },
    namespace: string | undefined,
  ): Promise<KubeObject | undefined> {
    const { client, discovery } = this.#session;
    try {
      const type = await discovery.resolve({ ...parseApiVersion(apiVersion), kind });
      // A pod's controller is in the namespace of the pod, or has none, as a node.
      if (!type.namespaced) return undefined;
      const { items } = await client.list(type, {
        ...{ fieldSelector: `metadata.name=${name}`, metadataOnly: true, limit: 1, signal: this.#signal },
        ...defined({ namespace }),
      });
      return items.find((object) => object.metadata.uid === uid);
    } catch (error) {
      if (error instanceof KindNotServedError) return undefined;
      throw error;
    }
  }
}

import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import {
  CLAIMS,
  type Context,
  type Controller,
  isFinished,
  isTerminating,
  type Pod,
  PODS,
  type Result,
  VOLUMES,
} from "../shared/index.ts";

const FINALIZERS: Readonly<Record<string, string>> = {
  [CLAIMS.plural]: "kubernetes.io/pvc-protection",
  [VOLUMES.plural]: "kubernetes.io/pv-protection",
};

/** Removes the protection finalizer from deleted volumes and claims that are no longer in use. */
export class VolumeProtection implements Controller {
  readonly name = "volume-protection-controller";
  readonly resources = [CLAIMS, VOLUMES, PODS];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent): void {
    const { namespace, name } = object.metadata;
    if (plural === PODS.plural) {
      const pod = object as Pod;
      if (type !== "DELETED" && !isFinished(pod)) return;
      for (const claim of claimsOf(pod)) this.#context.enqueue(this.name, namespace, `${CLAIMS.plural}|${claim}`);
    } else if (type !== "DELETED" && isHeld(object, plural)) {
      this.#context.enqueue(this.name, namespace, `${plural}|${name}`);
    }
  }

  async reconcile(namespace: string | undefined, key: string): Promise<Result> {
    const [plural = "", name = ""] = key.split("|");
    const { client } = this.#context;
    const resource = plural === CLAIMS.plural ? CLAIMS : VOLUMES;
    const object = client.get(resource, namespace, name);
    if (object === undefined || !isHeld(object, plural) || this.#isInUse(object, plural)) return undefined;
    const { finalizers = [], ...metadata } = object.metadata;
    const left = finalizers.filter((finalizer) => finalizer !== FINALIZERS[plural]);
    await client.update(resource, {
      ...object,
      metadata: left.length === 0 ? metadata : { ...metadata, finalizers: left },
    });
    return undefined;
  }

  #isInUse(object: KubeObject, plural: string): boolean {
    const { namespace = "", name } = object.metadata;
    if (plural === VOLUMES.plural) return (object["status"] as { phase?: string } | undefined)?.phase === "Bound";
    const pods = this.#context.client.list(PODS, { namespace }) as readonly Pod[];
    return pods.some((pod) => pod.spec.nodeName !== undefined && !isFinished(pod) && claimsOf(pod).includes(name));
  }
}

function claimsOf({ spec }: Pod): string[] {
  return (spec.volumes ?? []).flatMap(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? []);
}

/** True for a deleted object that its protection finalizer keeps. */
function isHeld(object: KubeObject, plural: string): boolean {
  return isTerminating(object) && object.metadata.finalizers?.includes(FINALIZERS[plural] ?? "") === true;
}

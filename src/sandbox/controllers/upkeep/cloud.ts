import type { KubeObject } from "../../../apis/index.ts";
import type { ResourceName, WatchEvent } from "../../types.ts";
import { CLAIMS, type Context, type Controller, isTerminating, type Result, SERVICES } from "../shared/index.ts";

interface Service extends KubeObject {
  spec: { type?: string; loadBalancerClass?: string };
  status?: { loadBalancer?: { ingress?: readonly unknown[] } };
}

interface Claim extends KubeObject {
  spec: {
    accessModes?: readonly string[];
    resources?: { requests?: Readonly<Record<string, string>> };
    volumeName?: string;
    volumeMode?: string;
  };
  status?: { phase?: string };
}

/**
 * Simulates a cloud. A Service of type LoadBalancer gets an address from the range reserved for documentation; a claim
 * gets a volume at once.
 */
export class Cloud implements Controller {
  readonly name = "cloud-controller";
  readonly resources = [SERVICES, CLAIMS];
  readonly #context: Context;

  constructor(context: Context) {
    this.#context = context;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent): void {
    if (type === "DELETED" || isTerminating(object)) return;
    const isWaiting = plural === SERVICES.plural ? lacksAddress(object as Service) : isUnbound(object as Claim);
    if (isWaiting) this.#context.enqueue(this.name, object.metadata.namespace, `${plural}|${object.metadata.name}`);
  }

  async reconcile(namespace: string | undefined, key: string): Promise<Result> {
    const [plural, name = ""] = key.split("|");
    const { client } = this.#context;
    if (plural === SERVICES.plural) {
      const service = client.get(SERVICES, namespace, name) as Service | undefined;
      if (service !== undefined && lacksAddress(service)) await this.#balance(service);
      return undefined;
    }
    const claim = client.get(CLAIMS, namespace, name) as Claim | undefined;
    if (claim !== undefined && isUnbound(claim)) await this.#bind(claim);
    return undefined;
  }

  async #balance(service: Service): Promise<void> {
    let seed = 0;
    for (const character of service.metadata.uid ?? "") seed = (seed * 31 + character.charCodeAt(0)) % 254;
    const ingress = [{ ip: `192.0.2.${seed + 1}`, ipMode: "VIP" }];
    const status = { ...service.status, loadBalancer: { ingress } };
    await this.#context.client.update(SERVICES, { ...service, status }, "status");
  }

  async #bind(claim: Claim): Promise<void> {
    const { client } = this.#context;
    const volumeName = claim.spec.volumeName ?? `pvc-${claim.metadata.uid}`;
    const named = claim.spec.volumeName === undefined;
    const bound = named ? await client.update(CLAIMS, { ...claim, spec: { ...claim.spec, volumeName } }) : claim;
    const capacity = { storage: claim.spec.resources?.requests?.["storage"] ?? "1Gi" };
    const status = { phase: "Bound", accessModes: claim.spec.accessModes ?? ["ReadWriteOnce"], capacity };
    await client.update(CLAIMS, { ...bound, status }, "status");
  }
}

function lacksAddress({ spec, status }: Service): boolean {
  return spec.type === "LoadBalancer" && spec.loadBalancerClass === undefined && !status?.loadBalancer?.ingress?.length;
}

function isUnbound({ status }: Claim): boolean {
  return (status?.phase ?? "Pending") === "Pending";
}

import type { KubeObject } from "../../../apis/index.ts";
import type { Resource, ResourceName, WatchEvent } from "../../types.ts";
import {
  CONFIG_MAPS,
  type Context,
  type Controller,
  isNamespaceTerminating,
  isNotFound,
  isTerminating,
  NAMESPACES,
  PODS,
  type Result,
  sameValue,
  SERVICE_ACCOUNTS,
  textOf,
} from "../shared/index.ts";
import { timestamp } from "../../timestamp.ts";

interface Namespace extends KubeObject {
  spec?: { finalizers?: readonly string[] };
  status?: { phase?: string; conditions?: readonly NamespaceCondition[] };
}

interface NamespaceCondition {
  type: string;
  status: string;
  lastTransitionTime: string;
  reason: string;
  message: string;
}

/** Deletes the contents of terminating namespaces, then finalizes the namespaces. */
export class NamespaceController implements Controller {
  readonly name = "namespace-controller";
  readonly resources: readonly ResourceName[] = [NAMESPACES];
  readonly #context: Context;
  readonly #emptying = new Set<string>();
  #namespaced: readonly Resource[] = [];

  constructor(context: Context) {
    this.#context = context;
  }

  serve(resources: readonly Resource[]): void {
    // Both groups of Events list the same objects.
    this.#namespaced = resources.filter(({ namespaced, group }) => namespaced && group !== "events.k8s.io");
  }

  observe({ group, plural }: ResourceName, { type, object }: WatchEvent): void {
    const { name } = object.metadata;
    if (group !== "" || plural !== NAMESPACES.plural) return;
    if (type === "DELETED") this.#emptying.delete(name);
    else if (isTerminating(object)) {
      this.#emptying.add(name);
      this.#context.enqueue(this.name, undefined, name);
    }
  }

  /** Called for each event in a namespace. In a terminating namespace the object may have been the last one. */
  observeContent({ metadata }: KubeObject): void {
    const { namespace } = metadata;
    if (namespace !== undefined && this.#emptying.has(namespace))
      this.#context.enqueue(this.name, undefined, namespace);
  }

  async reconcile(_: string | undefined, name: string): Promise<Result> {
    const { client } = this.#context;
    const namespace = client.get(NAMESPACES, undefined, name) as Namespace | undefined;
    if (namespace === undefined || !isTerminating(namespace)) return undefined;
    const finalizers = namespace.spec?.finalizers ?? [];
    if (!finalizers.includes("kubernetes")) return undefined;
    const errors = await this.#empty(name);
    const marked = await this.#report(namespace, errors);
    if (errors.length > 0) throw new AggregateError(errors, `namespace ${name} could not be emptied`);
    if (this.#remaining(name).length > 0) return undefined;
    const others = finalizers.filter((kept) => kept !== "kubernetes");
    await client.update(NAMESPACES, { ...marked, spec: { ...marked.spec, finalizers: others } }, "finalize");
    return undefined;
  }

  /** Pods go first, because they may need other objects until they end. */
  async #empty(namespace: string): Promise<Error[]> {
    const { client } = this.#context;
    const errors: Error[] = [];
    const order = [...this.#namespaced].sort((a, b) => Number(isPods(b)) - Number(isPods(a)));
    for (const resource of order) {
      const objects = client.list(resource, { namespace });
      for (const object of objects) {
        if (isTerminating(object)) continue;
        try {
          await client.delete(resource, namespace, object.metadata.name, { propagationPolicy: "Background" });
        } catch (error) {
          if (!isNotFound(error)) errors.push(error instanceof Error ? error : new Error(String(error)));
        }
      }
      if (isPods(resource) && client.list(resource, { namespace }).length > 0) break;
    }
    return errors;
  }

  #remaining(namespace: string): { resource: Resource; objects: readonly KubeObject[] }[] {
    const all = this.#namespaced.map((resource) => ({
      resource,
      objects: this.#context.client.list(resource, { namespace }),
    }));
    return all.filter(({ objects }) => objects.length > 0);
  }

  async #report(namespace: Namespace, errors: readonly Error[]): Promise<Namespace> {
    const { client, clock } = this.#context;
    const conditions = namespaceConditions(namespace, this.#remaining(namespace.metadata.name), errors, clock.now());
    const status = { ...namespace.status, phase: "Terminating", conditions };
    if (sameValue(status, namespace.status)) return namespace;
    return (await client.update(NAMESPACES, { ...namespace, status }, "status")) as Namespace;
  }
}

function isPods({ group, plural }: ResourceName): boolean {
  return group === PODS.group && plural === PODS.plural;
}

/** Conditions that say what blocks the deletion, in the words of Kubernetes' namespace controller. */
function namespaceConditions(
  namespace: Namespace,
  remaining: readonly { resource: Resource; objects: readonly KubeObject[] }[],
  errors: readonly Error[],
  now: number,
): NamespaceCondition[] {
  const finalizers = new Map<string, number>();
  for (const { metadata } of remaining.flatMap(({ objects }) => objects)) {
    for (const finalizer of metadata.finalizers ?? []) finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + 1);
  }
  const kinds = remaining.map(
    ({ resource, objects }) => `${resource.plural}.${resource.group} has ${objects.length} resource instances`,
  );
  const holders = [...finalizers].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const texts = errors.map(textOf).toSorted();
  const wanted: [type: string, bad: string | undefined, badReason: string, reason: string, message: string][] = [
    [
      "NamespaceDeletionDiscoveryFailure",
      undefined,
      "",
      "ResourcesDiscovered",
      "All resources successfully discovered",
    ],
    [
      "NamespaceDeletionGroupVersionParsingFailure",
      undefined,
      "",
      "ParsedGroupVersions",
      "All legacy kube types successfully parsed",
    ],
    [
      "NamespaceDeletionContentFailure",
      texts.length === 0
        ? undefined
        : `Failed to delete all resource types, ${texts.length} remaining: ${texts.join(", ")}`,
      "ContentDeletionFailed",
      "ContentDeleted",
      "All content successfully deleted, may be waiting on finalization",
    ],
    [
      "NamespaceContentRemaining",
      kinds.length === 0 ? undefined : `Some resources are remaining: ${kinds.toSorted().join(", ")}`,
      "SomeResourcesRemain",
      "ContentRemoved",
      "All content successfully removed",
    ],
    [
      "NamespaceFinalizersRemaining",
      holders.length === 0
        ? undefined
        : `Some content in the namespace has finalizers remaining: ${holders.toSorted().join(", ")}`,
      "SomeFinalizersRemain",
      "ContentHasNoFinalizers",
      "All content-preserving finalizers finished",
    ],
  ];
  return wanted.map(([type, bad, badReason, reason, message]) => {
    const status = bad === undefined ? "False" : "True";
    const known = namespace.status?.conditions?.find((condition) => condition.type === type);
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timestamp(now);
    return {
      type,
      status,
      lastTransitionTime,
      reason: bad === undefined ? reason : badReason,
      message: bad ?? message,
    };
  });
}

const ROOT_CA = "kube-root-ca.crt";
const DESCRIPTION = "kubernetes.io/description";
const DESCRIPTION_TEXT =
  "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
  "No other usage is guaranteed across distributions of Kubernetes clusters.";

/** Creates the default objects of every namespace: the ServiceAccount `default` and the ConfigMap `kube-root-ca.crt`. */
export class NamespaceContents implements Controller {
  readonly name = "serviceaccount-controller";
  readonly resources = [NAMESPACES, SERVICE_ACCOUNTS, CONFIG_MAPS];
  readonly #context: Context;
  readonly #caPem: string | undefined;

  constructor(context: Context, caPem: string | undefined) {
    this.#context = context;
    this.#caPem = caPem;
  }

  observe({ plural }: ResourceName, { type, object }: WatchEvent, old: KubeObject | undefined): void {
    const { namespace, name } = object.metadata;
    if (plural === NAMESPACES.plural) {
      if (type === "ADDED" && !isTerminating(object)) this.#context.enqueue(this.name, undefined, name);
    } else if (plural === SERVICE_ACCOUNTS.plural) {
      if (type === "DELETED" && name === "default") this.#context.enqueue(this.name, undefined, namespace ?? "");
    } else if (name === ROOT_CA && (type === "DELETED" || old !== undefined)) {
      this.#context.enqueue(this.name, undefined, namespace ?? "");
    }
  }

  async reconcile(_: string | undefined, namespace: string): Promise<Result> {
    const { client } = this.#context;
    const object = client.get(NAMESPACES, undefined, namespace);
    if (object === undefined || isTerminating(object)) return undefined;
    try {
      if (client.get(SERVICE_ACCOUNTS, namespace, "default") === undefined) {
        const metadata = { name: "default", namespace };
        await client.create(SERVICE_ACCOUNTS, { apiVersion: "v1", kind: "ServiceAccount", metadata });
      }
      await this.#publishCa(namespace);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
    return undefined;
  }

  async #publishCa(namespace: string): Promise<void> {
    if (this.#caPem === undefined) return;
    const { client } = this.#context;
    const data = { "ca.crt": this.#caPem };
    const known = client.get(CONFIG_MAPS, namespace, ROOT_CA);
    if (known === undefined) {
      const metadata = { name: ROOT_CA, namespace, annotations: { [DESCRIPTION]: DESCRIPTION_TEXT } };
      await client.create(CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata, data });
    } else if (!sameValue(known["data"], data) || !known.metadata.annotations?.[DESCRIPTION]) {
      const annotations = { ...known.metadata.annotations, [DESCRIPTION]: DESCRIPTION_TEXT };
      await client.update(CONFIG_MAPS, { ...known, metadata: { ...known.metadata, annotations }, data });
    }
  }
}

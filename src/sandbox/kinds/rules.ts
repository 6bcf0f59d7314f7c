import type { DeleteOptions, FieldError, KubeObject, ResourceName } from "../types.ts";
import type { ServiceAllocations } from "./serviceAllocations.ts";

/** What rules may know beside the objects. */
export interface RulesEnvironment {
  /** Milliseconds since 1970, by the clock of the cluster. */
  now(): number;
  /** One for each cluster, filled by `onRestore` when the cluster starts. */
  services: ServiceAllocations;
  /** Nothing will be written. A server then gives any address or port that is asked for by name. */
  dryRun?: boolean;
  /** Who asks; some kinds note it. */
  user: { name: string; groups: readonly string[] };
  /** Notes what gives back what a rule took (an address, a port). The server calls it when the request is refused later, or is a dry run. */
  onRefused(undo: () => void): void;
  /** Notes what is due once the object has been written. */
  onStored(action: () => void): void;
}

/**
 * What an API server does by hand for one kind, in the order in which it does it. All functions are pure but for `env`, and never change the
 * objects that they get: they return a new one or the very same. Objects are decoded, and in the version of the request.
 */
export interface KindRules {
  /**
   * Reads an object as the server's decoder does, and fills in what was left out: null and empty values that Go does not write go,
   * unknown fields go, quantities get their canonical form, the schema's own defaults and those of the kind stand for what is missing.
   * In any version that is served; idempotent. Runs on every object that enters: a submission, the result of a patch, what a webhook
   * answered. Throws {@link DecodeError} for a value of a wrong type. It includes what `withDefaults` and `prune` of the schemas would do.
   */
  defaults(object: KubeObject, apiVersion: string): KubeObject;
  /** From any served version to the one named by apiVersion: `autoscaling/v2`, `events.k8s.io/v1`. Absent where there is one version only. */
  convert?(object: KubeObject, apiVersion: string): KubeObject;
  /** Before validation: takes out what a client may not set (status), sets what the server sets (generation, allocations). May throw a StatusError. */
  prepareForCreate?(object: KubeObject, env: RulesEnvironment): KubeObject;
  /** As for creation: keeps the old status, raises the generation when the spec changed. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  /** Keeps all but the status (and what else the kind lets through this door). Absent: the kind has no status subresource. */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  /** All that is wrong with it, metadata too; with `old` also what may not change. */
  validate(object: KubeObject, old?: KubeObject): FieldError[];
  validateStatus?(object: KubeObject, old: KubeObject): FieldError[];
  /** Sent to the client as HTTP warnings. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[];
  /** Whether a PUT creates what is not there. Leases, nodes and events say so. */
  allowsCreateOnUpdate: boolean;
  /** Whether an update may come without a resourceVersion. Custom resources may not. */
  allowsUnconditionalUpdate: boolean;
  /** Seconds that a deletion leaves the object in place, for who has to end first; 0 deletes at once. Absent: always at once. */
  gracePeriodSeconds?(object: KubeObject, options: DeleteOptions): number;
  /** What deletion changes in an object that stays for now: a namespace becomes Terminating. Called along with the deletionTimestamp. */
  prepareForDelete?(object: KubeObject, env: RulesEnvironment): KubeObject;
  /** Whether something beside metadata.finalizers keeps a deleted object: a namespace's own finalizers. */
  isHeld?(object: KubeObject): boolean;
  /** What happens to dependants when the client does not say; absent: Background. */
  defaultPropagation?: "Orphan";
  /** The object is gone. */
  onDelete?(object: KubeObject, env: Pick<RulesEnvironment, "services">): void;
  /** The object was there when the cluster started. */
  onRestore?(object: KubeObject, env: Pick<RulesEnvironment, "services">): void;
  /** The values that field selectors compare, by path without the first dot; metadata.name and metadata.namespace are not among them. Absent: none. */
  selectableFields?(object: KubeObject, apiVersion: string): Readonly<Record<string, string>>;
  /** The resource in whose store the objects lie, where it is another one: events of events.k8s.io are those of the core group. */
  storedAs?: ResourceName;
}

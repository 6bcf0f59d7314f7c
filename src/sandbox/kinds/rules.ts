import type { DeleteOptions, FieldError, KubeObject, ResourceName } from "../types.ts";
import type { ServiceAllocations } from "./serviceAllocations.ts";

/** Input of the rules besides the objects. */
export interface RulesEnvironment {
  /** Milliseconds since 1970 by the cluster's clock. */
  now(): number;
  /** One per cluster; `onRestore` fills it at start. */
  services: ServiceAllocations;
  /** Nothing will be stored. A server then grants any requested address or port. */
  dryRun?: boolean;
  /** The user of the request, which some kinds record. */
  user: { name: string; groups: readonly string[] };
  /**
   * Registers how to give back what a rule allocated (an address, a port). The server calls `undo` if the request is
   * refused later or is a dry run.
   */
  onRefused(undo: () => void): void;
  /** Registers an action for when the object has been stored. */
  onStored(action: () => void): void;
}

/**
 * Steps that an API server's code does for one kind, in the server's order. All functions are pure except for `env`,
 * and never change their arguments: they return a new object or the same one. Objects are decoded, in the version of
 * the request.
 */
export interface KindRules {
  /**
   * Reads an object as the server's decoder does and sets defaults. Removes unknown fields, and null and empty values
   * that Go does not write. Makes quantities canonical. Sets the defaults of the schema and of the kind.
   *
   * Works in any served version; idempotent. Runs on every incoming object: a submission, the result of a patch, a
   * webhook's answer. Throws {@link DecodeError} for a value of a wrong type. Includes `withDefaults` and `prune` of
   * the schemas.
   */
  defaults(object: KubeObject, apiVersion: string): KubeObject;
  /**
   * Converts from any served version to `apiVersion`: `autoscaling/v2`, `events.k8s.io/v1`. Absent for a kind with one
   * version.
   */
  convert?(object: KubeObject, apiVersion: string): KubeObject;
  /**
   * Before validation: removes fields that a client may not set (status), and sets the server's fields (generation,
   * allocations). May throw a StatusError.
   */
  prepareForCreate?(object: KubeObject, env: RulesEnvironment): KubeObject;
  /** Like prepareForCreate; keeps the old status, and raises the generation if the spec changed. */
  prepareForUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  /**
   * Keeps the old object except for the status and other fields that the kind allows in a status update. Absent: the
   * kind has no status subresource.
   */
  prepareForStatusUpdate?(object: KubeObject, old: KubeObject, env: RulesEnvironment): KubeObject;
  /** All errors of the object, metadata included; with `old` also forbidden changes. */
  validate(object: KubeObject, old?: KubeObject): FieldError[];
  validateStatus?(object: KubeObject, old: KubeObject): FieldError[];
  /** Sent to the client as HTTP warnings. */
  warnings?(object: KubeObject, old: KubeObject | undefined): string[];
  /** A PUT may create a missing object: leases, nodes, events. */
  allowsCreateOnUpdate: boolean;
  /** An update needs no resourceVersion. Custom resources need one. */
  allowsUnconditionalUpdate: boolean;
  /** Seconds that a deleted object stays while its processes end; 0 deletes at once. Absent: always 0. */
  gracePeriodSeconds?(object: KubeObject, options: DeleteOptions): number;
  /**
   * Changes an object whose deletion has begun: a namespace becomes Terminating. Called when the deletionTimestamp is
   * set.
   */
  prepareForDelete?(object: KubeObject, env: RulesEnvironment): KubeObject;
  /** True if something besides metadata.finalizers keeps a deleted object: a namespace's own finalizers. */
  isHeld?(object: KubeObject): boolean;
  /** Propagation policy if the client sends none. Absent: Background. */
  defaultPropagation?: "Orphan";
  /** Called when the object is gone. */
  onDelete?(object: KubeObject, env: Pick<RulesEnvironment, "services">): void;
  /** Called for each stored object when the cluster starts. */
  onRestore?(object: KubeObject, env: Pick<RulesEnvironment, "services">): void;
  /**
   * Values that field selectors compare, by path without the leading dot, except metadata.name and metadata.namespace.
   * Absent: none.
   */
  selectableFields?(object: KubeObject, apiVersion: string): Readonly<Record<string, string>>;
  /** The resource that stores the objects, if it is another one: the core group stores the events of events.k8s.io. */
  storedAs?: ResourceName;
}

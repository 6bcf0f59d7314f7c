import {
  defined,
  isSamePolicy,
  fullMessage,
  isSameMessage,
  type Message,
  namesText,
  notCarriedOut,
  parseApiVersion,
  type Placement,
  refKey,
  type ResourceSelector,
  shortName,
  unknownClusterWords,
  withLead,
} from "../../apis/index.ts";
import type { Problem, Target, Why } from "../../desiredstate/index.ts";
import type { HubCache, Policy } from "../../hub/index.ts";
import { isRendered, whyNeverPlaced } from "../../interpreter/index.ts";
import { partlyWonBy, winnersOver } from "../../override/index.ts";
import { type LostObjects, refusedPatches } from "../../status/index.ts";
import { type Observations } from "../tables/index.ts";

export interface Outcome {
  matched: number;
  decisions: { clusters: string[]; objects: number }[];
  error?: Message;
  reason?: string;
  notes?: string[];
  notCarriedOut?: string[];
  unplaceable?: string[];
  unserved?: string[];
  lost?: LostObjects;
  withoutCluster?: number;
  waiting?: number;
  superseded?: LostObjects;
  partly?: LostObjects;
  unknownClusters?: string[];
}

/** Sums up the results of a policy from the plans of its objects, one plan after the other. */
export class PolicyTally {
  readonly #policy: Policy;
  readonly #observations: Pick<Observations, "get">;
  readonly #groups = new Map<string, { clusters: string[]; objects: number }>();
  readonly #notes = new Set<string>();
  readonly #lostTo = new Map<string, LostObjects>();
  readonly #supersededBy = new Map<string, LostObjects>();
  readonly #partlyWonBy = new Map<string, LostObjects>();
  /** The objects that are sent as dependencies of other objects, with their clusters. */
  readonly #goingAlong = new Map<string, Set<string>>();
  /** The objects that are counted as placed objects themselves. */
  readonly #counted = new Set<string>();
  #matched = 0;
  #withoutCluster = 0;
  #waiting = 0;
  #trouble: Why | undefined;

  constructor(policy: Policy, observations: Pick<Observations, "get">) {
    this.#policy = policy;
    this.#observations = observations;
  }

  add(target: Target): void {
    if (isPlacement(this.#policy)) this.#addPlaced(target);
    else if (!this.#addGoingAlong(target) || isNamedIn(target, this.#policy)) this.#addOverridden(target);
  }

  outcome(catalog: Pick<HubCache["catalog"], "servingState" | "servedIn" | "readIn">): Outcome {
    const policy = this.#policy;
    const trouble = this.#trouble;
    if (isPlacement(policy)) for (const note of otherVersions(policy, catalog)) this.#notes.add(note);
    const fields = isPlacement(policy) ? notCarriedOut(policy.spec) : [];
    const inState = (...states: ReturnType<typeof catalog.servingState>[]): string[] => {
      const selectors = policy.spec.resourceSelectors.filter((one) => states.includes(catalog.servingState(one)));
      return [...new Set(selectors.map((selector) => calledAs(selector, catalog)))];
    };
    // A namespaced policy does not apply to cluster-scoped objects.
    const isTenants = policy.metadata.namespace !== undefined;
    const unplaceable = isTenants ? inState("NeverPlaced", "ClusterScoped") : inState("NeverPlaced");
    const unserved = inState("NotServed");
    this.#placeGoingAlong();
    const lost = most(this.#lostTo);
    const superseded = most(this.#supersededBy);
    const partly = most(this.#partlyWonBy);
    return {
      matched: this.#matched,
      decisions: [...this.#groups.values()],
      ...(this.#notes.size === 0 ? {} : { notes: [...this.#notes] }),
      ...(trouble === undefined ? {} : { error: trouble.message, reason: trouble.reason }),
      ...(fields.length === 0 ? {} : { notCarriedOut: fields }),
      ...(unplaceable.length === 0 ? {} : { unplaceable }),
      ...(unserved.length === 0 ? {} : { unserved }),
      ...defined({ lost, superseded, partly }),
      ...(this.#withoutCluster === 0 ? {} : { withoutCluster: this.#withoutCluster }),
      ...(this.#waiting === 0 ? {} : { waiting: this.#waiting }),
    };
  }

  #addPlaced(target: Target): void {
    const passed = target.passedOver?.find(({ policy }) => isSamePolicy(policy, this.#policy));
    if (passed !== undefined) {
      const { placement } = target;
      if (placement !== undefined)
        count(this.#lostTo, `${placement.kind} ${shortName(placement.name)}`, passed.because);
      return;
    }
    // All objects of a placement have the same candidate clusters, so the first object is enough.
    if (this.#matched === 0) this.#trouble ??= unknownIn(target);
    for (const note of target.decision.notes ?? []) this.#notes.add(note);
    const warning = target.clusters[0]?.warning;
    if (warning?.reason === "VersionLacksFields") this.#notes.add(fullMessage(warning.message));
    this.#place(target.clusters.map(({ name }) => name));
    if (target.scheduled.status === "False") this.#trouble ??= target.scheduled;
  }

  #addOverridden(target: Target): void {
    const idle = target.idleOverrides?.find(({ policy }) => isSamePolicy(policy, this.#policy));
    if (idle?.because === "NoCluster") this.#withoutCluster += 1;
    else if (idle !== undefined) this.#waiting += 1;
    if (idle !== undefined) return;
    this.#counted.add(refKey(target.owner));
    this.#place(target.clusters.map(({ name }) => name));
    this.#trouble ??= this.#problemOf(target);
    const winner = winnersOver(this.#policy, target.clusters);
    if (winner !== undefined) count(this.#supersededBy, winner);
    const partly = partlyWonBy(this.#policy, target.clusters);
    if (partly !== undefined) count(this.#partlyWonBy, partly);
  }

  /**
   * Adds the dependencies that the policy selects; false if it selects none. A dependency of many objects counts once.
   */
  #addGoingAlong(target: Target): boolean {
    const overridden = (target.dependencyOverrides ?? []).filter(({ policy }) => isSamePolicy(policy, this.#policy));
    if (overridden.length === 0) return false;
    for (const { ref, clusters } of overridden) {
      const key = refKey(ref);
      const known = this.#goingAlong.get(key) ?? new Set();
      for (const cluster of clusters) known.add(cluster);
      this.#goingAlong.set(key, known);
    }
    this.#trouble ??= this.#problemOf(target);
    return true;
  }

  #placeGoingAlong(): void {
    for (const [key, clusters] of this.#goingAlong) {
      if (this.#counted.has(key)) continue;
      if (clusters.size === 0) this.#withoutCluster += 1;
      else this.#place([...clusters].toSorted());
    }
    this.#goingAlong.clear();
  }

  #place(clusters: string[]): void {
    this.#matched += 1;
    const key = clusters.join();
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, { clusters, objects: 1 });
    else group.objects += 1;
  }

  /** A problem that the policy's author can fix: a rule that cannot be applied, or a patch that a member refuses. */
  #problemOf(target: Target): Why | undefined {
    const found = target.clusters.flatMap((cluster) => {
      const problem = cluster.problem === undefined ? this.#refusalOn(cluster) : this.#own(cluster.problem);
      return problem === undefined ? [] : [{ cluster: cluster.name, problem }];
    });
    const [first] = found;
    if (first === undefined) return undefined;
    const { reason, message } = first.problem;
    const same = found.filter(({ problem }) => problem.reason === reason && isSameMessage(problem.message, message));
    return {
      reason,
      message: withLead(
        `${whereOf(
          target,
          same.map(({ cluster }) => cluster),
        )}: `,
        message,
      ),
    };
  }

  #own(problem: Problem): Why | undefined {
    return problem.policy !== undefined && isSamePolicy(problem.policy, this.#policy) ? problem : undefined;
  }

  #refusalOn({ name, objects, overrides }: Target["clusters"][number]): Why | undefined {
    for (const { ref, role, overrides: own } of objects) {
      const effect = role === "dependency" ? own : overrides;
      if (effect === undefined || effect.patches.length === 0) continue;
      const failure = this.#observations.get(name, refKey(ref))?.failure;
      const problem = failure === undefined ? undefined : refusedPatches(this.#policy, ref.kind, failure, effect);
      if (problem !== undefined) return problem;
    }
    return undefined;
  }
}

/** True if the policy selects the object itself, and not only a dependency of it. */
function isNamedIn({ overrides, idleOverrides = [] }: Target, policy: Policy): boolean {
  const named = [...overrides, ...idleOverrides.map((idle) => idle.policy)];
  return named.some((one) => isSamePolicy(one, policy));
}

export function isPlacement(policy: Policy): policy is Placement {
  return policy.kind === "Placement" || policy.kind === "ClusterPlacement";
}

/** Notes about other versions: objects are read and sent in one version, whatever version each policy names. */
function otherVersions(policy: Placement, catalog: Pick<HubCache["catalog"], "readIn">): string[] {
  return policy.spec.resourceSelectors.flatMap(({ apiVersion, kind }) => {
    const read = catalog.readIn({ apiVersion, kind });
    if (isRendered({ apiVersion, kind }) || read === undefined || read === apiVersion) return [];
    return [
      `${kind} is read and sent in ${read}, which another placement names or the hub serves instead of ${apiVersion}`,
    ];
  });
}

/** Name of a selected kind, with the reason why it is not placed, or with the version that may have been meant. */
function calledAs(selector: ResourceSelector, catalog: Pick<HubCache["catalog"], "servedIn">): string {
  const { apiVersion, kind } = selector;
  const servedIn = catalog.servedIn(selector);
  const meant = servedIn === undefined ? undefined : `did you mean ${servedIn}?`;
  const why = whyNeverPlaced({ group: parseApiVersion(apiVersion).group, kind }) ?? meant;
  return `${kind} (${apiVersion}${why === undefined ? "" : `; ${why}`})`;
}

function whereOf({ owner: { kind, namespace, name } }: Target, clusters: readonly string[]): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name} on ${namesText(clusters)}`;
}

function count(tallies: Map<string, LostObjects>, to: string, because?: string): void {
  const known = tallies.get(to);
  if (known === undefined) tallies.set(to, { objects: 1, to, ...defined({ because }) });
  else known.objects += 1;
}

/** The entry with the most objects, with the sum of the objects of all entries. Equal entries are ordered by name. */
function most(tallies: ReadonlyMap<string, LostObjects>): LostObjects | undefined {
  const [first] = [...tallies.values()].sort((a, b) => b.objects - a.objects || (a.to < b.to ? -1 : 1));
  if (first === undefined) return undefined;
  const objects = [...tallies.values()].reduce((sum, one) => sum + one.objects, 0);
  return tallies.size === 1 ? { ...first, objects } : { to: `${first.to} (and others)`, objects };
}

function unknownIn({ decision }: Target): Why | undefined {
  const unknown = decision.verdicts.filter(({ reason }) => reason === "UnknownCluster").map(({ cluster }) => cluster);
  return unknown.length === 0
    ? undefined
    : { reason: "UnknownCluster", message: { what: unknownClusterWords(unknown).trimEnd(), where: unknown } };
}

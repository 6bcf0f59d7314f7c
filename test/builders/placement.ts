import type { z } from "zod";
import {
  type AffinityGroup,
  type ClusterSelector,
  FEDERATION_API_VERSION,
  type HealthRule,
  PAAS_GROUP,
  REGION_LABEL,
  type ResourceSelector,
  type placementSpec,
  type Toleration,
} from "../../src/apis/index.ts";
import { Builder, type Metadata } from "./builder.ts";

type Input = z.input<typeof placementSpec>;

class PlacementBuilder extends Builder<Input, PlacementBuilder> {
  protected readonly apiVersion = FEDERATION_API_VERSION;
  protected readonly kind: "Placement" | "ClusterPlacement";

  constructor(kind: "Placement" | "ClusterPlacement", metadata: Metadata, spec: Input) {
    super(metadata, spec);
    this.kind = kind;
  }

  protected copy(metadata: Metadata, spec: Input): PlacementBuilder {
    return new PlacementBuilder(this.kind, metadata, spec);
  }

  /** Instead of every DemoApplication. */
  selects(...resourceSelectors: ResourceSelector[]): PlacementBuilder {
    return this.withSpec({ resourceSelectors });
  }

  /** One DemoApplication by name. */
  of(name: string): PlacementBuilder {
    return this.selects({ apiVersion: `${PAAS_GROUP}/v1`, kind: "DemoApplication", name });
  }

  onClusters(...clusterNames: string[]): PlacementBuilder {
    return this.affinity({ name: "clusters", clusterNames });
  }

  inRegions(...values: string[]): PlacementBuilder {
    return this.affinity({
      name: "regions",
      labelSelector: { matchExpressions: [{ key: REGION_LABEL, operator: "In", values }] },
    });
  }

  /** Each of these clusters is a stage of its own, in this order. */
  rollout(rollout: NonNullable<Input["rollout"]>): PlacementBuilder {
    return this.withSpec({ rollout });
  }

  /** One cluster after the other. */
  rollsOut(rollout: NonNullable<Input["rollout"]>, ...stages: string[]): PlacementBuilder {
    return this.withSpec({
      rollout: {
        ...rollout,
        stages: stages.map((name) => ({ name, targetClusters: { clusterNames: [name] } })),
      },
    });
  }

  /** Replaces the groups by these. */
  affinity(...clusterAffinities: AffinityGroup[]): PlacementBuilder {
    return this.withSpec({ clusterAffinities });
  }

  tolerates(...tolerations: Toleration[]): PlacementBuilder {
    return this.withSpec({ tolerations });
  }

  /** Divided by the room on the nodes of the clusters; with `rescheduling`, replicas whose pods find no node move. */
  byHeadroom(
    strategy: "Available" | "Aggregated",
    rescheduling?: NonNullable<Input["replicaScheduling"]>["rescheduling"],
  ): PlacementBuilder {
    return this.withSpec({
      replicaScheduling: { mode: "Divided", strategy, ...(rescheduling === undefined ? {} : { rescheduling }) },
    });
  }

  /** Divided by these weights instead of duplicated; equal weights when none are given. */
  divided(...weights: { targetClusters: ClusterSelector; weight: number }[]): PlacementBuilder {
    return this.withSpec({
      replicaScheduling: { mode: "Divided", strategy: "Weighted", ...(weights.length === 0 ? {} : { weights }) },
    });
  }

  /** Divided evenly, within bounds for each cluster. */
  dividedBetween(minReplicasPerCluster: number, maxReplicasPerCluster: number): PlacementBuilder {
    return this.withSpec({
      replicaScheduling: { mode: "Divided", strategy: "Weighted", minReplicasPerCluster, maxReplicasPerCluster },
    });
  }

  /** Divided evenly, where the replicas stand at this path. */
  dividedAt(path: string): PlacementBuilder {
    return this.withSpec({ replicaScheduling: { mode: "Divided", path } });
  }

  clusterCount(clusterCount: number): PlacementBuilder {
    return this.withSpec({ clusterCount });
  }

  /** Instead of no bounds. */
  spread(...spreadConstraints: NonNullable<Input["spreadConstraints"]>): PlacementBuilder {
    return this.withSpec({ spreadConstraints });
  }

  failover(failover: NonNullable<Input["failover"]>): PlacementBuilder {
    return this.withSpec({ failover });
  }

  priority(priority: number): PlacementBuilder {
    return this.withSpec({ priority });
  }

  conflictResolution(conflictResolution: "Abort" | "Adopt"): PlacementBuilder {
    return this.withSpec({ conflictResolution });
  }

  deletionPolicy(deletionPolicy: "Delete" | "Orphan"): PlacementBuilder {
    return this.withSpec({ deletionPolicy });
  }

  /** `paths`: in which fields the selected objects name the Secrets that they need. */
  withSecretsAt(...paths: string[]): PlacementBuilder {
    return this.withSpec({ dependencies: { mode: "Auto", fields: paths.map((path) => ({ kind: "Secret", path })) } });
  }

  /** Where objects of a kind have the templates of their pods. */
  withPodTemplates(kind: string, ...paths: string[]): PlacementBuilder {
    return this.withSpec({ podTemplates: paths.map((path) => ({ kind, path })) });
  }

  /** Nothing travels with the selected objects. */
  withoutDependencies(): PlacementBuilder {
    return this.withSpec({ dependencies: { mode: "None" } });
  }

  suspend(suspend = true): PlacementBuilder {
    return this.withSpec({ suspend });
  }

  /** What healthy means for a kind, in CEL. */
  health(kind: string, rule: HealthRule): PlacementBuilder {
    return this.withSpec({ health: [...(this.spec.health ?? []), { kind, ...rule }] });
  }

  aggregateStatus(): PlacementBuilder {
    return this.withSpec({ aggregateStatus: true });
  }

  retain(kind: string, path: string): PlacementBuilder {
    return this.withSpec({ retain: [...(this.spec.retain ?? []), { kind, path }] });
  }
}

const everything: Input = { resourceSelectors: [{ apiVersion: `${PAAS_GROUP}/v1`, kind: "DemoApplication" }] };

/** In the namespace `default`, for every DemoApplication there, on every cluster. */
export function placement(name: string): PlacementBuilder {
  return new PlacementBuilder("Placement", { name, namespace: "default" }, everything);
}

/** For every DemoApplication, on every cluster. */
export function clusterPlacement(name: string): PlacementBuilder {
  return new PlacementBuilder("ClusterPlacement", { name }, everything);
}

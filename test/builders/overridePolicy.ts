import {
  FEDERATION_API_VERSION,
  type OverridePolicySpec,
  type OverrideRule,
  PAAS_GROUP,
  REGION_LABEL,
  type ResourceSelector,
} from "../../src/apis/index.ts";
import { Builder, type Metadata } from "./builder.ts";

class OverridePolicyBuilder extends Builder<OverridePolicySpec, OverridePolicyBuilder> {
  protected readonly apiVersion = FEDERATION_API_VERSION;
  protected readonly kind: "OverridePolicy" | "ClusterOverridePolicy";

  constructor(kind: "OverridePolicy" | "ClusterOverridePolicy", metadata: Metadata, spec: OverridePolicySpec) {
    super(metadata, spec);
    this.kind = kind;
  }

  protected copy(metadata: Metadata, spec: OverridePolicySpec): OverridePolicyBuilder {
    return new OverridePolicyBuilder(this.kind, metadata, spec);
  }

  /** Instead of every DemoApplication. */
  selects(...resourceSelectors: ResourceSelector[]): OverridePolicyBuilder {
    return this.withSpec({ resourceSelectors });
  }

  /** One DemoApplication by name. */
  of(name: string): OverridePolicyBuilder {
    return this.selects({ apiVersion: `${PAAS_GROUP}/v1`, kind: "DemoApplication", name });
  }

  rule(rule: OverrideRule): OverridePolicyBuilder {
    return this.withSpec({ rules: [...this.spec.rules, rule] });
  }

  /** A rule for one region. */
  inRegion(region: string, rule: Omit<OverrideRule, "targetClusters">): OverridePolicyBuilder {
    return this.rule({ targetClusters: { labelSelector: { matchLabels: { [REGION_LABEL]: region } } }, ...rule });
  }

  /** A rule for clusters by name. */
  onClusters(clusterNames: string[], rule: Omit<OverrideRule, "targetClusters">): OverridePolicyBuilder {
    return this.rule({ targetClusters: { clusterNames }, ...rule });
  }
}

const everything: OverridePolicySpec = {
  resourceSelectors: [{ apiVersion: `${PAAS_GROUP}/v1`, kind: "DemoApplication" }],
  rules: [],
};

/** In the namespace `default`, for every DemoApplication there, without rules. */
export function overridePolicy(name: string): OverridePolicyBuilder {
  return new OverridePolicyBuilder("OverridePolicy", { name, namespace: "default" }, everything);
}

/** For every DemoApplication, without rules. */
export function clusterOverridePolicy(name: string): OverridePolicyBuilder {
  return new OverridePolicyBuilder("ClusterOverridePolicy", { name }, everything);
}

import type { z } from "zod";
import {
  FEDERATION_API_VERSION,
  type memberClusterSpec,
  REGION_LABEL,
  type Taint,
  ZONE_LABEL,
} from "../../src/apis/index.ts";
import { Builder, type Metadata } from "./builder.ts";

type Input = z.input<typeof memberClusterSpec>;

class MemberClusterBuilder extends Builder<Input, MemberClusterBuilder> {
  protected readonly apiVersion = FEDERATION_API_VERSION;
  protected readonly kind = "MemberCluster";

  protected copy(metadata: Metadata, spec: Input): MemberClusterBuilder {
    return new MemberClusterBuilder(metadata, spec);
  }

  region(region: string): MemberClusterBuilder {
    return this.label(REGION_LABEL, region);
  }

  zone(zone: string): MemberClusterBuilder {
    return this.label(ZONE_LABEL, zone);
  }

  provider(provider: string): MemberClusterBuilder {
    return this.withSpec({ provider });
  }

  /** Instead of the Secret of the cluster's own name. */
  secret(name: string, key = "kubeconfig"): MemberClusterBuilder {
    return this.withSpec({ connection: { kubeconfigSecretRef: { name, key } } });
  }

  /** The hub itself. */
  local(): MemberClusterBuilder {
    return this.withSpec({ connection: { local: {} } });
  }

  taint(taint: Taint): MemberClusterBuilder {
    return this.withSpec({ taints: [...(this.spec.taints ?? []), taint] });
  }

  deletionPolicy(deletionPolicy: "Drain" | "Orphan"): MemberClusterBuilder {
    return this.withSpec({ deletionPolicy });
  }
}

/** Connected by the Secret of its own name. */
export function memberCluster(name: string): MemberClusterBuilder {
  return new MemberClusterBuilder({ name }, { connection: { kubeconfigSecretRef: { name, key: "kubeconfig" } } });
}

import type { KubeObject, OverrideRule } from "../apis/index.ts";
import { applyRules } from "./apply.ts";
import type { MatchedRule, OverrideResult } from "./types.ts";

/** Deep-freezes the value, so that any change throws. */
export function frozen<T>(value: T): T {
  if (typeof value === "object" && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

interface Container {
  name: string;
  image?: string;
  command?: string[];
  args?: string[];
  env?: { name: string; value?: string; valueFrom?: unknown }[];
}

const web: Container = {
  name: "web",
  image: "nginx:latest",
  env: [
    { name: "MODE", value: "production" },
    { name: "REGION", value: "eu" },
  ],
};

export function deployment(containers: Container[] = [web], template: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "shop", namespace: "default", labels: { app: "shop" } },
    spec: {
      replicas: 4,
      selector: { matchLabels: { app: "shop" } },
      template: { metadata: { labels: { app: "shop" }, ...template }, spec: { containers } },
    },
  };
}

export const service: KubeObject = frozen({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "shop", namespace: "default", labels: { app: "shop" } },
  spec: { type: "ClusterIP", selector: { app: "shop" }, ports: [{ port: 80 }] },
});

export function from(name: string, ...rules: OverrideRule[]): MatchedRule[] {
  return rules.map((rule, index) => ({ policy: { kind: "OverridePolicy", namespace: "default", name }, index, rule }));
}

export const apply = (rule: OverrideRule, objects: KubeObject[] = [deployment(), service]): OverrideResult =>
  applyRules(frozen(objects), frozen(from("p", rule)));

export function templateOf(result: OverrideResult): {
  metadata: { labels: object };
  spec: { containers: Container[]; initContainers?: Container[] };
} {
  const [first] = result.objects;
  if (first === undefined) throw new Error("no object is left");
  return (first["spec"] as { template: never }).template;
}

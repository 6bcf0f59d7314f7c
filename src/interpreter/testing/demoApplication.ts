import type { KubeObject } from "../../apis/index.ts";
import { demoApplicationKind } from "../application/demoapplication.ts";

export function app(spec: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "web", namespace: "default", ...metadata },
    spec,
  };
}

/** Container of the rendered Deployment. */
export function container(spec: object): Record<string, unknown> {
  const [deployment] = demoApplicationKind.render(app(spec));
  const podSpec = deployment?.["spec"] as { template: { spec: { containers: Record<string, unknown>[] } } } | undefined;
  return podSpec?.template.spec.containers[0] ?? {};
}

export const labels = { app: "web" };

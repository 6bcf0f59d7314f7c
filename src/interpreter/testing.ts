import type { KubeObject } from "../apis/index.ts";

/** The DemoApplication `web` in the namespace `default`. */
export function app(spec: object, metadata: object = {}): KubeObject {
  return {
    apiVersion: "paas.cmft.com/v1",
    kind: "DemoApplication",
    metadata: { name: "web", namespace: "default", ...metadata },
    spec,
  };
}

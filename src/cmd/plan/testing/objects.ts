import type { KubeObject } from "../../../apis/index.ts";

export const FEDERATION = "federation.paas.cmft.com/v1alpha1";

/** An application with a Secret that it reads. */
export const application = (spec: object = {}, name = "web"): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name, namespace: "shop" },
  spec: {
    image: "nginx:1.27",
    replica: 2,
    ports: [{ port: 80 }],
    envFrom: [{ secretRef: { name: "password" } }],
    ...spec,
  },
});

/** A Placement of every application of the namespace. */
export const placement = (clusterNames: string[], spec: object = {}): KubeObject => ({
  apiVersion: FEDERATION,
  kind: "Placement",
  metadata: { name: "some", namespace: "shop" },
  spec: {
    resourceSelectors: [{ apiVersion: "paas.cmft.com/v1", kind: "DemoApplication" }],
    clusterAffinities: [{ name: "some", clusterNames }],
    ...spec,
  },
});

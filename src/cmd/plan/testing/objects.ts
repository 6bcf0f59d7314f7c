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

/** The Secret that the application reads. */
export const secret: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "password", namespace: "shop" },
  data: { password: "b2xk" },
};

/** Status of an application that runs on these clusters, as a manager would report it. */
export const runsOn = (...names: string[]): object => ({
  observedGeneration: 1,
  placement: { kind: "Placement", namespace: "shop", name: "some" },
  clusters: names.map((name) => ({
    name,
    state: "Available",
    replicas: { desired: 2, updated: 2, ready: 2, available: 2 },
    desiredHash: "h",
    observedHash: "h",
  })),
});

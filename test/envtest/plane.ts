import type { ControlPlane } from "./controlPlane.ts";
import type { FakeKubelet } from "../../src/cmd/realClusters/index.ts";

/** What tests ask of one cluster, whether it is a real control plane or one of the sandbox. */
export type Plane = AsyncDisposable &
  Pick<
    ControlPlane,
    | "name"
    | "server"
    | "caData"
    | "adminToken"
    | "kubeconfig"
    | "kubeconfigFile"
    | "kubeconfigFor"
    | "api"
    | "start"
    | "stop"
    | "kill"
    | "pause"
    | "resume"
    | "metrics"
    | "certificate"
    | "serviceAccountToken"
  >;

/** Decides what becomes of the pods of a cluster. */
export type Kubelet = Pick<FakeKubelet, "behave" | "failImages">;

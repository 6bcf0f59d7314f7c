/**
 * Real control planes for tests, on top of src/cmd/realClusters: a hub and any number of members, a proxy that breaks their connections,
 * counts of what they were asked; kubectl, Meridian's command line and its manager as processes. Promises that nothing which it started outlives the test process, even when that is killed. Never uses Meridian's
 * own client.
 */
export {
  Api,
  type ApiConnection,
  ApiFailure,
  type ApiResponse,
  type Assets,
  AssetsUnavailableError,
  eventually,
  FakeKubelet,
  type KubeletBehaviour,
  type WatchLine,
} from "../../src/cmd/realClusters/index.ts";
export * from "./assets.ts";
export * from "./commands.ts";
export * from "./controlPlane.ts";
export * from "./faultProxy.ts";
export * from "./fleet.ts";
export * from "./manager.ts";
export * from "./managerRights.ts";
export * from "./plane.ts";
export * from "./requestCounters.ts";
export * from "./sandboxPlane.ts";
export * from "./throughout.ts";

import type { KubeObject } from "../../src/apis/index.ts";
import { DEMOAPPLICATIONS, MEMBERCLUSTERS, PLACEMENTS } from "../../src/runtime/index.ts";
import { demoApplication, type placement } from "../builders/index.ts";
import type { Play } from "./play.ts";

/** What people do in plays, with the words for the log. */

type Policy = ReturnType<typeof placement>;
type App = ReturnType<typeof demoApplication>;

/** The application of most plays: two replicas and a Service. */
export const shop = demoApplication("shop").replica(2).port(80);

export const NEW_IMAGE = "nginx:1.28";
/** Its pods never get ready. */
export const BROKEN_IMAGE = "broken:1";

/** `words`: what the policy says. */
export function setPolicy(play: Play, words: string, policy: Policy): Promise<void> {
  return play.apply(`applies Placement ${policy.object().metadata.name}: ${words}`, PLACEMENTS, policy);
}

export function setApp(play: Play, words: string, app: App | KubeObject): Promise<void> {
  return play.apply(words, DEMOAPPLICATIONS, app);
}

/** The policy and the application, which runs when the log begins. */
export async function running(play: Play, policy: Policy, app: App = shop): Promise<void> {
  await setPolicy(play, "", policy);
  await setApp(play, "", app);
  await play.settle();
  play.beginLog();
}

export function taint(play: Play, cluster: string, effect: "NoExecute" | "NoSchedule" | undefined): Promise<void> {
  const words = effect === undefined ? `takes the taint off ${cluster}` : `taints ${cluster}: maintenance:${effect}`;
  const taints = effect === undefined ? null : [{ key: "maintenance", effect }];
  return play.merge(words, MEMBERCLUSTERS, cluster, { spec: { taints } });
}

export function relabel(play: Play, cluster: string, labels: Record<string, string | null>): Promise<void> {
  const words = Object.entries(labels).map(([key, value]) => `${key.replace(/^.*\//, "")}=${value ?? "none"}`);
  return play.merge(`labels ${cluster}: ${words.join(", ")}`, MEMBERCLUSTERS, cluster, { metadata: { labels } });
}

export function deleteApp(play: Play, name = "shop"): Promise<void> {
  return play.delete(`deletes DemoApplication ${name}`, DEMOAPPLICATIONS, name);
}

export function deletePolicy(play: Play, name: string): Promise<void> {
  return play.delete(`deletes Placement ${name}`, PLACEMENTS, name);
}

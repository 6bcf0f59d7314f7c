import { expect, test } from "vitest";
import type { Taint, Toleration } from "../../apis/index.ts";
import { schedule } from "../schedule.ts";
import { chosen, cluster, NOW, placement, reasons, subject } from "../testing.ts";
import type { ClusterSnapshot } from "../types.ts";

const at = (secondsAgo: number): string => new Date(NOW - secondsAgo * 1000).toISOString();
/** `k=v:NoExecute@100`: the taint was added 100 seconds ago. */
function taintOf(text: string): Taint {
  const [, key = "", value, effect, age] = /^(\w+)(?:=(\w*))?:(\w+)(?:@(\w+))?$/.exec(text) ?? [];
  const timeAdded = age === undefined ? {} : { timeAdded: /^\d/.test(age) ? at(Number(age)) : age };
  return { key, effect: effect as Taint["effect"], ...(value === undefined ? {} : { value }), ...timeAdded };
}
const exists = (more: Partial<Toleration> = {}): Toleration => ({ key: "k", operator: "Exists", ...more });
const equal = (value?: string): Toleration => ({
  key: "k",
  operator: "Equal",
  ...(value === undefined ? {} : { value }),
});
const running = { current: new Map([["a", 1]]) };
const found = { ...running, found: new Set(["a"]) };

test.each<[name: string, taint: string, fits: boolean, tolerations?: Toleration[], who?: object, recheckIn?: number]>([
  ["NoSchedule keeps a new object away", "k:NoSchedule", false],
  ["NoSchedule leaves what runs", "k:NoSchedule", true, [], running],
  ["NoSchedule keeps away what only a copy says to run", "k:NoSchedule", false, [], found],
  ["NoExecute moves what runs", "k:NoExecute", false, [], running],
  ["NoExecute moves nothing that has finished", "k:NoExecute", true, [], { ...running, finished: new Set(["a"]) }],
  ["the same value is tolerated", "k=v:NoSchedule", true, [equal("v")]],
  ["another value is not", "k=v:NoSchedule", false, [equal("w")]],
  ["no value equals the empty value", "k=:NoSchedule", true, [equal()]],
  ["Exists takes every value", "k=v:NoSchedule", true, [exists()]],
  ["Equal without a key takes none", "k:NoExecute", false, [{ operator: "Equal" }]],
  ["another effect is not tolerated", "k:NoExecute", false, [exists({ effect: "NoSchedule" })]],
  ["NoExecute waits", "k:NoExecute@100", true, [exists({ tolerationSeconds: 300, effect: "NoExecute" })], running, 200],
  ["NoExecute moves what runs after that", "k:NoExecute@300", false, [exists({ tolerationSeconds: 300 })], running],
  ["an unreadable time counts as unknown", "k:NoExecute@yesterday", true, [exists({ tolerationSeconds: 1 })]],
  ["NoSchedule knows no tolerationSeconds", "k:NoSchedule@900", true, [exists({ tolerationSeconds: 1 })]],
  ["the first match counts", "k:NoExecute@100", false, [exists({ tolerationSeconds: 10 }), exists()]],
])("%s", (_name, taint, fits, tolerations = [], who = {}, recheckIn) => {
  const clusters = [cluster("a", { taints: [taintOf(taint)] })];
  const decision = schedule(subject(who), placement({ tolerations }), clusters, NOW);
  expect(chosen(decision)).toEqual(fits ? ["a"] : []);
  expect(reasons(decision)).toEqual({ a: fits ? "Selected" : "TaintNotTolerated" });
  expect(decision.recheckAt).toBe(recheckIn === undefined ? undefined : NOW + recheckIn * 1000);
});

test.each<[string, string, Toleration[]]>([
  ["taint k:NoSchedule is not tolerated", "k=:NoSchedule", []],
  ["taint k=v:NoExecute was tolerated for 30s", "k=v:NoExecute@300", [exists({ tolerationSeconds: 30 })]],
  ["taint k:NoExecute was tolerated for 0s", "k:NoExecute@1", [exists({ tolerationSeconds: 0 })]],
])("the message names the taint: %s", (message, taint, tolerations) => {
  const clusters = [cluster("a", { taints: [taintOf(taint)] })];
  expect(schedule(subject(), placement({ tolerations }), clusters, NOW).verdicts[0]?.message).toBe(message);
});

test("the earliest end of a toleration is the time to decide again, of clusters that are in question", () => {
  const until = (name: string, age: number): ClusterSnapshot =>
    cluster(name, { taints: [taintOf(`k:NoExecute@${age}`)] });
  const decision = schedule(
    subject(),
    placement({
      clusterAffinities: [{ name: "g", exclude: ["c"] }],
      tolerations: [exists({ tolerationSeconds: 300 })],
    }),
    [until("a", 10), until("b", 200), until("c", 290)],
    NOW,
  );
  expect(decision.recheckAt).toBe(NOW + 100_000);
});

import { expect, test } from "vitest";
import type { QuickstartFleet } from "./fleet/fleet.ts";
import { closingHints, hints } from "./hints.ts";

type Fleet = Pick<QuickstartFleet, "kind" | "hub" | "members">;

function fleet(kind: Fleet["kind"], regions: string[], folder = "/tmp/q"): Fleet {
  const cluster = (name: string) => ({ name, kubeconfigFile: `${folder}/${name}.kubeconfig` });
  return { kind, hub: cluster("hub"), members: regions.map((region) => ({ ...cluster(region), region })) };
}

test("in a sandbox the four things are to break a region, change a policy, scale, and roll out a broken image", () => {
  expect(
    hints(fleet("sandbox", ["a", "b", "c", "d"]), ["a", "b", "c", "d", "e"]).flatMap(({ commands }) => commands),
  ).toEqual([
    "kubectl --kubeconfig /tmp/q/hub.kubeconfig annotate membercluster c sandbox.paas.cmft.com/fault=partition",
    "kubectl --kubeconfig /tmp/q/hub.kubeconfig annotate membercluster c sandbox.paas.cmft.com/fault-",
    `kubectl --kubeconfig /tmp/q/hub.kubeconfig patch overridepolicy a --type json -p '[{"op":"replace","path":"/spec/rules/0/replicas","value":8}]'`,
    "kubectl --kubeconfig /tmp/q/hub.kubeconfig delete overridepolicy d",
    "kubectl --kubeconfig /tmp/q/hub.kubeconfig scale demoapplication nginx-demo --replicas 6",
    `kubectl --kubeconfig /tmp/q/hub.kubeconfig patch placement everywhere --type merge -p '{"spec":{"rollout":{"stages":[{"name":"canary","targetClusters":{"clusterNames":["a"]}},{"name":"rest"}],"gate":{"timeout":"20s"},"onFailure":"Rollback"}}}'`,
    `kubectl --kubeconfig /tmp/q/hub.kubeconfig patch demoapplication nginx-demo --type merge -p '{"spec":{"image":"nginx:does-not-exist"}}'`,
    `kubectl --kubeconfig /tmp/q/hub.kubeconfig patch demoapplication nginx-demo --type merge -p '{"spec":{"image":"nginx:latest"}}'`,
  ]);
});

test("a cluster of the person is broken by an image, in its region only", () => {
  const [first] = hints(fleet("given", ["a", "b"]), ["a", "b"]);
  expect(first?.commands[0]).toMatch(/patch overridepolicy b .*"does-not-exist"/);
});

test("one region is enough for all but the rollout", () => {
  expect(hints(fleet("sandbox", ["a"]), ["a"]).map(({ text }) => text.split(":")[0])).toEqual([
    "Break a region",
    "Change a policy",
    "Scale",
  ]);
});

test("regions without a policy are not offered for a change of it", () => {
  expect(hints(fleet("given", ["moon"]), ["a"])).toEqual([]);
});

test("every kubeconfig is named", () => {
  const text = closingHints(fleet("sandbox", ["a", "b"]), ["a", "b"], {
    logFile: "/tmp/q/manager.log",
    ending: "Ctrl-C stops it.",
    dashboard: "http://127.0.0.1:1/dashboard/",
  });
  expect(text).toContain("Dashboard:\n  http://127.0.0.1:1/dashboard/\n");
  expect(text).toContain("  hub  /tmp/q/hub.kubeconfig\n  a    /tmp/q/a.kubeconfig\n  b    /tmp/q/b.kubeconfig\n");
  expect(text).toContain("The manager's log is /tmp/q/manager.log\nCtrl-C stops it.\n");
});

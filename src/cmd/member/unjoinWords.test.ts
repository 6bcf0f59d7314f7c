import { expect, test } from "vitest";
import type { MemberCluster } from "../../apis/index.ts";
import type { UnjoinOptions } from "./verb.ts";
import { needsChoice, unjoinAgain, whatStays } from "./unjoinWords.ts";

const options: UnjoinOptions = {
  logLevel: "info",
  namespace: "meridian-system",
  leaseName: "meridian",
  deletionPolicy: "Orphan",
  isChosen: false,
  force: false,
  dryRun: false,
  timeout: 1,
};

test.each<{ given: Partial<UnjoinOptions>; want: string }>([
  { given: {}, want: "meridian unjoin m1" },
  { given: { deletionPolicy: "Drain", isChosen: true }, want: "meridian unjoin m1 --drain" },
  { given: { isChosen: true, force: true }, want: "meridian unjoin m1 --orphan --force" },
  {
    given: { memberKubeconfig: "my files/m1", memberContext: "admin", namespace: "paas", leaseName: "v2" },
    want: "meridian unjoin m1 --member-kubeconfig 'my files/m1' --member-context admin --namespace paas --lease-name v2",
  },
  {
    given: { kubeconfig: "hub.yaml", context: "hub" },
    want: "meridian unjoin m1 --kubeconfig hub.yaml --context hub",
  },
])("the command once more is `$want`", ({ given, want }) => {
  expect(unjoinAgain("m1", { ...options, ...given })).toBe(want);
});

function member(metadata: object, deletionPolicy: string | undefined, conditions: unknown[] = []): MemberCluster {
  return { metadata: { name: "m1", ...metadata }, spec: { deletionPolicy }, status: { conditions } } as never;
}

test("the namespaces that an account was bounded to stay, and are named", () => {
  expect(whatStays("m1", ["shop"])).toBe("namespace shop stays on m1, with what is in it");
  expect(whatStays("m1", ["bank", "shop"])).toBe("namespaces bank, shop stay on m1, with what is in them");
  expect([whatStays("m1", undefined), whatStays("m1", [])]).toEqual([undefined, undefined]);
});

test("a cluster that is being drained is not let go of by a command that does not say so", () => {
  const deleted = { deletionTimestamp: "2026-11-21T08:00:00Z" };
  const draining = member(deleted, "Drain", [{ type: "Removed", message: "Drain: 2 objects left" }]);
  expect(needsChoice(draining, options)).toBe(
    "m1 is being drained already (Drain: 2 objects left): give --drain to continue, or --orphan to leave the remaining copies running",
  );
  expect(needsChoice(draining, { ...options, isChosen: true })).toBeUndefined();
  for (const other of [undefined, member({}, "Drain"), member(deleted, "Orphan"), member(deleted, undefined)])
    expect(needsChoice(other, options)).toBeUndefined();
});

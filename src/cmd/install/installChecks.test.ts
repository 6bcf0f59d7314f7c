import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError } from "../../runtime/index.ts";
import { FakeClient } from "../../runtime/testing/fakeClient.ts";
import { CLUSTERROLES, ROLEBINDINGS } from "../../runtime/index.ts";
import { checkAll, label, verdictWithoutAsking, verbOf } from "./installChecks.ts";
import { INSTALLED_LABELS, installedNamespace, managerObjects } from "../workload/managerAccess.ts";

const role = (metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "r", ...metadata },
});
const crd = (metadata: Partial<KubeObject["metadata"]> = {}): KubeObject => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "c", ...metadata },
});
const HELM = { "meta.helm.sh/release-name": "fed", "meta.helm.sh/release-namespace": "ops" };

describe("an object that is there already", () => {
  test.each<[name: string, wanted: KubeObject, before: KubeObject | undefined, want: string]>([
    ["is written when there is none", role(), undefined, "ask"],
    ["is written when install made it", role(), role({ labels: { ...INSTALLED_LABELS } }), "ask"],
    ["is left to its release", role(), role({ annotations: HELM }), "Keep"],
    ["is refused when it is somebody's", role(), role(), "Refused"],
    ["is taken over when it is a CRD of ours that somebody applied", crd(), crd(), "ask"],
    ["is left to its release also when it is a CRD", crd(), crd({ annotations: HELM }), "Keep"],
    ["is refused while it is being deleted", crd(), crd({ deletionTimestamp: "2026-01-01T00:00:00Z" }), "Refused"],
    ["is left when it is the namespace", installedNamespace("n"), installedNamespace("n"), "Keep"],
  ])("%s", (_name, wanted, before, want) => expect(verdictWithoutAsking(wanted, before)?.kind ?? "ask").toBe(want));
});

describe("what a write did", () => {
  test.each<[name: string, before: KubeObject | undefined, after: KubeObject, want: string]>([
    ["creates what was not there", undefined, role(), "created"],
    [
      "changes nothing when only the server's bookkeeping differs",
      { ...role({ resourceVersion: "1" }), status: { conditions: null } },
      { ...role({ resourceVersion: "2", generation: 2 }), status: { conditions: [] } },
      "unchanged",
    ],
    ["changes labels", role(), role({ labels: { a: "b" } }), "configured"],
    ["changes rules", { ...role(), rules: [] }, { ...role(), rules: [{}] }, "configured"],
  ])("%s", (_name, before, after, want) => expect(verbOf(before, after)).toBe(want));
});

describe("asking the hub about everything", () => {
  const access = { namespace: "fed", leaseName: "meridian", localMember: false, secretsOf: [] };
  const objects = [installedNamespace("fed"), ...managerObjects(access)];
  const ask = (hub: FakeClient) => checkAll(hub, objects, new AbortController().signal);

  test("takes a binding whose role is yet to be made for good, since its rights were asked about with the role", async () => {
    const hub = new FakeClient();
    hub.gate = ({ verb, type, phase }) => {
      if (phase === "before" && verb === "apply" && type === ROLEBINDINGS) {
        const details = { kind: "roles", name: "meridian-manager" };
        throw new ApiError(404, "NotFound", "not found", { details });
      }
    };
    const checked = await ask(hub);
    expect(checked.map(({ verdict }) => verdict.kind)).toEqual(objects.map(() => "Write"));
  });

  test("names every refusal, not only the first", async () => {
    const hub = new FakeClient();
    hub.gate = ({ verb, type, phase }) => {
      if (phase === "before" && verb === "apply" && (type === CLUSTERROLES || type === ROLEBINDINGS))
        throw new ApiError(403, "Forbidden", "no");
    };
    const refused = (await ask(hub)).filter(({ verdict }) => verdict.kind === "Refused");
    expect(refused.map(({ wanted }) => label(wanted))).toEqual([
      "clusterrole/meridian-manager-fed",
      "rolebinding/meridian-manager in namespace fed",
      "clusterrole/meridian-manager-fed-view",
      "clusterrole/meridian-manager-fed-edit",
    ]);
  });

  test("gives up when nobody answers", async () => {
    const hub = new FakeClient();
    hub.gate = ({ verb }) => {
      if (verb === "apply") throw new Error("no route to host");
    };
    await expect(ask(hub)).rejects.toThrow("no route to host");
  });
});

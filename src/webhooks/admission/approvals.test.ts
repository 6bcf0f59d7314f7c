import { describe, expect, test } from "vitest";
import { applicationObject } from "../../../test/builders/policyObjects.ts";
import { FEDERATION_API_VERSION, type KubeObject, ROLLOUT_APPROVALS_ANNOTATION } from "../../apis/index.ts";
import { requestOf } from "../testing/facts.ts";
import { judgeApprovals } from "./approvals.ts";

const binding: KubeObject = {
  apiVersion: FEDERATION_API_VERSION,
  kind: "ResourceBinding",
  metadata: { name: "configmap.settings", namespace: "default" },
  spec: { resource: { apiVersion: "v1", kind: "ConfigMap", namespace: "default", name: "settings", uid: "u" } },
};

function approvedBy(by: string, object: KubeObject, metadata: object = {}): KubeObject {
  const approvals = JSON.stringify({ revision: 2, run: "2026-11-22T08:00:00Z", approvals: { canary: by } });
  const annotations = { [ROLLOUT_APPROVALS_ANNOTATION]: approvals };
  return { ...object, metadata: { ...object.metadata, ...metadata, annotations } };
}

describe.each([applicationObject({}), binding])("an approval on a $kind", (object) => {
  const fields = (now: KubeObject, before?: KubeObject, username = "alice"): string[] => {
    const request = before === undefined ? requestOf("CREATE", now) : requestOf("UPDATE", now, before);
    return judgeApprovals({ ...request, userInfo: { username } }).problems.map(({ field }) => field);
  };
  const refused = [`metadata.annotations[${ROLLOUT_APPROVALS_ANNOTATION}]`];

  test("is given in the name of whoever asks, be it a service account or somebody who is impersonated", () => {
    expect(fields(approvedBy("alice", object))).toEqual([]);
    expect(fields(approvedBy("bob", object))).toEqual(refused);
    const account = "system:serviceaccount:shop:deployer";
    expect(fields(approvedBy(account, object), undefined, account)).toEqual([]);
    expect(fields(approvedBy("deployer", object), undefined, account)).toEqual(refused);
  });

  test("is not forged while the object is being deleted: a binding still speaks for an object that stays", () => {
    const going = { deletionTimestamp: "2026-11-22T08:00:00Z" };
    expect(fields(approvedBy("bob", object, going), object)).toEqual(refused);
  });

  test("stands in nobody's way when it is unchanged, or goes with its object", () => {
    expect(fields(approvedBy("bob", object, { labels: { tier: "web" } }), approvedBy("bob", object))).toEqual([]);
    const request = requestOf("DELETE", approvedBy("bob", object));
    expect(judgeApprovals(request).problems).toEqual([]);
  });
});

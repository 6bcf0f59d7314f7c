import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, type ResourceType } from "../../runtime/index.ts";
import { keepClaims } from "./claimGuard.ts";
import { ScriptedClient } from "../testing/scriptedClient.ts";

const STATEFULSETS: ResourceType = {
  ...{ group: "apps", version: "v1", kind: "StatefulSet", plural: "statefulsets", namespaced: true },
};
const FORBIDDEN = new ApiError(403, "Forbidden", "no");
const FAILING = new ApiError(500, "InternalError", "etcd");
const CONFLICT = { status: 409, reason: "Conflict" };

interface Live {
  whenDeleted?: string;
  templates?: object[];
  uid?: string;
  observedGeneration?: number;
}

function statefulSet({ whenDeleted, templates = [{}], uid = "u1", observedGeneration = 3 }: Live = {}): KubeObject {
  const policy = { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: "Delete" } };
  const volumes = templates.length === 0 ? {} : { volumeClaimTemplates: templates };
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "shop", uid, resourceVersion: "7", generation: 3 },
    spec: { ...volumes, ...(whenDeleted === undefined ? {} : policy) },
    status: { observedGeneration },
  };
}

const claimOf = (uid: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "data-db-0", ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid }] },
});

async function keeping(live: KubeObject | Error, claims: KubeObject[] | Error = []) {
  const client = new ScriptedClient(({ verb }) => {
    if (verb !== "list") return verb === "get" ? live : {};
    return claims instanceof Error ? claims : { items: claims };
  });
  const life = { namespace: "shop", name: "db", uid: "u1" };
  const refusal: unknown = await keepClaims(client.client, STATEFULSETS, life, new AbortController().signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { client, refusal };
}

describe("before a StatefulSet whose claims must survive is deleted", () => {
  test("its retention policy becomes Retain, and the deletion is refused for now", async () => {
    const { client, refusal } = await keeping(statefulSet({ whenDeleted: "Delete" }));
    expect(refusal).toMatchObject(CONFLICT);
    const metadata = { uid: "u1", resourceVersion: "7" };
    const spec = { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } };
    expect(client.calls).toMatchObject([{ verb: "get" }, { verb: "patch", body: { metadata, spec } }]);
  });

  test.each<[string, KubeObject | Error, KubeObject[] | Error, want: object | undefined]>([
    ["a claim names it as owner", statefulSet({ whenDeleted: "Retain" }), [claimOf("u1")], CONFLICT],
    ["a claim names another owner", statefulSet({ whenDeleted: "Retain" }), [claimOf("another")], undefined],
    ["it has no retention policy", statefulSet(), [], undefined],
    ["it has no claim templates", statefulSet({ whenDeleted: "Delete", templates: [] }), [claimOf("u1")], undefined],
    ["it is gone", new ApiError(404, "NotFound", "gone"), [], undefined],
    ["it has another UID", statefulSet({ whenDeleted: "Delete", uid: "u2" }), [], undefined],
    ["claims may not be listed and its controller is up to date", statefulSet(), FORBIDDEN, undefined],
    [
      "claims may not be listed and its controller is behind",
      statefulSet({ observedGeneration: 2 }),
      FORBIDDEN,
      CONFLICT,
    ],
    ["the StatefulSet cannot be read", FAILING, [], FAILING],
    ["the claims cannot be read", statefulSet(), FAILING, FAILING],
  ])("the answer is right when %s", async (_, live, claims, want) => {
    const { client, refusal } = await keeping(live, claims);
    if (want === undefined) expect(refusal).toBeUndefined();
    else expect(refusal).toMatchObject(want);
    expect(client.lines).not.toContain("patch statefulsets");
    if (want === CONFLICT && Array.isArray(claims)) expect((refusal as ApiError).apiMessage).toContain("data-db-0");
  });
});

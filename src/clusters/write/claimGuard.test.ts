import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { ApiError, type ResourceType } from "../../runtime/index.ts";
import { keepClaims } from "./claimGuard.ts";
import { type Answer, ScriptedClient } from "../testing/scriptedClient.ts";

const STATEFULSETS: ResourceType = {
  group: "apps",
  version: "v1",
  kind: "StatefulSet",
  plural: "statefulsets",
  namespaced: true,
};
const LIFE = { namespace: "shop", name: "db", uid: "u1" };
const FORBIDDEN = new ApiError(403, "Forbidden", "no");
const NOT_FOUND = new ApiError(404, "NotFound", "gone");

interface Wanted {
  whenDeleted?: string;
  templates?: object[];
  uid?: string;
  observedGeneration?: number;
}

function statefulSet({ whenDeleted, templates = [{}], uid = "u1", observedGeneration = 3 }: Wanted = {}): KubeObject {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: { name: "db", namespace: "shop", uid, resourceVersion: "7", generation: 3 },
    spec: {
      ...(templates.length === 0 ? {} : { volumeClaimTemplates: templates }),
      ...(whenDeleted === undefined
        ? {}
        : { persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled: "Delete" } }),
    },
    status: { observedGeneration },
  };
}

const claimOf = (uid: string): KubeObject => ({
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: {
    name: "data-db-0",
    namespace: "shop",
    ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "db", uid }],
  },
});

async function keeping(live: KubeObject | Error, claims: KubeObject[] | Error = [], patched: object = {}) {
  const answer: Answer = ({ verb }) => {
    if (verb === "get") return live;
    if (verb === "patch") return patched;
    return claims instanceof Error ? claims : { items: claims };
  };
  const client = new ScriptedClient(answer);
  const { signal } = new AbortController();
  const refusal: unknown = await keepClaims(client.client, STATEFULSETS, LIFE, signal).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { client, refusal };
}

describe("the claims of a StatefulSet that goes while its object goes on", () => {
  test("are taken from it first, and it stays until its controller has let go of them", async () => {
    const { client, refusal } = await keeping(statefulSet({ whenDeleted: "Delete" }));
    expect(refusal).toMatchObject({ status: 409, reason: "Conflict" });
    expect(client.lines).toEqual(["get statefulsets", "patch statefulsets"]);
    expect(client.calls[1]).toMatchObject({
      body: {
        metadata: { uid: "u1", resourceVersion: "7" },
        spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain" } },
      },
    });
  });

  test("keep it there while one of them names it as its owner", async () => {
    const { client, refusal } = await keeping(statefulSet({ whenDeleted: "Retain" }), [claimOf("u1")]);
    expect(refusal).toMatchObject({ status: 409, reason: "Conflict" });
    expect((refusal as ApiError).apiMessage).toContain("data-db-0");
    expect(client.lines).toEqual(["get statefulsets", "list persistentvolumeclaims"]);
  });

  test.each<{ name: string; live: KubeObject | Error; claims?: KubeObject[] | Error }>([
    { name: "none of them names it", live: statefulSet({ whenDeleted: "Retain" }), claims: [claimOf("another")] },
    { name: "it says nothing of them", live: statefulSet() },
    { name: "it has none", live: statefulSet({ whenDeleted: "Delete", templates: [] }), claims: [claimOf("u1")] },
    { name: "it is gone", live: NOT_FOUND },
    { name: "it is another life", live: statefulSet({ whenDeleted: "Delete", uid: "u2" }) },
    {
      name: "its controller has seen its last change, where nobody may list them",
      live: statefulSet(),
      claims: FORBIDDEN,
    },
  ])("let it go when $name", async ({ live, claims }) => {
    const { client, refusal } = await keeping(live, claims);
    expect(refusal).toBeUndefined();
    expect(client.lines).not.toContain("patch statefulsets");
  });

  test("keep it there where nobody may list them and its controller has not seen its last change", async () => {
    const { refusal } = await keeping(statefulSet({ observedGeneration: 2 }), FORBIDDEN);
    expect(refusal).toMatchObject({ status: 409, reason: "Conflict" });
  });

  test("keep it there when the member does not answer for them", async () => {
    const failing = new ApiError(500, "InternalError", "etcd");
    expect((await keeping(failing)).refusal).toBe(failing);
    expect((await keeping(statefulSet(), failing)).refusal).toBe(failing);
  });
});

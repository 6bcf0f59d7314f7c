import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type KubeObject, MANAGED_BY_LABEL, OBJECT_ANNOTATION, refKey, refOf } from "../../apis/index.ts";
import { ApiError, type Client, CONFIGMAPS, SECRETS } from "../../runtime/index.ts";
import { type SandboxCluster, startSandboxCluster } from "../../sandbox/index.ts";
import { connectMember, type Connection } from "../shared/connection.ts";
import { describeUnreleased, markedBy, releaseAll } from "./memberMarks.ts";

const HUB = "0f3c1d2e-4b5a-6978-8796-a5b4c3d2e1f0";
const { signal } = new AbortController();

let folder: string;
let member: SandboxCluster;
let admin: Connection;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-marks-"));
  member = await startSandboxCluster({ name: "m1", controllers: false });
  await writeFile(join(folder, "m1"), member.kubeconfig());
  admin = connectMember("m1", join(folder, "m1"), undefined);
  for (const name of ["first", "second", "stuck"])
    await admin.client.create(CONFIGMAPS, object("ConfigMap", name, true));
  // As Kubernetes copies the label of a Service to its EndpointSlices.
  await admin.client.create(SECRETS, object("Secret", "copied", false));
});
afterAll(async () => {
  await admin?.[Symbol.asyncDispose]();
  await member?.stop();
  await rm(folder, { recursive: true, force: true });
});

function object(kind: string, name: string, named: boolean): KubeObject {
  const metadata = { name, namespace: "default", labels: { [MANAGED_BY_LABEL]: HUB } };
  const plain: KubeObject = { apiVersion: "v1", kind, metadata };
  return named
    ? { ...plain, metadata: { ...metadata, annotations: { [OBJECT_ANNOTATION]: refKey(refOf(plain)) } } }
    : plain;
}

/** The member refuses writes to one object, and lists of one kind. */
function refusing(name: string, unlisted?: string): Client {
  const { client } = admin;
  const refused = new ApiError(422, "Invalid", "a policy says no");
  return new Proxy(client, {
    get(target, property) {
      const member: unknown = Reflect.get(target, property);
      if (typeof member !== "function") return member;
      return (...args: unknown[]): unknown => {
        const [type] = args as [{ plural?: string } | undefined];
        if (property === "patch" && args[2] === name) throw refused;
        if (property === "list" && type?.plural === unlisted) throw new ApiError(500, "InternalError", "etcd is away");
        return member.apply(target, args);
      };
    },
  });
}

test("what a hub has put on a member is what names itself: a label alone may be copied", async () => {
  const { marked, unread } = await markedBy(HUB, admin, signal);
  expect(marked.map(({ name }) => name).toSorted()).toEqual(["first", "second", "stuck"]);
  expect(unread).toEqual([]);
});

test("one failure does not keep the other objects from being released, and is named", async () => {
  const { released, left } = await releaseAll(HUB, { client: refusing("stuck", "secrets") }, signal);
  expect(released).toBe(2);
  expect(left.map(({ what }) => what)).toEqual(["configmap default/stuck", "secrets"]);
  expect(describeUnreleased(left)).toMatch(/^configmap default\/stuck \(.*a policy says no\), secrets \(.*\)$/);
  const labels = async (name: string) => (await admin.client.get(CONFIGMAPS, "default", name)).metadata.labels;
  expect([await labels("first"), await labels("stuck")]).toEqual([undefined, { [MANAGED_BY_LABEL]: HUB }]);
  expect((await admin.client.get(SECRETS, "default", "copied")).metadata.labels).toEqual({ [MANAGED_BY_LABEL]: HUB });
});

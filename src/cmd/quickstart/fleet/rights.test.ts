import { describe, expect, test } from "vitest";
import type { Client } from "../../../runtime/index.ts";
import { memberAccess } from "../../member/memberAccess.ts";
import { describeRights, hubRights, memberRights, missingRights } from "./rights.ts";

interface Attributes {
  group: string;
  resource: string;
  subresource?: string;
  verb: string;
  namespace?: string;
}

/** A cluster that allows what `allows` says. */
function cluster(allows: (attributes: Attributes) => boolean): { client: Client; asked: Attributes[] } {
  const asked: Attributes[] = [];
  const raw = async (_method: string, _path: string, { body }: { body?: unknown } = {}): Promise<unknown> => {
    const { resourceAttributes } = (body as { spec: { resourceAttributes: Attributes } }).spec;
    asked.push(resourceAttributes);
    return { status: { allowed: allows(resourceAttributes) } };
  };
  return { client: { raw } as unknown as Client, asked };
}

const signal = new AbortController().signal;
const access = memberAccess("0123456789", "meridian-system");

describe("missing rights", () => {
  test("of an administrator are none, after one question", async () => {
    const { client, asked } = cluster(() => true);
    expect(await missingRights(client, hubRights("meridian-system"), signal)).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test("are those that the cluster refuses", async () => {
    const { client } = cluster(
      ({ resource, verb }) => resource !== "*" && !(resource === "clusterroles" && verb === "create"),
    );
    expect(await missingRights(client, memberRights(access), signal)).toEqual([
      { group: "rbac.authorization.k8s.io", resource: "clusterroles", verb: "create" },
    ]);
  });

  test("of a subresource are asked for as such", async () => {
    const { client, asked } = cluster(({ resource }) => resource !== "*");
    const right = { group: "", resource: "serviceaccounts", verb: "create", namespace: "x" };
    await missingRights(client, [{ ...right, resource: "serviceaccounts/token" }], signal);
    expect(asked[1]).toEqual({ ...right, subresource: "token" });
  });
});

test("on a member everything is needed that join gives away, once each", () => {
  const rights = memberRights(access);
  expect(rights).toContainEqual({ group: "apps", resource: "deployments", verb: "watch" });
  expect(new Set(rights.map((right) => JSON.stringify(right))).size).toBe(rights.length);
});

test("are listed by resource", () => {
  expect(
    describeRights([
      { group: "", resource: "secrets", verb: "create", namespace: "meridian-system" },
      { group: "", resource: "secrets", verb: "patch", namespace: "meridian-system" },
      { group: "rbac.authorization.k8s.io", resource: "clusterroles", verb: "create" },
    ]),
  ).toEqual(["create, patch secrets in namespace meridian-system", "create clusterroles.rbac.authorization.k8s.io"]);
});

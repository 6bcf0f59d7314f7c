import { describe, expect, test } from "vitest";
import { isGranted, namespaceNotGranted } from "./grantedNamespaces.ts";
import { memberClusterSpec } from "../kinds/membercluster.ts";

describe("a member", () => {
  test.each([
    { name: "takes every namespace when it names none", namespaces: undefined, namespace: "shop", want: true },
    {
      name: "takes cluster-scoped objects when it names none",
      namespaces: undefined,
      namespace: undefined,
      want: true,
    },
    { name: "takes the namespaces that it names", namespaces: ["bank", "shop"], namespace: "shop", want: true },
    { name: "takes no other namespace", namespaces: ["bank", "shop"], namespace: "default", want: false },
    { name: "takes no cluster-scoped objects then", namespaces: ["bank"], namespace: undefined, want: false },
  ])("$name", ({ namespaces, namespace, want }) => expect(isGranted(namespaces, namespace)).toBe(want));

  const connection = { local: {} };
  test.each([{ namespaces: [] }, { namespaces: ["a", "a"] }, { namespaces: ["*"] }, { namespaces: ["Shop"] }])(
    "is not bounded to %j",
    (spec) => expect(memberClusterSpec.safeParse({ connection, ...spec }).success).toBe(false),
  );
});

test.each<{ name: string; namespace?: string; remedy: string; what: string }>([
  {
    name: "names the command that grants its namespace",
    namespace: "shop",
    what: "namespace shop is not granted",
    remedy: "`meridian join shanghai-1 --renew --namespaces bank,shop --member-kubeconfig FILE`",
  },
  {
    name: "that is cluster-scoped needs the whole cluster",
    what: "cluster-scoped objects are not granted",
    remedy: "`meridian join shanghai-1 --renew --namespaces '*' --member-kubeconfig FILE`",
  },
])("an object that is not granted $name", ({ namespace, what, remedy }) =>
  expect(namespaceNotGranted("shanghai-1", ["bank"], namespace)).toEqual({
    reason: "NamespaceNotGranted",
    message: { what, remedy },
  }),
);

import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
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

describe("an object that is not granted", () => {
  test("names the command that grants its namespace", () => {
    expect(namespaceNotGranted("shanghai-1", ["bank"], "shop")).toEqual({
      reason: "NamespaceNotGranted",
      message:
        "namespace shop is not granted: `meridian join shanghai-1 --renew --namespaces bank,shop --member-kubeconfig FILE`",
    });
  });

  test("names the flag where the list is long", () => {
    const many = Array.from({ length: 30 }, (_, index) => `team-${index}`);
    expect(namespaceNotGranted("shanghai-1", many, "shop").message).toBe(
      "namespace shop is not granted: renew shanghai-1, and add it to --namespaces",
    );
  });

  test("that is cluster-scoped needs the whole cluster", () => {
    expect(namespaceNotGranted("shanghai-1", ["bank"], undefined).message).toBe(
      "shanghai-1 takes no cluster-scoped objects: `meridian join shanghai-1 --renew --namespaces '*' --member-kubeconfig FILE`",
    );
  });

  const label = fc.stringMatching(/^[a-z]{1,63}$/);
  test.prop([label, fc.array(label, { maxLength: 20 }), fc.option(label, { nil: undefined })])(
    "says so in a condition's room",
    (cluster, namespaces, namespace) => {
      const { message } = namespaceNotGranted(cluster, namespaces, namespace);
      expect(message.length).toBeLessThanOrEqual(120);
      expect(message).toContain("--namespaces".slice(0, namespace === undefined ? 12 : 0));
    },
  );
});

import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import type { DependencyKind } from "../../apis/index.ts";
import { podDependencies } from "./podDependencies.ts";
import { References, type ReferenceTerms } from "./references.ts";
import type { Dependency } from "../types.ts";

const SHOP = { apiVersion: "v1", namespace: "shop" };
const dependency = (kind: string, name: string, terms: ReferenceTerms = {}): object => ({
  ref: { ...SHOP, kind, name },
  optional: false,
  readByPods: false,
  ...terms,
});

/** What is found of these, in the namespace `shop`. */
function found(...given: [kind: DependencyKind, named: unknown, terms?: ReferenceTerms][]): Dependency[] {
  const references = new References("shop");
  for (const [kind, named, terms] of given) references.add(kind, named, terms);
  return references.list();
}

describe("references", () => {
  test("are to objects of the namespace, or of none where there is none", () => {
    expect(found(["Secret", "a"])).toStrictEqual([dependency("Secret", "a")]);
    const references = new References(undefined);
    references.add("Secret", "a", { optional: true });
    expect(references.list()).toStrictEqual([
      { ref: { apiVersion: "v1", kind: "Secret", name: "a" }, optional: true, readByPods: false },
    ]);
  });

  test.each([undefined, null, "", 7, {}])("are to nothing by the name %j", (named) => {
    expect(found(["Secret", named])).toEqual([]);
  });

  test("are to nothing that every namespace has of itself", () => {
    expect(found(["ConfigMap", "kube-root-ca.crt"], ["ServiceAccount", "default"])).toEqual([]);
    expect(found(["Secret", "kube-root-ca.crt"], ["ConfigMap", "default"])).toStrictEqual([
      dependency("ConfigMap", "default"),
      dependency("Secret", "kube-root-ca.crt"),
    ]);
  });

  test("are sorted by kind, then by name", () => {
    const sorted = [
      dependency("ConfigMap", "b"),
      dependency("PersistentVolumeClaim", "a"),
      dependency("Secret", "a"),
      dependency("Secret", "b"),
      dependency("Secret", "c"),
    ];
    const given: [DependencyKind, string][] = [
      ["Secret", "b"],
      ["PersistentVolumeClaim", "a"],
      ["Secret", "c"],
      ["ConfigMap", "b"],
      ["Secret", "a"],
    ];
    expect(found(...given)).toStrictEqual(sorted);
    expect(found(...given.toReversed())).toStrictEqual(sorted);
  });

  test.prop([fc.array(fc.record({ optional: fc.boolean(), readByPods: fc.boolean() }), { minLength: 1 })])(
    "to one object are optional when all are, and read by pods when one is",
    (all) => {
      const given = all.map((terms): [DependencyKind, string, ReferenceTerms] => ["Secret", "a", terms]);
      expect(found(...given)).toStrictEqual([
        dependency("Secret", "a", {
          optional: all.every(({ optional }) => optional),
          readByPods: all.some(({ readByPods }) => readByPods),
        }),
      ]);
    },
  );
});

describe("what a pod needs", () => {
  const READ = { readByPods: true };
  const MAYBE = { optional: true, readByPods: true };
  const env = (valueFrom: object): object => ({ env: [{ name: "A", valueFrom }] });
  const volume = (source: object): object => ({ volumes: [{ name: "v", ...source }] });
  const projected = (source: object): object => volume({ projected: { sources: [source] } });

  test.each<{ name: string; spec: object; want: object[] }>([
    {
      name: "a variable of a ConfigMap",
      spec: { containers: [env({ configMapKeyRef: { name: "a", key: "k" } })] },
      want: [dependency("ConfigMap", "a", READ)],
    },
    {
      name: "all variables of a ConfigMap that may be missing",
      spec: { initContainers: [{ envFrom: [{ configMapRef: { name: "a", optional: true } }] }] },
      want: [dependency("ConfigMap", "a", MAYBE)],
    },
    {
      name: "all variables of a Secret",
      spec: { ephemeralContainers: [{ envFrom: [{ secretRef: { name: "a", optional: "true" } }] }] },
      want: [dependency("Secret", "a", READ)],
    },
    {
      name: "the files of a ConfigMap",
      spec: volume({ configMap: { name: "a" } }),
      want: [dependency("ConfigMap", "a", READ)],
    },
    {
      name: "the files of a Secret, which a volume calls so",
      spec: volume({ secret: { secretName: "a", name: "b" } }),
      want: [dependency("Secret", "a", READ)],
    },
    {
      name: "the files of a Secret, which a source calls otherwise",
      spec: projected({ secret: { name: "a", secretName: "b", optional: true } }),
      want: [dependency("Secret", "a", MAYBE)],
    },
    {
      name: "a claim, which no pod reads",
      spec: volume({ persistentVolumeClaim: { claimName: "a" } }),
      want: [dependency("PersistentVolumeClaim", "a")],
    },
    ...["cephfs", "iscsi", "rbd"].map((kind) => ({
      name: `the Secret of a ${kind}, which no pod reads`,
      spec: volume({ [kind]: { secretRef: { name: "a" } } }),
      want: [dependency("Secret", "a")],
    })),
    {
      name: "the Secret of a driver, which no pod reads",
      spec: volume({ csi: { nodePublishSecretRef: { name: "a" }, secretRef: { name: "b" } } }),
      want: [dependency("Secret", "a")],
    },
    {
      name: "the Secret of files in Azure, which no pod reads",
      spec: volume({ azureFile: { secretName: "a" } }),
      want: [dependency("Secret", "a")],
    },
    {
      name: "pull secrets, which no pod reads",
      spec: { imagePullSecrets: [{ name: "b" }, { name: "a" }] },
      want: [dependency("Secret", "a"), dependency("Secret", "b")],
    },
    {
      name: "its service account by the newer name of the field",
      spec: { serviceAccountName: "a", serviceAccount: "b" },
      want: [dependency("ServiceAccount", "a")],
    },
    {
      name: "its service account by the older name of the field",
      spec: { serviceAccount: "b" },
      want: [dependency("ServiceAccount", "b")],
    },
  ])("is $name", ({ spec, want }) => expect(podDependencies(spec, "shop")).toStrictEqual(want));
});

import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { bundle } from "../../../test/builders/index.ts";
import { applicationObject } from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import { namespaceTerms } from "../../desiredstate/index.ts";
import { unpack } from "../../hub/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { factsOf, requestOf } from "../testing/facts.ts";
import { NOW, said } from "../testing/judging.ts";
import { defaultsOf } from "./defaults.ts";
import { judgeRequest } from "./judge.ts";

describe("a bundle", () => {
  const account = { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "a" } };
  const bundleOf = (spec: object): KubeObject => ({ ...bundle("operator", []), spec });
  const packed = (value: unknown): string => gzipSync(JSON.stringify(value)).toString("base64");
  const saidOf = async (compressed: string): Promise<string> =>
    said(requestOf("CREATE", bundleOf({ compressed })), {
      unpacked: new Map([[compressed, await unpack(compressed, systemClock)]]),
    });

  test("is refused for what is wrong with a manifest, by its place, also where it is compressed", async () => {
    const token = { ...account, kind: "Secret", type: "kubernetes.io/service-account-token" };
    expect(said(requestOf("CREATE", bundleOf({ manifests: [account, token] })))).toBe(
      "spec.manifests[1].type: a Secret that holds a token is never sent to members; remove it",
    );
    expect(await saidOf(packed([account, { ...account, status: {} }]))).toBe(
      "spec.compressed[1].status: is written by each member; remove it from the manifest",
    );
  });

  test("is warned of what its Namespace does not allow yet, with one command, and of entries of one key", () => {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "ClusterRole",
      metadata: { name: "r" },
      rules: [],
    };
    const twice = { ...account, secrets: [{ name: "s" }, { name: "s" }] };
    const [namespace = ""] = [bundle("operator", []).metadata.namespace];
    const warningsOf = (annotations: Record<string, string>): string[] =>
      judgeRequest(
        requestOf("CREATE", bundleOf({ manifests: [role, twice] })),
        factsOf({ namespaceTerms: namespaceTerms({ name: namespace, annotations }, false) }),
        NOW,
      ).warnings;
    const [grant, entries, ...others] = warningsOf({});
    expect(grant).toContain(`kubectl annotate --overwrite namespace ${namespace}`);
    expect(grant).toContain("allowed-bundle-kinds=ClusterRole");
    expect(entries).toContain("secrets: s stands there twice");
    expect(others).toEqual([]);
    expect(warningsOf({ "federation.paas.cmft.com/allowed-bundle-kinds": "ClusterRole" })).toEqual([entries]);
  });

  test("is told twenty of its mistakes at most", () => {
    const wrong = Array.from({ length: 100 }, (_, index) => ({
      ...account,
      metadata: { name: `a${index}` },
      status: {},
    }));
    expect(judgeRequest(requestOf("CREATE", bundleOf({ manifests: wrong })), factsOf(), NOW).problems).toHaveLength(20);
  });

  test("gets the finalizer of its objects as it is made", () => {
    expect(defaultsOf(requestOf("CREATE", bundleOf({ manifests: [account] })), new Set(["default"]))).toEqual(
      defaultsOf(requestOf("CREATE", applicationObject({})), new Set(["default"])),
    );
  });
});

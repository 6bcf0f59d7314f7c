import { join } from "node:path";
import { expect, test } from "vitest";
import {
  ALLOWED_BUNDLE_KINDS_ANNOTATION,
  ALLOWED_SERVICE_ACCOUNTS_ANNOTATION,
  FEDERATION_API_VERSION,
  type FederatedStatus,
  type KubeObject,
} from "../../src/apis/index.ts";
import { clusterPlacement } from "../builders/index.ts";
import { useFederation } from "../e2e/federation.ts";
import { objectPath, pathOf, secret } from "../e2e/objects.ts";
import { eventually, meridian, meridianOk } from "../envtest/index.ts";
import { helmBinary } from "../envtest/helm.ts";
import { moduleFolder } from "./publishedCrds.ts";

/** The README's way of an operator to its regions, with what others publish: their own rendered manifests and their own Helm charts, as they are. */

const MEMBERS = ["shanghai-1", "singapore-1", "frankfurt-1"];
const KINDS = [
  ...["CustomResourceDefinition", "ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
  ...["StatefulSet.apps", "NetworkPolicy.networking.k8s.io"],
];

const federation = useFederation({
  members: MEMBERS.map((name, index) => ({ name, region: `region-${index}` })),
  hub: { controllerManager: false },
  joinArgs: ["--kinds", KINDS.join(",")],
});

interface Operator {
  name: string;
  module: string;
  /** The arguments of `bundle create` that say what the operator is made of; `folder` is the module's. */
  source: (folder: string) => string[];
  namespace: string;
  deployment: string;
  /** What the operator's own containers make on each cluster. */
  madeThere: KubeObject[];
}

const OPERATORS: Operator[] = [
  {
    name: "prometheus-operator",
    module: "github.com/prometheus-operator/prometheus-operator@v0.79.2",
    source: (folder) => ["-f", join(folder, "bundle.yaml")],
    namespace: "default",
    deployment: "prometheus-operator",
    madeThere: [],
  },
  {
    name: "argocd",
    module: "github.com/argoproj/argo-cd/v2@v2.13.2",
    source: (folder) => ["-f", join(folder, "manifests/install.yaml")],
    namespace: "argocd",
    deployment: "argocd-server",
    madeThere: [
      { apiVersion: "v1", kind: "Namespace", metadata: { name: "argocd" } },
      secret("argocd", "argocd-redis", { auth: "word" }),
    ],
  },
  {
    name: "kyverno",
    module: "github.com/kyverno/kyverno@v1.13.2",
    source: (folder) => ["--helm", join(folder, "charts/kyverno")],
    namespace: "kyverno",
    deployment: "kyverno-admission-controller",
    madeThere: [],
  },
  {
    name: "crossplane",
    module: "github.com/crossplane/crossplane@v1.18.1",
    source: (folder) => ["--helm", join(folder, "cluster/charts/crossplane")],
    namespace: "crossplane-system",
    deployment: "crossplane",
    madeThere: [],
  },
];

test.each(OPERATORS)(
  "$name, as its project publishes it, runs in three regions and not on the hub",
  async (operator) => {
    const { name, module, source, namespace, deployment, madeThere } = operator;
    await federation.apply({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: {
        name: namespace,
        annotations: {
          [ALLOWED_BUNDLE_KINDS_ANNOTATION]: "CustomResourceDefinition,ClusterRole,ClusterRoleBinding,Role,RoleBinding",
          [ALLOWED_SERVICE_ACCOUNTS_ANNOTATION]: "*",
        },
      },
    } as KubeObject);
    const made = source(await moduleFolder(module));
    const env = { ...process.env, HELM: await helmBinary() };
    await meridianOk(federation.hub, ["bundle", "create", name, "-n", namespace, ...made, "--apply"], { env });
    for (const member of MEMBERS)
      for (const object of madeThere) await federation.memberApi(member).apply(pathOf(object), object);
    const bundle = { apiVersion: FEDERATION_API_VERSION, kind: "ManifestBundle", name };
    await federation.apply(clusterPlacement(name).selects(bundle));
    await eventually(
      async () => {
        const found = await federation.api.get<KubeObject & { status?: FederatedStatus }>(
          objectPath("ManifestBundle", namespace, name),
        );
        const entries = found.status?.clusters ?? [];
        expect(entries.map((entry) => [entry.name, entry.state, entry.reason, entry.message])).toEqual(
          MEMBERS.toSorted().map((member) => [member, "Available", undefined, undefined]),
        );
      },
      { timeout: 100_000 },
    );
    for (const member of MEMBERS) expect(await federation.deployment(member, namespace, deployment)).toBeDefined();
    expect(await federation.api.find(objectPath("Deployment", namespace, deployment))).toBeUndefined();
    const said = await meridian(federation.hub, ["status", `manifestbundle/${name}`, "-n", namespace]);
    expect([said.code, said.stdout]).toEqual([0, expect.stringContaining(name)]);
  },
);

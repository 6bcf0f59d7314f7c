import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";
import { moduleFolder } from "./publishedCrds.ts";

/** Manifests of two versions of a project, as it publishes them in its Go module: none of them is part of this one. */
export interface Project {
  name: string;
  /** Where its objects go that name no namespace. */
  namespace: string;
  old: Source;
  new: Source;
}

interface Source {
  module: string;
  /** Glob pattern of the files in the module. */
  files: string;
}

const at = (module: string, files: string): Source => ({ module, files });

export const PROJECTS: readonly Project[] = [
  {
    name: "gateway-api",
    namespace: "gateway-system",
    old: at("sigs.k8s.io/gateway-api@v1.2.1", "config/crd/standard/gateway.*.yaml"),
    new: at("sigs.k8s.io/gateway-api@v1.4.0", "config/crd/standard/gateway.*.yaml"),
  },
  {
    name: "metallb",
    namespace: "metallb-system",
    old: at("go.universe.tf/metallb@v0.14.9", "config/manifests/metallb-native.yaml"),
    new: at("go.universe.tf/metallb@v0.15.2", "config/manifests/metallb-frr.yaml"),
  },
  {
    name: "cloudnative-pg",
    namespace: "cnpg-system",
    old: at("github.com/cloudnative-pg/cloudnative-pg@v1.25.1", "releases/cnpg-1.23.3.yaml"),
    new: at("github.com/cloudnative-pg/cloudnative-pg@v1.25.1", "releases/cnpg-1.25.1.yaml"),
  },
  {
    name: "argo-rollouts",
    namespace: "argo-rollouts",
    old: at("github.com/argoproj/argo-rollouts@v1.7.2", "manifests/install.yaml"),
    new: at("github.com/argoproj/argo-rollouts@v1.8.3", "manifests/install.yaml"),
  },
  {
    name: "argo-cd",
    namespace: "argocd",
    old: at("github.com/argoproj/argo-cd/v2@v2.13.2", "manifests/install.yaml"),
    new: at("github.com/argoproj/argo-cd/v2@v2.14.11", "manifests/install.yaml"),
  },
  {
    name: "prometheus-operator",
    namespace: "default",
    old: at("github.com/prometheus-operator/prometheus-operator@v0.79.2", "bundle.yaml"),
    new: at("github.com/prometheus-operator/prometheus-operator@v0.85.0", "bundle.yaml"),
  },
];

/** Files of one version of a project, and the objects in them. */
export interface Published {
  files: string[];
  objects: KubeObject[];
}

/** Loads what the module cache lacks. */
export async function published({ module, files: pattern }: Source, namespace: string): Promise<Published> {
  const folder = await moduleFolder(module);
  const files: string[] = [];
  for await (const file of glob(pattern, { cwd: folder })) files.push(join(folder, file));
  if (files.length === 0) throw new Error(`${module} has no ${pattern}`);
  const objects: KubeObject[] = [];
  for (const file of files.toSorted())
    for (const document of parseAllDocuments(await readFile(file, "utf8"))) {
      const object = document.toJS() as KubeObject | null;
      if (object !== null) objects.push(placedIn(object, namespace));
    }
  return { files: files.toSorted(), objects };
}

const CLUSTER_SCOPED = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "MutatingWebhookConfiguration",
  "Namespace",
  "ValidatingWebhookConfiguration",
]);

function placedIn(object: KubeObject, namespace: string): KubeObject {
  if (CLUSTER_SCOPED.has(object.kind)) return object;
  return { ...object, metadata: { ...object.metadata, namespace: object.metadata.namespace ?? namespace } };
}

import { execFile } from "node:child_process";
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";

/** CRDs as others publish them, out of the Go modules that hold them: none of them is part of this project. */

interface Published {
  module: string;
  files: string;
}

export const PUBLISHED: readonly Published[] = [
  { module: "github.com/cert-manager/cert-manager@v1.16.2", files: "deploy/crds/*.yaml" },
  { module: "github.com/argoproj/argo-cd/v2@v2.13.2", files: "manifests/crds/*.yaml" },
  { module: "github.com/crossplane/crossplane@v1.18.1", files: "cluster/crds/*.yaml" },
  {
    module: "github.com/prometheus-operator/prometheus-operator@v0.79.2",
    files: "example/prometheus-operator-crd/*.yaml",
  },
  { module: "github.com/kyverno/kyverno@v1.13.2", files: "config/crds/**/*.yaml" },
];

/** Where the module is in the module cache, into which Go loads what it lacks. */
export async function moduleFolder(module: string): Promise<string> {
  const { stdout } = await promisify(execFile)("go", ["mod", "download", "-json", module]);
  return (JSON.parse(stdout) as { Dir: string }).Dir;
}

export async function publishedCrds(): Promise<KubeObject[]> {
  const found: KubeObject[] = [];
  for (const { module, files } of PUBLISHED) {
    const folder = await moduleFolder(module);
    for await (const file of glob(files, { cwd: folder })) {
      for (const document of parseAllDocuments(await readFile(join(folder, file), "utf8"))) {
        const object = document.toJS() as KubeObject | null;
        if (object?.kind === "CustomResourceDefinition") found.push(withoutTemplates(object));
      }
    }
  }
  return found;
}

/** cert-manager's files are templates of a chart, which give their objects labels and nothing else. */
function withoutTemplates(crd: KubeObject): KubeObject {
  const annotations = Object.entries(crd.metadata.annotations ?? {}).filter(([, value]) => !value.includes("{{"));
  return {
    apiVersion: crd.apiVersion,
    kind: crd.kind,
    metadata: { name: crd.metadata.name, annotations: Object.fromEntries(annotations) },
    spec: crd["spec"],
  } as KubeObject;
}

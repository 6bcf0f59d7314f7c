import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { type KubeObject } from "../../src/apis/index.ts";
import { runCommandLine } from "../../src/cmd/index.ts";
import { temporaryFolder } from "../../src/cmd/realClusters/index.ts";
import { unpackBundle } from "../../src/hub/index.ts";
import { systemClock } from "../../src/runtime/index.ts";
import { definition, operator, serviceAccount } from "../builders/index.ts";
import { controlPlaneAssets } from "../envtest/assets.ts";
import { helmBinary } from "../envtest/helm.ts";

async function create(args: string[]) {
  const told = { code: -1, out: "", err: "" };
  const terminal = {
    out: (text: string) => void (told.out += text),
    err: (text: string) => void (told.err += text),
    color: false,
    interactive: false,
  };
  const env = {
    ...process.env,
    HELM: await helmBinary(),
    KUBECTL: (await controlPlaneAssets()).kubectl,
    HELM_NO_PLUGINS: "1",
  };
  const context = { terminal, signal: new AbortController().signal, env };
  told.code = await runCommandLine(["bundle", "create", ...args], context);
  return told;
}

async function write(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const named = (object: KubeObject, name: string, annotations: object = {}): string =>
  stringify({ ...object, metadata: { name, annotations } });

describe("meridian bundle create, with the real helm", () => {
  test("keeps the definitions of the chart and its values, and leaves hooks out", async () => {
    await using folder = await temporaryFolder("bundle-chart-");
    await write(folder.path, {
      "Chart.yaml": "apiVersion: v2\nname: operator\nversion: 1.2.3\n",
      "values.yaml": "image: operator:1\n",
      "more.yaml": "image: operator:2\n",
      "crds/widgets.yaml": stringify(definition()),
      "templates/account.yaml": named(serviceAccount("x"), "{{ .Release.Name }}"),
      "templates/operator.yaml": stringify(operator("operator")).replace("operator:1", "{{ .Values.image }}"),
      "templates/namespaced.yaml":
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: where, namespace: {{ .Release.Namespace }}}\n",
      "templates/hook.yaml": named(serviceAccount("x"), "before", { "helm.sh/hook": "pre-install" }),
      "templates/tests/try.yaml": named(serviceAccount("x"), "try", { "helm.sh/hook": "test" }),
    });
    const args = ["mysql", "-n", "shop", "--helm", folder.path, "--values", join(folder.path, "more.yaml")];
    const { code, out, err } = await create(args);
    const { manifests } = await unpackBundle((parse(out) as KubeObject)["spec"], systemClock);
    expect([code, manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`)]).toEqual([
      0,
      [
        "CustomResourceDefinition widgets.example.com",
        "ConfigMap where",
        "ServiceAccount mysql",
        "Deployment operator",
      ],
    ]);
    expect(JSON.stringify(manifests[3])).toContain("operator:2");
    expect(manifests[1]?.metadata.namespace).toBe("shop");
    expect(err).toContain("ServiceAccount before is left out: it is a hook (pre-install)");
    expect(err).not.toContain("try");
    expect(err).toContain(`kubectl apply --server-side -f ${join(folder.path, "crds")}\n`);
  });

  test("passes on what helm says of a chart that is wrong", async () => {
    await using folder = await temporaryFolder("bundle-chart-");
    await write(folder.path, { "Chart.yaml": "apiVersion: v2\nname: operator\nversion: 1.2.3\n" });
    const { code, err } = await create(["mysql", "--helm", join(folder.path, "nowhere")]);
    expect(code).toBe(2);
    expect(err).toMatch(/^meridian: helm template refuses: Error: .*nowhere/);
  });
});

describe("meridian bundle create, with the real kubectl", () => {
  test("renders a kustomization", async () => {
    await using folder = await temporaryFolder("bundle-kustomize-");
    await write(folder.path, {
      "kustomization.yaml": "resources: [account.yaml]\nnamePrefix: eu-\n",
      "account.yaml": stringify(serviceAccount("operator")),
    });
    const { code, out, err } = await create(["mysql", "--kustomize", folder.path]);
    expect(code, err).toBe(0);
    expect(err).toContain("meridian join NAME --renew --kinds ServiceAccount --member-kubeconfig FILE\n");
    const { manifests } = await unpackBundle((parse(out) as KubeObject)["spec"], systemClock);
    expect(manifests.map(({ metadata }) => metadata.name)).toEqual(["eu-operator"]);
  });
});

import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { clusterRole, definition, operator, serviceAccount, widget } from "../../../test/builders/index.ts";
import { canonicalJson, hashOfText, type KubeObject, parseJson, parseYaml } from "../../apis/index.ts";
import { unpackBundle } from "../../hub/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { type Ran, runMeridian } from "../testing/commandLine.ts";

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "meridian-bundle-"))));
afterAll(() => rm(folder, { recursive: true, force: true }));

const create = (args: string[], env: Record<string, string> = {}): Promise<Ran> =>
  runMeridian(["bundle", "create", ...args], { PATH: process.env["PATH"] ?? "", ...env });

async function file(name: string, ...objects: readonly object[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, objects.map((object) => stringify(object)).join("---\n"));
  return path;
}

const names = async (bundle: KubeObject): Promise<string[]> =>
  (await unpackBundle(bundle["spec"], systemClock)).manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe("a bundle of files", () => {
  test("holds what they hold, in the order of application", async () => {
    const path = await file("all.yaml", widget("w"), operator("op"), serviceAccount("op"), definition());
    const { code, out, err } = await create(["op", "-n", "shop", "-f", path]);
    const bundle = parse(out) as KubeObject;
    expect(code).toBe(0);
    expect(bundle).toMatchObject({ kind: "ManifestBundle", metadata: { name: "op", namespace: "shop" } });
    expect(await names(bundle)).toEqual([
      "CustomResourceDefinition widgets.example.com",
      "ServiceAccount op",
      "Deployment op",
      "Widget w",
    ]);
    expect(err).toContain(
      "kubectl annotate --overwrite namespace shop federation.paas.cmft.com/allowed-bundle-kinds=CustomResourceDefinition",
    );
    expect(err).toContain(
      "meridian join NAME --renew --kinds CustomResourceDefinition.apiextensions.k8s.io,ServiceAccount,widgets.example.com --member-kubeconfig FILE\n",
    );
  });

  test("says which definitions it brings, and how a hub gets these, which then prints them alone", async () => {
    const path = await file("with definitions.yaml", widget("w"), operator("op"), definition());
    const { err } = await create(["op", "-n", "shop", "-f", path]);
    const [, printed = ""] =
      /brings the definition of widgets\.example\.com.*: (meridian bundle create .*)\n/.exec(err) ?? [];
    expect(printed).toBe(`meridian bundle create op -f '${path}' --crds | kubectl apply --server-side -f -`);
    const alone = await create(["op", "-f", path, "--crds"]);
    expect([alone.code, alone.err]).toEqual([0, ""]);
    expect(parse(alone.out)).toMatchObject({
      kind: "CustomResourceDefinition",
      metadata: { name: "widgets.example.com" },
    });
  });

  test("says which definitions it needs and does not bring", async () => {
    const { err } = await create(["op", "-n", "shop", "-f", await file("custom.yaml", widget("w"))]);
    expect(err).toMatch(
      /no definition of Widget\.example\.com.*: meridian bundle create op-definitions -n shop -f FILE --apply\n/,
    );
  });

  test("names what members have to open with what they have to grant, in one command", async () => {
    const role = {
      apiVersion: "rbac.authorization.k8s.io/v1",
      kind: "Role",
      metadata: { name: "r", namespace: "kube-system" },
    };
    const { err } = await create(["op", "-n", "shop", "-f", await file("role.yaml", role)]);
    expect(err).toContain(
      "meridian join NAME --renew --kinds Role.rbac.authorization.k8s.io --allow-protected kube-system/Role --member-kubeconfig FILE\n",
    );
    expect(err).toContain("=kube-system/Role\n");
  });

  test("says by which annotations the hub allows what its pods name", async () => {
    const workload = operator("agent");
    const { template } = workload["spec"] as { template: { spec: Record<string, unknown> } };
    Object.assign(template.spec, { serviceAccountName: "of-the-member" });
    const [container] = template.spec["containers"] as Record<string, unknown>[];
    Object.assign(container ?? {}, { ports: [{ containerPort: 9100, hostPort: 9100 }] });
    const { err } = await create(["agent", "-n", "shop", "-f", await file("agent.yaml", workload)]);
    expect(err).toContain(
      "kubectl annotate --overwrite namespace shop federation.paas.cmft.com/allowed-host-ports=9100 federation.paas.cmft.com/allowed-service-accounts=of-the-member\n",
    );
  });

  test.each(["yaml", "compressed"])(
    "is read as kubectl reads files, and printed so that kubectl reads the same (%s)",
    async (form) => {
      const path = join(folder, "written.yaml");
      const filler =
        form === "yaml"
          ? ""
          : `  filler: ${Array.from({ length: 60_000 }, (_, at) => hashOfText(String(at))).join("")}\n`;
      await writeFile(
        path,
        `apiVersion: example.com/v1
kind: Widget
metadata: {name: w, annotations: {a: "yes", b: "0400"}}
spec:
  defaultMode: 0400
  tty: yes
  many: 1_000
  time: 1:30
  id: 9007199254740993
  least: -9223372036854775808
  empty: []
  nothing: ~
  mixed: [[], {}, x, null]
  __proto__: {y: "n"}
  texts: ["no", "0x10", "~", "1e3", 2026-11-26]
${filler}`,
      );
      const { code, out, err } = await create(["w", "-n", "shop", "-f", path]);
      expect({ code, err }).toMatchObject({ code: 0 });
      const { manifests } = await unpackBundle((parseYaml(out) as KubeObject)["spec"], systemClock);
      const [{ spec, metadata } = {}] = manifests as (KubeObject & { spec: object })[];
      const { filler: _, ...written } = spec as { filler?: string };
      expect(JSON.stringify(metadata?.annotations)).toBe('{"a":"yes","b":"0400"}');
      expect(canonicalJson(written)).toBe(
        canonicalJson(
          parseJson(
            '{"defaultMode":256,"tty":true,"many":1000,"time":"1:30","id":9007199254740993,"least":-9223372036854775808,"empty":[],"nothing":null,"mixed":[[],{},"x",null],"__proto__":{"true":"n"},"texts":["no","0x10","~","1e3","2026-11-26"]}',
          ),
        ),
      );
    },
  );

  test("reads folders and lists, and leaves out what servers wrote", async () => {
    const inner = join(folder, "deep", "er");
    await mkdir(inner, { recursive: true });
    await writeFile(
      join(inner, "list.json"),
      JSON.stringify({
        apiVersion: "v1",
        kind: "List",
        items: [
          {
            ...operator("op", "default"),
            status: { replicas: 1 },
            metadata: {
              name: "op",
              uid: "u",
              resourceVersion: "1",
              creationTimestamp: null,
              annotations: { "kubectl.kubernetes.io/last-applied-configuration": "{}" },
            },
          },
        ],
      }),
    );
    const { out, err, code } = await create(["op", "-f", join(folder, "deep")]);
    expect([code, err]).toEqual([0, ""]);
    const [deployment] = (parse(out) as { spec: { manifests: KubeObject[] } }).spec.manifests;
    expect(deployment?.metadata).toEqual({ name: "op" });
    expect(deployment).not.toHaveProperty("status");
  });

  test("leaves out namespaces and hooks, and says so, but for those of tests", async () => {
    const hook = (name: string, when: string) => ({
      ...serviceAccount(name),
      metadata: { name, annotations: { "helm.sh/hook": when } },
    });
    const labels = {
      "pod-security.kubernetes.io/warn": "baseline",
      "pod-security.kubernetes.io/enforce": "privileged",
      other: "1",
    };
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "extra", labels } };
    const path = await file(
      "hooks.yaml",
      namespace,
      hook("before", "pre-install"),
      hook("try", "test"),
      serviceAccount("a"),
    );
    const { out, err } = await create(["op", "-f", path]);
    expect(await names(parse(out) as KubeObject)).toEqual(["ServiceAccount a"]);
    expect(err).toContain("ServiceAccount before is left out: it is a hook (pre-install), which only Helm runs");
    expect(err).toContain("Namespace extra is left out: Meridian makes the namespaces that objects need");
    expect(err).toContain(
      "kubectl label --overwrite namespace extra pod-security.kubernetes.io/enforce=privileged pod-security.kubernetes.io/warn=baseline",
    );
    expect(err).not.toContain("try");
  });

  test.each([
    { name: "nothing at all", objects: [], want: "the bundle would hold no object" },
    {
      name: "nothing but kinds that stay on the hub",
      objects: [
        { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata: { name: "shop" } },
        { apiVersion: "federation.paas.cmft.com/v1alpha1", kind: "Placement", metadata: { name: "all" } },
        { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
      ],
      want: "the bundle would hold no object: DemoApplication, Placement are left out: Meridian's own objects stay on the hub; Namespace is left out: Meridian makes",
    },
    {
      name: "no object",
      objects: [{ a: 1 }],
      want: "no object.yaml is no Kubernetes object",
    },
    {
      name: "no object among others",
      objects: [serviceAccount("a"), { a: 1 }],
      want: "no object among others.yaml (document 2, line 6) is no Kubernetes object",
    },
    {
      name: "two of one name",
      objects: [serviceAccount("a"), serviceAccount("a")],
      want: "ServiceAccount a is there twice",
    },
  ])("refuses $name", async ({ name, objects, want }) => {
    const { code, err } = await create(["op", "-f", await file(`${name}.yaml`, ...objects)]);
    expect(code).toBe(2);
    expect(err).toContain(want);
  });

  test("that is not there is named", async () => {
    const { code, err } = await create(["op", "-f", join(folder, "nowhere.yaml")]);
    expect([code, err]).toEqual([2, expect.stringContaining("nowhere.yaml does not exist; check the path")]);
  });
});

describe("a bundle of a chart", () => {
  test("says what to do where helm is not there, and what helm refuses", async () => {
    const absent = await create(["op", "--helm", "chart"], { HELM: join(folder, "no-helm") });
    expect([absent.code, absent.err]).toEqual([
      2,
      expect.stringContaining("is not there: install it (https://helm.sh"),
    ]);
    const refusing = join(folder, "helm");
    await writeFile(refusing, "#!/bin/sh\necho 'Error: chart not found' >&2\nexit 1\n");
    await chmod(refusing, 0o755);
    const refused = await create(["op", "--helm", "chart"], { HELM: refusing });
    expect([refused.code, refused.err]).toEqual([2, "meridian: helm template refuses: Error: chart not found\n"]);
  });

  test("is rendered for its namespace, where objects without one go", async () => {
    const rendering = join(folder, "renders");
    const path = await file("rendered.yaml", clusterRole("op"), operator("op", "default"));
    await writeFile(rendering, `#!/bin/sh\necho "$@" > ${join(folder, "args")}\ncat ${path}\n`);
    await chmod(rendering, 0o755);
    const args = ["op", "-n", "shop", "--helm", "repo/op", "--values", "a.yaml", "--values", "b.yaml"];
    const { out } = await create([...args, "--chart-version", "1.2", "--release-namespace", "ops"], {
      HELM: rendering,
    });
    const { spec } = parse(out) as { spec: { manifests: KubeObject[] } };
    expect(spec.manifests.map(({ metadata }) => metadata.namespace)).toEqual([undefined, "ops"]);
  });

  test("or of something else has to be said", async () => {
    const { code, err } = await create(["op"]);
    expect([code, err]).toEqual([2, expect.stringContaining("--helm CHART, --kustomize FOLDER, or -f FILE")]);
  });
});

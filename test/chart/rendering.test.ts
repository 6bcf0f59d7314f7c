import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { runCommandLine } from "../../src/cmd/index.ts";
import { helm } from "../envtest/helm.ts";
import { CHART, find, managerContainer, podsOf, render, type Rendered, valueSets } from "./chart.ts";
import { hardening } from "./hardening.ts";

const sets = await valueSets();
const rendered = new Map<string, Rendered[]>();

beforeAll(async () => {
  for (const [name, file] of sets) rendered.set(name, await render(["--values", file]));
});

function objectsOf(name: string): Rendered[] {
  const objects = rendered.get(name);
  if (objects === undefined) throw new Error(`no set of values ${name}`);
  return objects;
}

test("helm finds nothing to complain of, with any set of values", async () => {
  expect(sets.size).toBeGreaterThanOrEqual(10);
  for (const file of sets.values()) {
    const { code, stdout, stderr } = await helm(["lint", "--strict", CHART, "--values", file]);
    expect(code, stdout + stderr).toBe(0);
  }
});

test("what is rendered by default is what was looked at last", () => {
  const objects = objectsOf("default").map((object) =>
    object.kind === "CustomResourceDefinition"
      ? { ...object, spec: { conversion: object.spec?.["conversion"] } }
      : object,
  );
  expect(objects).toMatchSnapshot();
});

describe.each([...sets.keys()])("values %s", (name) => {
  test("no right is a wildcard, and none is given twice", () => {
    for (const { kind, metadata, rules = [] } of objectsOf(name)) {
      if (kind !== "ClusterRole" && kind !== "Role") continue;
      const given = rules.flatMap((rule) =>
        (rule.apiGroups ?? []).flatMap((group) =>
          (rule.resources ?? []).flatMap((resource) =>
            rule.verbs.map((verb) => `${group}/${resource}/${rule.resourceNames?.join() ?? ""}/${verb}`),
          ),
        ),
      );
      expect(given.length, `${kind} ${metadata.name}`).toBeGreaterThan(0);
      expect(JSON.stringify(rules)).not.toContain("*");
      expect(given.filter((right, index) => given.indexOf(right) !== index && name !== "secrets-all")).toEqual([]);
    }
  });

  test("every pod is as restricted as can be", () => {
    const pods = podsOf(objectsOf(name));
    expect(pods.size).toBeGreaterThan(0);
    for (const { spec } of pods.values()) {
      expect(spec.automountServiceAccountToken).toBe(false);
      expect(spec.securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 65532,
        runAsGroup: 65532,
        seccompProfile: { type: "RuntimeDefault" },
      });
      for (const container of spec.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          privileged: false,
          readOnlyRootFilesystem: true,
          runAsNonRoot: true,
          capabilities: { drop: ["ALL"] },
        });
        for (const mount of container.volumeMounts ?? []) expect(mount.readOnly).toBe(true);
      }
      for (const volume of spec.volumes ?? []) {
        const source = (volume["secret"] ?? volume["projected"]) as { defaultMode: number } | undefined;
        if (source !== undefined) expect(source.defaultMode).toBe(0o400);
      }
    }
  });

  test("every object of a namespace says which, and all carry the standard labels", () => {
    const clusterScoped =
      /^(ClusterRole|ClusterRoleBinding|CustomResourceDefinition|PriorityClass|(Mutating|Validating)WebhookConfiguration)$/;
    for (const { kind, metadata } of objectsOf(name)) {
      if (metadata.name === "meridian-extra") continue;
      expect(metadata.namespace === undefined, `${kind} ${metadata.name}`).toBe(clusterScoped.test(kind));
      expect(metadata.labels).toMatchObject({
        "app.kubernetes.io/instance": "meridian",
        "app.kubernetes.io/managed-by": "Helm",
      });
    }
  });
});

test("labels and annotations of one's own are on every object and every pod, and never in the place of the chart's", async () => {
  const name = "app.kubernetes.io/name";
  const label = (key: string) => key.replaceAll(".", String.raw`\.`);
  const set = ["commonLabels.team=platform", `commonLabels.${label(name)}=other`, "commonAnnotations.contact=platform"];
  for (const [values, file] of sets) {
    const all = await render(["--values", file, ...set.flatMap((one) => ["--set", one])]);
    // Extra objects are brought as they are.
    const objects = all.filter(({ metadata }) => metadata.name !== "meridian-extra");
    const pods = [...podsOf(objects)].map(([of, { metadata }]) => ({ of: `pod of ${of}`, metadata }));
    for (const { of, metadata } of [...objects.map((one) => ({ of: one.kind, metadata: one.metadata })), ...pods]) {
      expect(metadata.labels, `${values}: ${of}`).toMatchObject({ team: "platform" });
      expect(metadata.labels?.[name], `${values}: ${of}`).not.toBe("other");
      expect(metadata.annotations, `${values}: ${of}`).toMatchObject({ contact: "platform" });
    }
  }
});

test("the CRDs are the generated ones, whatever Helm does to their numbers", async () => {
  const folder = join(CHART, "files/crds");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".yaml"));
  for (const file of files) {
    const crd = parse(await readFile(join(folder, file), "utf8")) as Rendered;
    expect(find(objectsOf("minimal"), "CustomResourceDefinition", crd.metadata.name).spec).toEqual(crd.spec);
    const { metadata } = find(objectsOf("default"), "CustomResourceDefinition", crd.metadata.name);
    expect(metadata.annotations).toEqual({ "helm.sh/resource-policy": "keep" });
  }
  expect(objectsOf("minimal").filter(({ kind }) => kind === "CustomResourceDefinition")).toHaveLength(files.length);
  const without = await render(["--set", "crds.enabled=false"]);
  expect(without.filter(({ kind }) => kind === "CustomResourceDefinition")).toEqual([]);
  const unkept = find(objectsOf("extras"), "CustomResourceDefinition", "demoapplications.paas.cmft.com");
  expect(unkept.metadata.annotations).toBeUndefined();
});

describe("Secrets of applications", () => {
  /** `namespace/verbs` of every rule on Secrets; cluster-wide ones without a namespace. */
  const rights = (objects: Rendered[]): string[] =>
    objects.flatMap(({ kind, metadata, rules = [] }) =>
      kind.endsWith("Role")
        ? rules
            .filter(({ resources }) => resources?.includes("secrets"))
            .map(({ verbs }) => `${metadata.namespace ?? ""}/${verbs.join()}`)
        : [],
    );
  const own = ["meridian-system/get,list,watch,patch", "meridian-system/create"];

  test.each<{ name: string; set: string[]; want: string[] }>([
    { name: "are nobody's by default", set: [], want: own },
    { name: "are nobody's with None", set: ["rbac.secrets.mode=None"], want: own },
    { name: "are nobody's where the hub is a member", set: ["localMember.enabled=true"], want: own },
    { name: "are read everywhere with All", set: ["rbac.secrets.mode=All"], want: ["/list,watch", ...own] },
    {
      name: "are read where they are listed",
      set: ["rbac.secrets.namespaces={shop,bank}"],
      want: [...own, "shop/list,watch", "bank/list,watch"],
    },
    {
      name: "of members are read where another release keeps them",
      set: ["members.namespace=first"],
      want: ["first/get,list,watch,patch", "meridian-system/list,watch,patch", "meridian-system/create"],
    },
    {
      name: "a manager without webhooks creates none",
      set: ["webhooks.enabled=false"],
      want: ["meridian-system/get,list,watch,patch"],
    },
  ])("$name", async ({ set, want }) => {
    expect(rights(await render(set.flatMap((value) => ["--set", value]))).sort()).toEqual([...want].sort());
  });
});

describe("the manager", () => {
  test.each(["minimal", "monitoring", "autoscaling", "cert-manager", "second-release"])(
    "knows every flag that values %s give it",
    async (name) => {
      const args = managerContainer(objectsOf(name)).args ?? [];
      let out = "";
      // Flags are read in order: the one that is complained of shows that those before it were understood.
      const code = await runCommandLine([...args, "--no-such-flag"], {
        terminal: {
          out: (text: string) => void (out += text),
          err: (text: string) => void (out += text),
          isTerminal: false,
        } as never,
        signal: AbortSignal.timeout(10_000),
        env: {},
      });
      expect(code).toBe(2);
      expect(out).toContain("unknown option '--no-such-flag'");
    },
  );

  test("takes its image by digest where there is one", () => {
    expect(managerContainer(objectsOf("production")).image).toBe(
      `registry.example.com/platform/meridian@sha256:${"0123456789abcdef".repeat(4)}`,
    );
    expect(managerContainer(objectsOf("default")).image).toBe("meridian:0.1.0");
  });

  test("goes on answering webhooks while its endpoint goes, and ends at once where it has none", () => {
    expect(managerContainer(objectsOf("default")).lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
    expect(managerContainer(objectsOf("minimal")).lifecycle).toBeUndefined();
  });

  test("is given a number of replicas by one only", () => {
    expect(find(objectsOf("default"), "Deployment").spec?.["replicas"]).toBe(2);
    expect(find(objectsOf("autoscaling"), "Deployment").spec).not.toHaveProperty("replicas");
  });
});

describe("the network policy lets out", () => {
  interface Egress {
    to?: { ipBlock?: { cidr: string }; namespaceSelector?: { matchLabels: object }; podSelector?: object }[];
    ports: { port: number; protocol: string }[];
  }

  /** Without the way to the manager that leads, which is not of these values. */
  function egressOf(objects: readonly Rendered[]): Egress[] {
    const { egress } = find(objects, "NetworkPolicy").spec as unknown as { egress: Egress[] };
    return egress.filter(({ ports }) => ports.every(({ port }) => (port as unknown) !== "queries"));
  }
  const inNamespace = (name: string) => ({
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
  });
  const anywhere = ["0.0.0.0/0", "::/0"].map((cidr) => ({ ipBlock: expect.objectContaining({ cidr }) as object }));
  const otel = (name: string) => [`extraEnv[0].name=${name}`, "extraEnv[0].value=http://c.o11y.svc:4318"];

  test.each<{ set: string[]; to: unknown[]; port: number }>([
    { set: ["tracing.otlpEndpoint=http://c.o11y.svc:4318"], to: [inNamespace("o11y")], port: 4318 },
    { set: ["tracing.otlpEndpoint=https://c.o11y.svc.cluster.local/x"], to: [inNamespace("o11y")], port: 443 },
    { set: ["extraArgs={--otlp-endpoint=http://c.o11y.svc:4400}"], to: [inNamespace("o11y")], port: 4400 },
    { set: ["extraArgs={--otlp-endpoint,http://c.o11y.svc:4400}"], to: [inNamespace("o11y")], port: 4400 },
    { set: ["extraArgs={--prometheus-url=https://p.o11y.svc}"], to: [inNamespace("o11y")], port: 443 },
    { set: ["tracing.otlpEndpoint=http://c.o11y"], to: [inNamespace("o11y"), ...anywhere], port: 80 },
    { set: ["tracing.otlpEndpoint=http://collector:4318"], to: [{ podSelector: {} }], port: 4318 },
    { set: ["tracing.otlpEndpoint=https://otlp.eu.example.com:14318"], to: anywhere, port: 14_318 },
    // Also an address of the node itself, which nothing else may be reached at.
    {
      set: ["tracing.otlpEndpoint=http://169.254.7.7:4318"],
      to: [{ ipBlock: { cidr: "169.254.7.7/32" } }],
      port: 4318,
    },
    { set: ["tracing.otlpEndpoint=http://[fd00::7]:4318"], to: [{ ipBlock: { cidr: "fd00::7/128" } }], port: 4318 },
    { set: ["rollout.prometheus.url=http://p.o11y.svc:9090"], to: [inNamespace("o11y")], port: 9090 },
    { set: otel("OTEL_EXPORTER_OTLP_ENDPOINT"), to: [inNamespace("o11y")], port: 4318 },
    { set: otel("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"), to: [inNamespace("o11y")], port: 4318 },
    { set: otel("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"), to: [inNamespace("o11y")], port: 4318 },
    { set: otel("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT"), to: [inNamespace("o11y")], port: 4318 },
  ])("the collector, or the Prometheus, of $set", async ({ set, to, port }) => {
    const values = ["networkPolicy.apiServerPorts={6443}", ...set];
    const objects = await render(values.flatMap((value) => ["--set", value]));
    const egress = egressOf(objects);
    expect(egress).toHaveLength(3);
    expect(egress[2]).toEqual({ to, ports: [{ port, protocol: "TCP" }] });
  });

  test("no collector where none is named", async () => {
    expect(egressOf(await render())).toHaveLength(2);
    const env = ["--set", "extraEnv[0].name=HTTPS_PROXY,extraEnv[0].value=http://proxy:3128"];
    expect(egressOf(await render(env))).toHaveLength(2);
  });
});

test("the aggregated roles read, write and delete one by one, and nobody deletes a collection", async () => {
  const verbs = new Map(
    (await render()).flatMap(({ kind, metadata, rules = [] }) => {
      const to = Object.keys(metadata.labels ?? {}).filter((label) => label.includes("/aggregate-to-"));
      return kind === "ClusterRole" && to.length > 0
        ? [[to.map((label) => label.split("-").at(-1)).join(), rules.flatMap((rule) => rule.verbs)] as const]
        : [];
    }),
  );
  expect([...verbs.keys()].sort()).toEqual(["admin,edit", "view"]);
  expect([...new Set(verbs.get("view"))].sort()).toEqual(["get", "list", "watch"]);
  expect([...new Set(verbs.get("admin,edit"))].sort()).toEqual(["create", "delete", "patch", "update"]);
});

test("records have their targets, and tags a file that a change of them replaces", async () => {
  const values = ["records.auditLog=stdout", "records.tags.env=prod", "tracing.otlpSignals={traces,logs}"];
  const podOf = (objects: readonly Rendered[]) => {
    const { template } = find(objects, "Deployment").spec as unknown as {
      template: { metadata: { annotations: Record<string, string> }; spec: { containers: { args: string[] }[] } };
    };
    return { tags: template.metadata.annotations["checksum/tags"], args: template.spec.containers[0]?.args };
  };
  const objects = await render(values.flatMap((value) => ["--set", value]));
  expect(podOf(objects).args).toEqual(
    expect.arrayContaining([
      ...["--operations-log=off", "--audit-log=stdout", "--otlp-signals=traces,logs"],
      "--operations-tags-file=/var/run/meridian/tags/tags.json",
    ]),
  );
  const tags = objects.find(({ kind, metadata }) => kind === "ConfigMap" && metadata.name.endsWith("-tags"));
  expect(tags).toMatchObject({ data: { "tags.json": '{"env":"prod"}' } });
  const others = await render(["--set", "records.tags.env=test"]);
  expect(podOf(others).tags).not.toBe(podOf(objects).tags);
});

test("each point of the hardening guides has its line", async () => {
  const points = await hardening();
  expect(points.filter(({ place }) => place === undefined)).toEqual([]);
  expect(new Set(points.map(({ source }) => source))).toEqual(new Set(["NSA", "CIS"]));
});

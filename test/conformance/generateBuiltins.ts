/**
 * Writes src/sandbox/kinds/builtin.json: what a real API server publishes about its built-in kinds (OpenAPI, discovery, the columns of
 * its Tables), and what its decoder leaves out of objects, cut down to the kinds that the sandbox serves. With `--check` it
 * writes nothing and fails when the file does not say what the server says. It starts a control plane of its own; where its
 * programs come from is said in test/envtest.
 */
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Schema } from "../../src/sandbox/types.ts";

import { type Api, startControlPlane } from "../envtest/index.ts";
import { publishedResources } from "./builtins/publishedResources.ts";
import { publishedSchemas, reachableFrom } from "./builtins/publishedSchemas.ts";
import { writtenFields } from "./builtins/writtenFields.ts";

const FILE = fileURLToPath(new URL("../../src/sandbox/kinds/builtin.json", import.meta.url));

/** Plural names by group. What is not named here is not served. */
const SERVED: Readonly<Record<string, readonly string[]>> = {
  "": [
    "bindings",
    "configmaps",
    "endpoints",
    "events",
    "limitranges",
    "namespaces",
    "nodes",
    "persistentvolumeclaims",
    "persistentvolumes",
    "pods",
    "resourcequotas",
    "secrets",
    "serviceaccounts",
    "services",
  ],
  "admissionregistration.k8s.io": ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
  "apiextensions.k8s.io": ["customresourcedefinitions"],
  apps: ["controllerrevisions", "daemonsets", "deployments", "replicasets", "statefulsets"],
  "authentication.k8s.io": ["selfsubjectreviews", "tokenreviews"],
  "authorization.k8s.io": [
    "localsubjectaccessreviews",
    "selfsubjectaccessreviews",
    "selfsubjectrulesreviews",
    "subjectaccessreviews",
  ],
  autoscaling: ["horizontalpodautoscalers"],
  batch: ["cronjobs", "jobs"],
  "coordination.k8s.io": ["leases"],
  "discovery.k8s.io": ["endpointslices"],
  "events.k8s.io": ["events"],
  "networking.k8s.io": ["ingressclasses", "ingresses", "networkpolicies"],
  policy: ["poddisruptionbudgets"],
  "rbac.authorization.k8s.io": ["clusterrolebindings", "clusterroles", "rolebindings", "roles"],
  "scheduling.k8s.io": ["priorityclasses"],
  "storage.k8s.io": ["storageclasses"],
};

/** Old versions of what is served in a newer one. */
const OLD_VERSIONS: readonly string[] = ["autoscaling/v1"];

/** Kinds of subresources and answers, which no resource of the list above leads to. */
const ALSO = [
  "io.k8s.api.authentication.v1.TokenRequest",
  "io.k8s.api.autoscaling.v1.Scale",
  "io.k8s.api.policy.v1.Eviction",
  "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions",
  "io.k8s.apimachinery.pkg.apis.meta.v1.Status",
];

async function generated(api: Api): Promise<string> {
  const { gitVersion } = await api.get<{ gitVersion: string }>("/version");
  const schemas = await publishedSchemas(api);
  const resources = await publishedResources(api, SERVED, OLD_VERSIONS, schemas);
  const roots = resources.flatMap(({ versions, listKind }) =>
    versions.flatMap(({ schema }) => [schema, schema.replace(/[^.]+$/, listKind)]),
  );
  const definitions = reachableFrom([...roots.filter((name) => name in schemas), ...ALSO], schemas);
  const { omittedWhenEmpty, nullWhenAbsent } = await writtenFields(api, resources, definitions);
  return [
    `{"kubernetesVersion":${JSON.stringify(gitVersion)},`,
    `"resources":[\n${resources.map((resource) => JSON.stringify(resource)).join(",\n")}\n],`,
    `"definitions":${oneLineEach(definitions)},`,
    `"omittedWhenEmpty":${oneLineEach(omittedWhenEmpty)},`,
    `"nullWhenAbsent":${oneLineEach(nullWhenAbsent)}}`,
    "",
  ].join("\n");
}

/** A difference in one definition is a difference in one line. */
function oneLineEach(entries: Readonly<Record<string, Schema | readonly string[]>>): string {
  const lines = Object.entries(entries).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
  return `{\n${lines.join(",\n")}\n}`;
}

await using plane = await startControlPlane({ name: "builtins", controllerManager: false });
const wanted = await generated(plane.api);
if (process.argv.includes("--check")) {
  const current = (await readFile(FILE, "utf8").catch(() => "")) === wanted;
  if (!current) console.error("src/sandbox/kinds/builtin.json is not what the server publishes; generate it again");
  process.exitCode = current ? 0 : 1;
} else {
  await writeFile(FILE, wanted);
  console.log(`wrote builtin.json: ${Math.round(wanted.length / 1024)} KiB`);
}

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import type { KubeObject } from "../../src/apis/index.ts";
import { REPOSITORY } from "../envtest/index.ts";
import { helm, helmOk } from "../envtest/helm.ts";

/** Folder of the chart. */
export const CHART = join(REPOSITORY, "charts/meridian");

export const RELEASE = "meridian";
export const NAMESPACE = "meridian-system";
/** The chart wants an image to be named; no test pulls one. */
export const IMAGE = ["--set", "image.repository=meridian"];

/** A rendered object; what it is made of is read as it comes. */
export interface Rendered extends KubeObject {
  spec?: Record<string, unknown>;
  rules?: PolicyRule[];
}

export interface PolicyRule {
  apiGroups?: string[];
  resources?: string[];
  resourceNames?: string[];
  nonResourceURLs?: string[];
  verbs: string[];
}

/** The sets of values in ci/, by name. */
export async function valueSets(): Promise<Map<string, string>> {
  const folder = join(CHART, "ci");
  const files = (await readdir(folder)).filter((name) => name.endsWith("-values.yaml")).sort();
  return new Map(files.map((name) => [name.replace(/-values\.yaml$/, ""), join(folder, name)]));
}

/** Arguments of `helm template`, `install` and `upgrade` for this chart, with an image. */
export function chartArguments(verb: string, options: string[] = []): string[] {
  return [verb, RELEASE, CHART, "--namespace", NAMESPACE, ...IMAGE, ...options];
}

/** `helm template` with these options, parsed. Throws unless it succeeds. */
export async function render(options: string[] = []): Promise<Rendered[]> {
  return objectsIn(await helmOk(chartArguments("template", options)));
}

/** What `helm template` says when it refuses these options. Throws when it does not. */
export async function refusal(options: string[]): Promise<string> {
  const result = await helm(chartArguments("template", options));
  if (result.code === 0) throw new Error(`helm accepts ${options.join(" ")}`);
  return result.stderr;
}

export function objectsIn(yaml: string): Rendered[] {
  return parseAllDocuments(yaml).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    const object = document.toJS() as Rendered | null;
    return object === null ? [] : [object];
  });
}

/** The rendered object of that kind and name; without a name, the only one of its kind. */
export function find(objects: readonly Rendered[], kind: string, name?: string): Rendered {
  const found = objects.filter(
    (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
  );
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} objects ${kind} ${name ?? ""}`);
  return found[0];
}

export interface PodTemplate {
  metadata: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec: PodSpec;
}

export interface PodSpec {
  serviceAccountName?: string;
  priorityClassName?: string;
  automountServiceAccountToken?: boolean;
  securityContext?: Record<string, unknown>;
  containers: {
    name: string;
    image: string;
    command?: string[];
    args?: string[];
    securityContext?: Record<string, unknown>;
    env?: { name: string; value?: string }[];
    volumeMounts?: { name: string; mountPath: string; readOnly?: boolean }[];
    lifecycle?: { preStop?: { sleep: { seconds: number } } };
  }[];
  volumes?: Record<string, unknown>[];
}

/** Every pod that these objects lead to, by the name of what makes it. */
export function podsOf(objects: readonly Rendered[]): Map<string, PodTemplate> {
  const pods = new Map<string, PodTemplate>();
  for (const object of objects) {
    const name = `${object.kind}/${object.metadata.name}`;
    if (object.kind === "Pod") pods.set(name, object as unknown as PodTemplate);
    const template = object.spec?.["template"] as PodTemplate | undefined;
    if (template?.spec.containers !== undefined) pods.set(name, template);
  }
  return pods;
}

/** The only container of the manager's pods. */
export function managerContainer(objects: readonly Rendered[]): PodSpec["containers"][number] {
  const [template] = podsOf(objects.filter(({ kind }) => kind === "Deployment")).values();
  const container = template?.spec.containers[0];
  if (container === undefined) throw new Error("the manager has no container");
  return container;
}

/** A file of the chart, parsed. */
export async function chartFile(path: string): Promise<unknown> {
  return parse(await readFile(join(CHART, path), "utf8"));
}

import { isDeepStrictEqual } from "node:util";
import { canonicalJson, FEDERATION_GROUP, isRecord, type KubeObject } from "../../src/apis/index.ts";

/**
 * What is compared of an object that Meridian has sent and of the same object that kubectl has written to a cluster: everything but the
 * differences that "Where a copy differs" in placements/README.md lists, and what every cluster decides for itself.
 */

/** Of the metadata: what a person wrote. */
const WRITTEN_METADATA = ["labels", "annotations"];

/** Labels and annotations that kubectl and the controllers of each cluster write for themselves. */
const OF_ONE_CLUSTER = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "deployment.kubernetes.io/revision",
  "deprecated.daemonset.template.generation",
  "batch.kubernetes.io/controller-uid",
  "controller-uid",
]);

/** Takes out, by kind, what each API server allocates or fills in where nobody chose it. */
const ALLOCATED: Readonly<Record<string, (spec: Record<string, unknown>) => void>> = {
  Service(spec) {
    for (const field of ["clusterIP", "clusterIPs"])
      if (!JSON.stringify(spec[field] ?? "").includes("None")) delete spec[field];
    delete spec["healthCheckNodePort"];
    for (const port of Array.isArray(spec["ports"]) ? spec["ports"] : []) if (isRecord(port)) delete port["nodePort"];
  },
  DaemonSet(spec) {
    // Filled in for rolling updates, and kept by an apply that says OnDelete.
    if (isRecord(spec["updateStrategy"]) && spec["updateStrategy"]["type"] === "OnDelete")
      delete spec["updateStrategy"]["rollingUpdate"];
  },
  Job(spec) {
    delete spec["selector"];
    const template = spec["template"];
    if (isRecord(template) && isRecord(template["metadata"]))
      template["metadata"] = writtenMetadata(template["metadata"]);
  },
};

/**
 * Fields of pods that are the same empty and absent: an apply that takes the last member out of such a map takes the map away, and a replacement
 * leaves it empty.
 */
const SAME_WITHOUT = new Set(["dnsConfig", "affinity", "securityContext", "lifecycle"]);

function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmpty);
  if (!isRecord(value)) return value;
  const kept = Object.entries(value).filter(
    ([key, member]) => !(SAME_WITHOUT.has(key) && isDeepStrictEqual(member, {})),
  );
  return Object.fromEntries(kept.map(([key, member]) => [key, withoutEmpty(member)]));
}

const RULES = "x-kubernetes-validations";

/** A rule that stands in a schema twice is sent once, and the reason DuplicateEntries says so. */
function withoutEqualRules(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEqualRules);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      key === RULES && Array.isArray(member) ? withoutEqual(member) : withoutEqualRules(member),
    ]),
  );
}

function withoutEqual(list: readonly unknown[]): unknown[] {
  return list.filter((entry, index) => list.findIndex((other) => isDeepStrictEqual(other, entry)) === index);
}

/** The content of an object without the differences that are no fault, as plain values. */
export function comparable(object: KubeObject): Record<string, unknown> {
  const { status: _, metadata, ...content } = structuredClone(object);
  const spec = content["spec"];
  if (isRecord(spec)) ALLOCATED[object.kind]?.(spec);
  const kept = object.kind === "CustomResourceDefinition" ? withoutEqualRules(content) : content;
  const written = (isBuiltIn(object) ? withoutEmpty(kept) : kept) as Record<string, unknown>;
  return { ...written, metadata: { name: metadata.name, ...writtenMetadata(metadata) } };
}

const isBuiltIn = ({ apiVersion }: KubeObject): boolean => !apiVersion.split("/", 1)[0]?.includes("example.com");

function writtenMetadata(metadata: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(metadata)) {
    if (!WRITTEN_METADATA.includes(field)) continue;
    const entries = Object.entries(value as object).filter(([key]) => !isOfOneCluster(key));
    // An empty map of labels is none: the server drops it from some answers and not from others.
    if (entries.length > 0) kept[field] = Object.fromEntries(entries);
  }
  return kept;
}

function isOfOneCluster(key: string): boolean {
  return OF_ONE_CLUSTER.has(key) || key.split("/", 1)[0] === FEDERATION_GROUP;
}

/** Paths at which two values differ, with both values; at most ten. */
export function differences(got: unknown, want: unknown, path = ""): string[] {
  if (isDeepStrictEqual(got, want) && canonicalJson(got ?? null) === canonicalJson(want ?? null)) return [];
  if (isRecord(got) && isRecord(want)) {
    const keys = new Set([...Object.keys(got), ...Object.keys(want)]);
    const member = (of: Record<string, unknown>, key: string): unknown =>
      Object.hasOwn(of, key) ? of[key] : undefined;
    return [...keys].flatMap((key) => differences(member(got, key), member(want, key), `${path}.${key}`)).slice(0, 10);
  }
  if (Array.isArray(got) && Array.isArray(want) && got.length === want.length)
    return got.flatMap((item, at) => differences(item, want[at], `${path}[${at}]`)).slice(0, 10);
  return [`${path}: ${said(got)} instead of ${said(want)}`];
}

const said = (value: unknown): string => (value === undefined ? "nothing" : canonicalJson(value).slice(0, 300));

import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { isRecord, type KubeObject, printYaml, refKey } from "../../apis/index.ts";
import { allowancesFor, defaultTerms, scopeProblem, termsWithin } from "../../desiredstate/index.ts";
import { type GroupKind, groupKindOf, memberKinds, placeableKindOf } from "../../interpreter/index.ts";
import { isMissing, MANIFESTBUNDLES, NAMESPACES } from "../../runtime/index.ts";
import { type CommandContext, connectHub, notInstalled } from "../connection.ts";
import type { BundleOptions } from "../options.ts";
import { EXIT } from "../outcome.ts";
import { bundleOf, compose, type Wanted } from "./compose.ts";
import { documentsOf } from "./sources.ts";

/** As `kubectl apply --server-side`, with which people may go on. */
const FIELD_MANAGER = "kubectl";

/** `meridian bundle create`: renders, prints or applies a ManifestBundle. */
export async function createBundle(name: string, options: BundleOptions, context: CommandContext): Promise<number> {
  const { namespace, releaseNamespace = namespace, output, apply } = options;
  const { terminal } = context;
  const wanted: Wanted = { name, namespace, target: releaseNamespace };
  const { manifests, notes } = compose(await documentsOf(name, options, context), wanted);
  const bundle = bundleOf(wanted, manifests, compress);
  const objects = placeableKindOf("federation.paas.cmft.com", bundle.kind).render({ ...bundle, spec: { manifests } });
  const needs = [...grantsFor(bundle, objects), ...allowancesOf(namespace, objects), ...kindsFor(objects)];
  for (const note of [...notes, ...needs]) terminal.err(`${note}\n`);
  if (apply) {
    await applied(bundle, options, context);
    terminal.err(`manifestbundle/${name} applied in ${namespace}\n`);
    return EXIT.ok;
  }
  const yaml = printYaml(bundle);
  if (output === undefined) terminal.out(yaml);
  else await writeFile(output, yaml);
  return EXIT.ok;
}

function compress(text: string): string {
  return gzipSync(text, { level: 9 }).toString("base64");
}

/** What an administrator of the hub has to allow, unless that is done already. */
function grantsFor(bundle: KubeObject, objects: readonly KubeObject[]): string[] {
  const { namespace = "" } = bundle.metadata;
  const problem = scopeProblem(objects, defaultTerms(namespace));
  if (problem === undefined) return [];
  const [, command] = /(kubectl annotate .*)$/.exec(problem.detail ?? problem.message) ?? [];
  return command === undefined
    ? [`${refKey({ ...bundle, ...bundle.metadata })} would be refused: ${problem.message}`]
    : [
        `where it is not done yet, an administrator of the hub allows what it holds beyond namespace ${namespace}: ${command}`,
      ];
}

/** What pods of the bundle name that is on members and not in the bundle: each by the annotation that allows it. */
function allowancesOf(namespace: string, objects: readonly KubeObject[]): string[] {
  return allowancesFor(objects, termsWithin(objects, defaultTerms(namespace), false)).map(
    ({ namespace: home, annotation, values }) =>
      `where it is not done yet, an administrator of the hub allows what its pods name: kubectl annotate --overwrite namespace ${home} ${annotation}=${values.join(",")}`,
  );
}

/** What the account of each member has to be allowed, unless that is done already. */
function kindsFor(objects: readonly KubeObject[]): string[] {
  const always = new Set([...memberKinds(), NAMESPACES].map(nameOf));
  // Of a kind that the bundle itself brings no member knows more than the plural.
  const plurals = new Map(objects.flatMap(pluralDefinedBy));
  const names = new Set(objects.map((object) => nameOf(groupKindOf(object))).filter((name) => !always.has(name)));
  if (names.size === 0) return [];
  const asked = [...names]
    .map((name) => plurals.get(name) ?? name)
    .toSorted()
    .join(",");
  return [`where it is not done yet, let each member take its kinds: meridian join NAME --renew --kinds ${asked}`];
}

function pluralDefinedBy({ kind, spec }: KubeObject): [name: string, plural: string][] {
  if (kind !== "CustomResourceDefinition" || !isRecord(spec) || !isRecord(spec["names"])) return [];
  const { group, names } = spec;
  return [
    [nameOf({ group: String(group), kind: String(names["kind"]) }), `${String(names["plural"])}.${String(group)}`],
  ];
}

function nameOf({ group, kind }: GroupKind): string {
  return group === "" ? kind : `${kind}.${group}`;
}

async function applied(bundle: KubeObject, options: BundleOptions, context: CommandContext): Promise<void> {
  await using hub = connectHub(options, context);
  try {
    await hub.client.apply(MANIFESTBUNDLES, bundle, { fieldManager: FIELD_MANAGER, signal: context.signal });
  } catch (error) {
    if (isMissing(error) && error.details?.kind !== "namespaces")
      throw await notInstalled(MANIFESTBUNDLES.plural, hub, context.signal);
    throw error;
  }
}

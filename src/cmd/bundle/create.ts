import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { type KubeObject, printYaml } from "../../apis/index.ts";
import { type Allowance, defaultTerms, type NamespaceTerms, namespaceTerms } from "../../desiredstate/index.ts";
import { isDefinition, placeableKindOf } from "../../interpreter/index.ts";
import { Discovery, isForbidden, isMissing, MANIFESTBUNDLES, NAMESPACES, systemClock } from "../../runtime/index.ts";
import {
  type CommandContext,
  CommandError,
  connectHub,
  type Connection,
  describeWhere,
  EXIT,
  find,
  notInstalled,
  quoted,
} from "../shared/index.ts";
import type { BundleOptions } from "./verb.ts";
import { bundleOf, compose, type Wanted } from "./compose.ts";
import { definitionsCommand, kindName } from "./definitions.ts";
import {
  broughtDefinitions,
  hubNeeds,
  memberNeeds,
  missingDefinitions,
  needText,
  refusalOf,
  type Subject,
} from "./needs.ts";
import { documentsOf } from "./sources.ts";

/** Field manager of `kubectl apply --server-side`, with which people may continue. */
const FIELD_MANAGER = "kubectl";

/** `meridian bundle create`: renders, prints or applies a bundle, and first prints what hub and members need. */
export async function createBundle(name: string, options: BundleOptions, context: CommandContext): Promise<number> {
  const { namespace, releaseNamespace = namespace, apply, crds } = options;
  const { terminal } = context;
  const wanted: Wanted = { name, namespace, target: releaseNamespace };
  const { manifests, notes } = compose(await documentsOf(name, options, context), wanted);
  if (crds) return await written(definitionsIn(manifests).map(printYaml).join("---\n"), options, context);
  const bundle = bundleOf(wanted, manifests, compress);
  const objects = placeableKindOf("federation.paas.cmft.com", bundle.kind).render({ ...bundle, spec: { manifests } });
  const subject: Subject = { name, namespace, objects, onHub: flagsOf(options) };
  for (const note of notes) terminal.err(`${note}\n`);
  if (!apply) {
    await tellNeeds(subject, { terms: defaultTerms(namespace), served: new Set() }, options, context);
    return await written(printYaml(bundle), options, context);
  }
  await using hub = connectHub(options, context);
  const seen = await seenOnHub(subject, hub, context.signal);
  await tellNeeds(subject, seen, options, context);
  refuseUseless(subject, seen);
  await applied(bundle, hub, context.signal);
  terminal.err(`manifestbundle/${name} applied in ${namespace}\n`);
  return EXIT.ok;
}

async function written(yaml: string, { output }: BundleOptions, { terminal }: CommandContext): Promise<number> {
  if (output === undefined) terminal.out(yaml);
  else await writeFile(output, yaml);
  return EXIT.ok;
}

function compress(text: string): string {
  return gzipSync(text, { level: 9 }).toString("base64");
}

function definitionsIn(manifests: readonly KubeObject[]): KubeObject[] {
  const definitions = manifests.filter(isDefinition);
  if (definitions.length === 0)
    throw new CommandError("there is no CustomResourceDefinition in what was given: leave out --crds");
  return definitions;
}

/** kubectl flags that select this command's hub. */
function flagsOf({ kubeconfig, context }: BundleOptions): string {
  const file = kubeconfig === undefined ? "" : ` --kubeconfig ${quoted(kubeconfig)}`;
  return context === undefined ? file : `${file} --context ${quoted(context)}`;
}

interface Seen {
  terms: NamespaceTerms;
  served: ReadonlySet<string>;
  /** Absent if the person may not read the Namespaces of the bundle. */
  namespaces?: ReadonlyMap<string, KubeObject>;
}

/** What the hub allows the bundle; the default terms if the person may not read a Namespace. */
async function seenOnHub({ namespace, objects, onHub }: Subject, hub: Connection, signal: AbortSignal): Promise<Seen> {
  const kinds = await new Discovery(hub.client, systemClock).list();
  const served = new Set(kinds.map(kindName));
  const names = new Set([namespace, ...objects.flatMap(({ metadata }) => metadata.namespace ?? [])]);
  const namespaces = new Map<string, KubeObject>();
  try {
    for (const name of names) {
      const found = await find(hub.client, NAMESPACES, undefined, name, signal);
      if (found !== undefined) namespaces.set(name, found);
    }
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { terms: defaultTerms(namespace), served };
  }
  if (!namespaces.has(namespace)) {
    const command = `kubectl create namespace ${namespace}${onHub}`;
    throw new CommandError(`${describeWhere(hub.where)} has no namespace ${namespace} for the bundle: \`${command}\``);
  }
  const elsewhere = (name: string): NamespaceTerms =>
    namespaceTerms(namespaces.get(name)?.metadata ?? { name }, false, { elsewhere });
  return { terms: elsewhere(namespace), served, namespaces };
}

/** Prints the needs on standard error before anything is written. Each line ends with its command. */
async function tellNeeds(subject: Subject, seen: Seen, options: BundleOptions, context: CommandContext): Promise<void> {
  const { objects, name, onHub } = subject;
  const definitions = objects.filter(isDefinition);
  const command = await definitionsCommand(name, options, definitions, onHub);
  // If the Namespaces were read, a missing permission of the hub is an error of its own.
  const ofHub = seen.namespaces === undefined ? hubNeeds(subject, seen.terms, () => []) : [];
  const needs = [
    ...broughtDefinitions(objects, seen.served, command),
    ...missingDefinitions(subject),
    ...ofHub.map((need) => ({ ...need, what: `where it is not done yet, ${need.what}` })),
    ...memberNeeds(subject, seen.terms),
  ];
  const refusal = refusalOf(subject, seen.terms);
  if (refusal !== undefined) context.terminal.err(`the bundle would be refused: ${refusal}\n`);
  for (const need of needs) context.terminal.err(`${needText(need)}\n`);
}

/** Throws if nothing of the bundle would be sent: such a bundle is not stored. */
function refuseUseless(subject: Subject, { terms, namespaces }: Seen): void {
  const refusal = refusalOf(subject, terms);
  if (refusal !== undefined) throw new CommandError(`nothing was applied: ${refusal}; take that out of the bundle`);
  if (namespaces === undefined) return;
  const before = ({ namespace, annotation }: Allowance): string[] =>
    (namespaces.get(namespace)?.metadata.annotations?.[annotation] ?? "").split(",").filter((text) => text !== "");
  const needs = hubNeeds(subject, terms, before);
  if (needs.length === 0) return;
  const commands = needs.map(({ command }) => `\`${command}\``).join(" and ");
  throw new CommandError(
    `the hub would send nothing of the bundle, so nothing was applied: ${commands} by an administrator of the hub allows what it holds; then run this again`,
  );
}

async function applied(bundle: KubeObject, hub: Connection, signal: AbortSignal): Promise<void> {
  try {
    await hub.client.apply(MANIFESTBUNDLES, bundle, { fieldManager: FIELD_MANAGER, signal });
  } catch (error) {
    if (isMissing(error) && error.details?.kind !== "namespaces")
      throw await notInstalled(MANIFESTBUNDLES.plural, hub, signal);
    throw error;
  }
}

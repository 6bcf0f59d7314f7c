/**
 * `meridian explain`: why an object runs on its clusters, by the manager's own decision. Files of `-f` count as if
 * they had been applied; with `--without-hub` they are all there is. `-o json` and `-o yaml` print `{explanations:
 * [...]}`, each with all the fields of Explanation in src/desiredstate/explain/explain.ts. New fields may be added;
 * existing fields stay.
 */
import { type KubeObject, refKey, refOf } from "../../apis/index.ts";
import { assembleSnapshot, type Explanation } from "../../desiredstate/index.ts";
import { groupKindOf } from "../../interpreter/index.ts";
import { DEMOAPPLICATIONS, systemClock } from "../../runtime/index.ts";
import { explained as explainedBy } from "../../status/index.ts";
import {
  chooseAmong,
  type CommandContext,
  CommandError,
  connectHub,
  EXIT,
  structured,
  within,
} from "../shared/index.ts";
import type { ExplainOptions } from "./verb.ts";
import {
  asksForHeadroom,
  assumeClusters,
  PlannerHubState,
  HubStateReader,
  inPlaceOf,
  isPlaceable,
  isRenderedKind,
  Members,
  objectsOfFiles,
  put,
  stateOf,
} from "../plan/index.ts";
import { hiddenCluster, type NamedKind, splitName } from "../status/index.ts";
import { explainPolicy, policyTypeNamed } from "./policy.ts";
import { explanationText } from "./text.ts";

export { policyTypeNamed } from "./policy.ts";

/** Exits with 1 when an object runs nowhere, or with `--cluster`, not on that cluster. */
export async function explain(
  name: string | undefined,
  options: ExplainOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  const asked = name === undefined ? undefined : splitName(name);
  const policy = asked === undefined || options.withoutHub ? undefined : policyTypeNamed(asked);
  if (asked !== undefined && policy !== undefined) return await explainPolicy(policy, asked.name, options, context);
  const { state, objects } = options.withoutHub
    ? await fromFiles(name, options)
    : await fromHub(name, options, context);
  const { cluster } = options;
  if (cluster !== undefined) requireCluster(state, cluster);
  const explanations = objects.map((object) => explained(state, object));
  terminal.out(format(explanations, options, terminal.color));
  const isFine = explanations.every(({ scheduled, clusters }) =>
    cluster === undefined ? scheduled.status === "True" : clusters.some((one) => one.name === cluster && one.chosen),
  );
  return isFine ? EXIT.ok : EXIT.found;
}

/** The explanations of an object of the hub. Throws {@link CommandError} for an unknown object or cluster. */
export async function explanationOnHub(name: string, options: OnHub, context: CommandContext): Promise<Explanation[]> {
  const { state, objects } = await fromHub(name, options, context);
  if (options.cluster !== undefined) requireCluster(state, options.cluster);
  return objects.map((object) => explained(state, object));
}

type OnHub = Omit<ExplainOptions, "withoutHub" | "output">;

function explained(state: PlannerHubState, object: KubeObject): Explanation {
  const snapshot = assembleSnapshot(state, object, { dependencies: state.dependencies });
  const whole = explainedBy(snapshot, systemClock.now());
  // A person who may not read MemberClusters cannot know if a cluster that the policy names exists.
  const isKnown = ({ reason }: Explanation["clusters"][number]): boolean =>
    reason !== "UnknownCluster" || !state.hidden.has("memberclusters");
  return { ...whole, clusters: whole.clusters.filter(isKnown) };
}

interface Asked {
  state: PlannerHubState;
  objects: readonly KubeObject[];
}

async function fromFiles(name: string | undefined, options: ExplainOptions): Promise<Asked> {
  const { filename, recursive, namespace = "default" } = options;
  if (filename.length === 0)
    throw new CommandError("--without-hub answers from files: give policies, clusters and the object with -f FILE");
  const files = await objectsOfFiles({ files: filename, recursive, namespace });
  const state = stateOf(files);
  if (state.clusters.length === 0)
    throw new CommandError(
      "the files hold no MemberCluster: write them with `kubectl get memberclusters -o yaml`, and give that file with -f as well",
    );
  const placeable = [...state.objects.values()].filter(isPlaceable);
  if (name === undefined) {
    // Without a name, propagated objects count only if no object of a rendered kind is there.
    const rendered = placeable.filter(isRenderedKind);
    const objects = rendered.length > 0 ? rendered : placeable;
    if (objects.length === 0)
      throw new CommandError("the files hold no object to explain: give its file with -f FILE as well");
    return { state, objects };
  }
  const wanted = splitName(name);
  if (wanted.kind === "membercluster") throw isNoObject(wanted.name);
  const objects = placeable.filter(
    (object) => object.metadata.name === wanted.name && isOfKind(object, wanted) && isIn(object, options.namespace),
  );
  if (objects.length === 0)
    throw new CommandError(
      `the files hold no ${wanted.kind} "${wanted.name}"; ${chooseAmong(
        placeable.map(({ kind, metadata }) => `${kind.toLowerCase()}/${metadata.name}`),
        "they hold no object: give its file with -f FILE as well",
      )}`,
    );
  return { state, objects };
}

async function fromHub(name: string | undefined, options: OnHub, context: CommandContext): Promise<Asked> {
  if (name === undefined) throw new CommandError("name the object: `meridian explain shop`, or KIND/NAME");
  await using hub = connectHub(options, context);
  const { namespace = hub.config.currentNamespace } = options;
  const reader = new HubStateReader(hub, context.signal, "meridian explain --without-hub -f FILES");
  const state = new PlannerHubState();
  const { kind, group, name: wanted } = splitName(name);
  if (kind === "membercluster") throw isNoObject(wanted);
  const type = kind === "demoapplication" ? DEMOAPPLICATIONS : await reader.typeNamed(kind, group);
  if (type === undefined)
    throw new CommandError(
      `the hub serves no kind "${kind}": check the spelling; if ${kind} is a namespace, write ${wanted} -n ${kind}`,
    );
  const home = type.namespaced ? namespace : undefined;
  await reader.readPolicies(state, home);
  const found = await reader.find(type, home, wanted);
  if (found !== undefined) put(state, found);
  const { filename, recursive } = options;
  const files = filename.length === 0 ? [] : await objectsOfFiles({ files: filename, recursive, namespace });
  for (const { object } of files) put(state, inPlaceOf(state.objects.get(refKey(refOf(object))), object));
  const object = [...state.objects.values()].find(
    (one) => one.metadata.name === wanted && one.kind === type.kind && one.metadata.namespace === home,
  );
  if (object === undefined)
    throw (
      (await reader.notServed(type)) ??
      new CommandError(
        `the hub has no ${type.kind} "${wanted}"${within(home)}; ${home === undefined ? "" : "give another namespace with -n: "}\`meridian status\` lists what is there`,
      )
    );
  await reader.readSurroundings(state);
  assumeClusters(state);
  await reader.readScales(state, [type]);
  await reader.readDependencies(state, [object]);
  const notes = new Set(reader.notes);
  if (asksForHeadroom(state)) {
    const { systemNamespace } = options;
    const { hubId, clusters } = state;
    await using members = new Members({ hub: hub.client, hubId, systemNamespace, signal: context.signal });
    await members.reach(clusters);
    state.capacities = await members.capacities(clusters);
    for (const note of members.notes) notes.add(note);
  }
  for (const note of notes) context.terminal.err(`${note}\n`);
  return { state, objects: [object] };
}

function isNoObject(cluster: string): CommandError {
  return new CommandError(
    `explain is about objects, and ${cluster} is a cluster: \`meridian status membercluster/${cluster}\` shows the cluster, \`meridian explain NAME --cluster ${cluster}\` why an object runs there or not`,
  );
}

function requireCluster(state: PlannerHubState, name: string): void {
  const names = state.clusters.map(({ metadata }) => metadata.name);
  if (!names.includes(name) && state.hidden.has("memberclusters")) throw hiddenCluster(name);
  if (!names.includes(name))
    throw new CommandError(`there is no member cluster "${name}"; ${chooseAmong(names, "there is none at all")}`);
}

function isOfKind(object: KubeObject, { kind, group }: NamedKind): boolean {
  const own = groupKindOf(object);
  const singular = own.kind.toLowerCase();
  return (kind === singular || kind === `${singular}s`) && (group === undefined || group === own.group);
}

function isIn({ metadata }: KubeObject, namespace: string | undefined): boolean {
  return namespace === undefined || metadata.namespace === undefined || metadata.namespace === namespace;
}

function format(explanations: readonly Explanation[], options: ExplainOptions, color: boolean): string {
  const { output, cluster } = options;
  const shown =
    cluster === undefined
      ? explanations
      : explanations.map((one) => ({ ...one, clusters: one.clusters.filter(({ name }) => name === cluster) }));
  const text = explanations.map((one) => explanationText(one, { wide: output === "wide", color, cluster }));
  return structured({ explanations: shown }, output) ?? text.join("\n");
}

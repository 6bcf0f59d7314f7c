/**
 * `meridian plan`: the effect of a change, before anything is written. The hub says by `dryRun` how it would store the
 * files, the manager's own functions compute what follows, and the members say by `dryRun` how they would store the
 * result. With `--without-hub` no server is asked. Like kubectl diff, the command exits with 0 when nothing would
 * change, with 1 when something would change or an object of the files would run nowhere, and with 2 on an error.
 */
import {
  DEFAULT_SYSTEM_NAMESPACE,
  fullMessage,
  joinCommand,
  type KubeObject,
  type ObjectRef,
} from "../../apis/index.ts";
import { refKey, refOf } from "../../apis/index.ts";
import type { Rehearsed } from "../../clusters/index.ts";
import { type ClusterChange, type StageAssignment, stageAssignment, stageProblems } from "../../desiredstate/index.ts";
import { systemClock } from "../../runtime/index.ts";
import {
  atOnce,
  chooseAmong,
  type CommandContext,
  CommandError,
  connectHub,
  EXIT,
  type HubOptions,
  structured,
} from "../shared/index.ts";
import type { PlanOptions } from "./verb.ts";
import { cordoned, drained } from "./taints.ts";
import { hiddenCluster } from "../status/index.ts";
import {
  asApplied,
  asksForHeadroom,
  assumeClusters,
  type FileObject,
  HubStateReader,
  Members,
  objectsOfFiles,
  PlannerHubState,
  put,
  roleOf,
} from "./state/index.ts";
import { departingNotes } from "./departing.ts";
import { lostCluster } from "./loss.ts";
import { lostOwnerNotes } from "./lostOwners.ts";
import { type Candidate, Comparing, placementOf, type PlannedObject } from "./planning.ts";
import { planReport, type PlanReport, type RehearsedRow, unplacedAmong } from "./report.ts";
import { planText } from "./text.ts";
import { type BeforeAndAfter, statesOfFiles } from "./withoutHub.ts";

export async function plan(options: PlanOptions, context: CommandContext): Promise<number> {
  const { filename, policy, without, cordon, drain, from, withoutHub } = options;
  if ([filename, policy, without, cordon, drain].every(({ length }) => length === 0))
    throw new CommandError(
      "plan needs a change: give -f FILE, --policy FILE, --without CLUSTER, --cordon CLUSTER or --drain CLUSTER",
    );
  if (from.length > 0 && !withoutHub) throw new CommandError("--from replaces the hub: give --without-hub as well");
  const { report, notes } = withoutHub ? await planOfFiles(options) : await planOnHub(options, context);
  const { terminal } = context;
  if (options.output === undefined) for (const note of notes) terminal.err(`${note}\n`);
  terminal.out(structured(report, options.output) ?? planText(report, terminal.color));
  return report.objects.length + report.unplaced.length === 0 ? EXIT.ok : EXIT.found;
}

/** The effect of draining the cluster, as far as the hub alone knows; as text for people. */
export async function drainText(cluster: string, hub: HubOptions, context: CommandContext): Promise<string> {
  const none = { filename: [], policy: [], without: [], cordon: [], from: [] };
  const how = { recursive: false, serverSide: false, hubOnly: true, withoutHub: false };
  const wish = { ...hub, ...none, ...how, systemNamespace: DEFAULT_SYSTEM_NAMESPACE, drain: [cluster] };
  const { report } = await planOnHub(wish, context);
  return planText(report, context.terminal.color);
}

interface Planned {
  report: PlanReport;
  notes: readonly string[];
}

async function planOfFiles(options: PlanOptions): Promise<Planned> {
  const { namespace = "default" } = options;
  const files = await filesOf(options, namespace);
  const { before, after } = await statesOfFiles(options, files, namespace);
  const comparing = comparisonOf(before, after, options, "the files hold");
  const planned = comparing.candidates.map((candidate) => comparing.planned(candidate));
  const notes = new Set(departingNotes(comparing.after, comparing.departing));
  if (planned.some(({ changes }) => changes.some(isRemoval))) notes.add(UNKNOWN_FROM_FILES);
  return reported({ before, files, comparing, planned, rehearsed: new Map(), notes });
}

const UNKNOWN_FROM_FILES =
  "Files do not say whether a kind is being deleted, nor what members hold: the manager may hold a removal that is shown here.";

function isRemoval({ objects }: ClusterChange): boolean {
  return objects.some(({ verb }) => verb === "Deleted" || verb === "Released");
}

async function planOnHub(options: PlanOptions, context: CommandContext): Promise<Planned> {
  const { signal } = context;
  await using hub = connectHub(options, context);
  const namespace = options.namespace ?? hub.config.currentNamespace;
  const files = await filesOf(options, namespace);
  const reader = new HubStateReader(hub, signal, "meridian plan --without-hub --from FILES -f FILES");
  const { before, after } = await statesOfHub(reader, files, options, homeOf(files, namespace), signal);
  await using members = new Members({
    hub: hub.client,
    hubId: before.hubId,
    systemNamespace: options.systemNamespace,
    signal,
  });
  if (!options.hubOnly && (asksForHeadroom(before) || asksForHeadroom(after))) {
    const clusters = after.clusters.filter(({ metadata: { name } }) => !options.without.includes(name));
    await members.reach(clusters);
    before.capacities = after.capacities = await members.capacities(after.clusters);
  }
  const comparing = comparisonOf(before, after, options, "the hub has");
  const planned = options.hubOnly
    ? comparing.candidates.map((candidate) => comparing.planned(candidate))
    : await withMembers(comparing, members, comparing.after, new Set(options.without));
  const rehearsed = options.hubOnly ? new Map<RehearsedRow, Rehearsed>() : await rehearse(planned, members);
  const lost = await lostOwnerNotes(reader, comparing.after, members.seen());
  const departing = departingNotes(comparing.after, comparing.departing);
  const notes = new Set([...reader.notes, ...members.notes, ...rehearsalNotes(rehearsed), ...departing, ...lost]);
  return reported({ before, files, comparing, planned, rehearsed, notes });
}

/** The namespace of the files, if they all name the same one. */
function homeOf(files: readonly FileObject[], namespace: string): string {
  const [first = namespace, ...others] = new Set(files.flatMap(({ object }) => object.metadata.namespace ?? []));
  return others.length === 0 ? first : namespace;
}

function comparisonOf(
  before: PlannerHubState,
  files: PlannerHubState,
  { without, cordon, drain }: PlanOptions,
  who: string,
): Comparing {
  requireClusters(files, [...without, ...cordon, ...drain], who);
  const now = systemClock.now();
  const after = files.clone();
  after.clusters = files.clusters.map((cluster) => {
    const { name } = cluster.metadata;
    const change = drain.includes(name) ? drained : cordon.includes(name) ? cordoned : undefined;
    const { taints = [] } = cluster.spec;
    const given =
      change === undefined ? cluster : { ...cluster, spec: { ...cluster.spec, taints: [...change(taints, now)] } };
    return without.includes(name) ? lostCluster(given) : given;
  });
  return new Comparing({ before, after, lost: new Set(without), now });
}

interface Answer {
  before: PlannerHubState;
  files: readonly FileObject[];
  comparing: Comparing;
  planned: readonly PlannedObject[];
  rehearsed: ReadonlyMap<RehearsedRow, Rehearsed>;
  notes: Set<string>;
}

function reported({ before, files, comparing, planned, rehearsed, notes }: Answer): Planned {
  const { after } = comparing;
  const allClusters = new Set([...before.clusters, ...after.clusters].map(({ metadata }) => metadata.name)).size;
  for (const one of planned) for (const note of [...supersededRun(after, one), ...newWarnings(one)]) notes.add(note);
  const stages = new Map(planned.map((one) => [one.key, stagesFor(after, one)]));
  for (const one of stages.values())
    for (const problem of one === undefined ? [] : stageProblems(one)) notes.add(`${capital(problem)}.`);
  const given = files.map(({ object }) => object);
  const unplaced = unplacedAmong(given, after, (key) => after.goesAlong(key), systemClock.now());
  const report = planReport({
    planned,
    unplaced,
    allClusters,
    rehearsed,
    stages,
    notes: [...notes],
  });
  return { report, notes: [...notes] };
}

function stagesFor(state: PlannerHubState, { object, after, changes }: PlannedObject): StageAssignment | undefined {
  if (changes.length === 0) return undefined;
  const concerned = new Set([...after.clusters.map(({ name }) => name), ...changes.map(({ cluster }) => cluster)]);
  const clusters = state.clusterSnapshots().filter(({ name }) => concerned.has(name));
  return stageAssignment(placementOf(state, after)?.spec.rollout, clusters, object.metadata.labels);
}

function newWarnings({ object, before, after }: PlannedObject): string[] {
  const textsOf = (target: PlannedObject["before"]): Set<string> =>
    new Set(target?.clusters.flatMap(({ warning }) => (warning === undefined ? [] : fullMessage(warning.message))));
  const [old, messages] = [textsOf(before), textsOf(after)];
  const name = `${object.kind.toLowerCase()}/${object.metadata.name}`;
  return [...messages].filter((message) => !old.has(message)).map((message) => `${name}: ${message}.`);
}

const RUNNING = new Set(["Planned", "Progressing", "Paused", "RollingBack"]);

function supersededRun(state: PlannerHubState, { object, changes }: PlannedObject): string[] {
  const { rollout } = state.statusOf(object) ?? {};
  if (rollout === undefined || changes.length === 0 || !RUNNING.has(rollout.state)) return [];
  const name = `${object.kind.toLowerCase()}/${object.metadata.name}`;
  return [
    `A rollout of ${name} is under way (${rollout.state}, revision ${rollout.revision}): this change supersedes it.`,
  ];
}

function capital(sentence: string): string {
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}

async function filesOf({ filename, policy, recursive }: PlanOptions, namespace: string): Promise<FileObject[]> {
  const read = (files: readonly string[]): Promise<FileObject[]> =>
    files.length === 0 ? Promise.resolve([]) : objectsOfFiles({ files, recursive, namespace });
  const policies = await read(policy);
  const other = policies.find(({ given }) => !["Placement", "Override"].includes(roleOf(given)));
  if (other !== undefined)
    throw new CommandError(
      `${other.from}: ${other.given.kind} ${other.given.metadata.name} is no policy; give it with -f instead of --policy`,
    );
  return [...policies, ...(await read(filename))];
}

/** The state of the hub, and the state with the files as the hub would store them. */
async function statesOfHub(
  reader: HubStateReader,
  files: readonly FileObject[],
  { serverSide }: PlanOptions,
  namespace: string,
  signal: AbortSignal,
): Promise<BeforeAndAfter> {
  const before = new PlannerHubState();
  await reader.readPolicies(before, undefined, namespace);
  const stored: KubeObject[] = [];
  for (const file of files) stored.push(await asApplied(reader, file, { serverSide }, signal));
  const after = before.clone();
  for (const object of stored) put(after, object);
  const home = before.isPartial ? namespace : undefined;
  const kinds = await reader.placedKinds([...before.placements, ...after.placements]);
  await reader.readObjects(before, kinds, home);
  await reader.readScales(before, kinds);
  await readNamed(reader, before, stored);
  const everything = [...before.objects.values(), ...stored];
  await reader.readSurroundings(before, everything);
  await reader.readDependencies(before, everything);
  const complete = before.clone();
  for (const object of stored) put(complete, object);
  await reader.readKindTerms(complete);
  before.kindTerms = complete.kindTerms;
  await reader.readDependencies(complete, [...complete.objects.values()]);
  assumeClusters(before);
  assumeClusters(complete);
  // A dependency that only the new policies ask for exists before the change as well.
  const changed = new Set(stored.map((object) => refKey(refOf(object))));
  for (const [key, object] of complete.dependencies)
    if (!before.dependencies.has(key) && !changed.has(key)) before.dependencies.set(key, object);
  return { before, after: complete };
}

/** Reads the live objects for files of kinds that no policy places now. */
async function readNamed(reader: HubStateReader, state: PlannerHubState, stored: readonly KubeObject[]): Promise<void> {
  for (const object of stored) {
    const key = refKey(refOf(object));
    if (roleOf(object) !== "Object" || state.objects.has(key)) continue;
    const type = await reader.typeOf(object);
    const { namespace, name } = object.metadata;
    const live =
      type === undefined ? undefined : await reader.find(type, type.namespaced ? namespace : undefined, name);
    if (live !== undefined) put(state, live);
  }
}

function requireClusters(state: PlannerHubState, names: readonly string[], who: string): void {
  const known = state.clusters.map(({ metadata }) => metadata.name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined && state.hidden.has("memberclusters")) throw hiddenCluster(unknown);
  if (unknown !== undefined)
    throw new CommandError(
      `${who} no member cluster "${unknown}"; ${chooseAmong(known, `join one with \`${joinCommand()}\``)}`,
    );
}

function refsOf({ before, after }: Candidate): { clusters: Set<string>; refs: ObjectRef[] } {
  const targets = [before, after].flatMap((target) => target?.clusters ?? []);
  const refs = new Map(targets.flatMap(({ objects }) => objects.map(({ ref }) => [refKey(ref), ref] as const)));
  return { clusters: new Set(targets.map(({ name }) => name)), refs: [...refs.values()] };
}

/** True if clusters may still have earlier dependencies of the object. */
function mayHaveMore(state: PlannerHubState, { before, object }: Candidate): boolean {
  if (before === undefined) return false;
  const { rollout } = state.statusOf(object) ?? {};
  if (rollout !== undefined && rollout.state !== "Succeeded") return true;
  return before.clusters.some(({ frozen, problem }) => frozen || problem !== undefined);
}

/** Each is read once, and rehearsed once. */
const MOST_ASKED = 20_000;

async function withMembers(
  comparing: Comparing,
  members: Members,
  { clusters }: PlannerHubState,
  lost: ReadonlySet<string>,
): Promise<PlannedObject[]> {
  const refsByCluster = new Map<string, Map<string, ObjectRef>>();
  for (const candidate of comparing.candidates) {
    const concerned = refsOf(candidate);
    for (const { cluster } of candidate.copies) concerned.clusters.add(cluster);
    for (const cluster of concerned.clusters) {
      const refs = refsByCluster.get(cluster) ?? new Map<string, ObjectRef>();
      for (const ref of concerned.refs) refs.set(refKey(ref), ref);
      refsByCluster.set(cluster, refs);
    }
  }
  let count = 0;
  for (const refs of refsByCluster.values()) count += refs.size;
  if (count > MOST_ASKED) {
    members.notes.add(
      `${count} member objects are too many to ask for one by one: the members are not asked, what is there is as the hub last heard of it, and fields are compared with what the hub sends now.`,
    );
    return comparing.candidates.map((candidate) => comparing.planned(candidate));
  }
  await members.reach(
    clusters.filter(({ metadata: { name } }) => refsByCluster.has(name) && !lost.has(name) && !members.isReached(name)),
  );
  await Promise.all(Array.from(refsByCluster, ([cluster, refs]) => members.read(cluster, [...refs.values()])));
  const unknown = comparing.candidates.filter((candidate) => mayHaveMore(comparing.before, candidate));
  const homes = new Set(unknown.flatMap(({ object }) => object.metadata.namespace ?? []));
  await Promise.all(
    [...refsByCluster.keys()].flatMap((cluster) =>
      Array.from(homes, (namespace) => members.readDependencies(cluster, namespace)),
    ),
  );
  const observed = comparing.candidates.map((candidate) => {
    const { clusters: concerned, refs } = refsOf(candidate);
    for (const { cluster } of candidate.copies) concerned.add(cluster);
    const { uid } = candidate.object.metadata;
    const seen = [...concerned].flatMap((one) => (members.isReached(one) ? members.copies(one, refs, uid) : []));
    const told = candidate.copies.filter(({ cluster }) => !members.isReached(cluster));
    return comparing.observed(candidate, [...seen, ...told]);
  });
  return observed.map((candidate) => comparing.planned(candidate));
}

async function rehearse(planned: readonly PlannedObject[], members: Members): Promise<Map<RehearsedRow, Rehearsed>> {
  const rows = planned.flatMap(({ changes }) =>
    changes.flatMap(({ objects }) =>
      objects.flatMap(({ row, removal }): RehearsedRow[] => {
        if (row !== undefined) return [row];
        return removal?.verb === "Delete" ? [removal] : [];
      }),
    ),
  );
  const rehearsed = new Map<RehearsedRow, Rehearsed>();
  await atOnce(rows, async (row) => {
    const said = row.verb === "Apply" ? await members.rehearse(row) : await members.rehearseRemoval(row);
    if (said !== undefined) rehearsed.set(row, said);
  });
  return rehearsed;
}

function rehearsalNotes(rehearsed: ReadonlyMap<RehearsedRow, Rehearsed>): Set<string> {
  const notes = new Set<string>();
  for (const [{ cluster, ref }, said] of rehearsed) {
    if (said.kind === "NamespaceMade")
      notes.add(
        `Namespace ${ref.namespace} would be made on ${cluster}: what that member makes of objects in it is not known before.`,
      );
    if (said.kind === "Unreached") notes.add(`${cluster} did not answer to all: ${fullMessage(said.message)}.`);
  }
  return notes;
}

export { isSameTarget, placementOf } from "./planning.ts";
export { unplacedAmong } from "./report.ts";
export {
  asksForHeadroom,
  assumeClusters,
  givenObjects,
  type GivenObject,
  HubStateReader,
  inPlaceOf,
  isPlaceable,
  isRenderedKind,
  Members,
  objectsOfFiles,
  PlannerHubState,
  put,
  readGiven,
  roleOf,
  stateOf,
} from "./state/index.ts";
export { type Change, changeTaints, cordoned, drained, DRAINING, memberOf, uncordoned } from "./taints.ts";
export { valueText } from "./text.ts";

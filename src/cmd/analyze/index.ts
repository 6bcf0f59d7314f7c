/**
 * `meridian analyze`: what policies and objects in files would not do as meant on the live fleet, or on a fleet in
 * files. The manager's own functions decide, as for `plan`. Each finding has a code, a severity, an object, a remedy.
 *
 * Promises: only reads, and never asks a member. Exits with 0 if nothing was found, with 1 for an error or a warning
 * among the findings, with 2 if the hub is not reached or the files cannot be read. Facts that the rights do not show
 * are named, and give no finding. Values of Secrets are never shown.
 */
import type { KubeObject, OverridePolicy, Placement } from "../../apis/index.ts";
import { systemClock } from "../../runtime/index.ts";
import { tolerates } from "../../scheduler/index.ts";
import { givenObjects, readGiven, roleOf } from "../plan/index.ts";
import {
  type CommandContext,
  CommandError,
  connectHub,
  exitOf,
  type Finding,
  refText,
  structured,
} from "../shared/index.ts";
import { type Analysis, analysisOf, type Said, type Subject } from "./analysis.ts";
import { catalogOf } from "./catalog.ts";
import { type Fleet, fleetOfFiles, fleetOfHub } from "./fleet.ts";
import { objectFindings } from "./objects.ts";
import { ruleFindings } from "./overrides.ts";
import { placementFindings } from "./placements.ts";
import { displaced, idleSelectors, outcomeFindings, selectedBy } from "./policies.ts";
import { type AnalysisReport, analysisText } from "./text.ts";
import type { AnalyzeOptions } from "./verb.ts";

export async function analyze(options: AnalyzeOptions, context: CommandContext): Promise<number> {
  const { filename, from, withoutHub, output } = options;
  const { terminal } = context;
  if (filename.length === 0)
    throw new CommandError("analyze needs policies or objects: give their files with -f FILE (and -R for folders)");
  if (from.length > 0 && !withoutHub) throw new CommandError("--from replaces the hub: give --without-hub as well");
  const report = withoutHub ? await ofFiles(options) : await ofHub(options, context);
  if (output === undefined) for (const note of report.notes) terminal.err(`${note}\n`);
  terminal.out(structured(report, output) ?? analysisText(report, terminal.color));
  return exitOf(report.findings);
}

async function ofHub(options: AnalyzeOptions, context: CommandContext): Promise<AnalysisReport> {
  await using hub = connectHub(options, context);
  const namespace = options.namespace ?? hub.config.currentNamespace;
  const read = await readFiles(options, namespace);
  return report(read, await fleetOfHub(hub, read.subjects, homeOf(read.subjects, namespace), context.signal));
}

async function ofFiles(options: AnalyzeOptions): Promise<AnalysisReport> {
  const { namespace = "default" } = options;
  const read = await readFiles(options, namespace);
  return report(read, await fleetOfFiles(options, read.subjects, namespace));
}

/** The namespace of the files, if they all name the same one. */
function homeOf(subjects: readonly Subject[], namespace: string): string {
  const [first = namespace, ...others] = new Set(subjects.flatMap(({ object }) => object.metadata.namespace ?? []));
  return others.length === 0 ? first : namespace;
}

interface Read {
  /** In the order of the files; `problems`: why a hub would refuse the object. */
  all: (Subject & { problems: readonly string[] })[];
  subjects: Subject[];
}

async function readFiles({ filename, recursive }: AnalyzeOptions, namespace: string): Promise<Read> {
  const all: Read["all"] = [];
  for (const { from, given } of await givenObjects({ files: filename, recursive, namespace })) {
    const parsed = readGiven(given);
    if ("problems" in parsed) all.push({ from, object: given, problems: parsed.problems });
    else all.push({ from, object: parsed.object, problems: [] });
  }
  return { all, subjects: all.filter(({ problems }) => problems.length === 0) };
}

function report({ all, subjects }: Read, { state, served, notes }: Fleet): AnalysisReport {
  const analysis = analysisOf(state, catalogOf(served), subjects, systemClock.now());
  const findings = all.flatMap(({ from, object, problems }) => {
    const said = problems.length > 0 ? problems.map(invalid) : findingsOf(object, analysis);
    return said.map((one): Finding => ({ ...one, where: placeOf(from, object) }));
  });
  return { analyzed: all.length, findings, notes: [...notes] };
}

function invalid(problem: string): Said {
  const remedy = "correct the field: the hub would refuse the object";
  return { code: "Invalid", severity: "Error", what: problem, remedy };
}

function placeOf(from: string, { kind, metadata }: KubeObject): string {
  return `${from}: ${refText({ kind, ...metadata })}`;
}

function findingsOf(object: KubeObject, analysis: Analysis): Said[] {
  switch (roleOf(object)) {
    case "Placement": {
      const policy = object as unknown as Placement;
      const selected = selectedBy(policy, analysis);
      const outcome = outcomeFindings(policy, selected, analysis);
      const own = placementFindings(policy, selected, analysis);
      const others = displaced(policy, selected, analysis);
      return [...outcome, ...own, ...others, ...idleSelectors(policy, selected, analysis)];
    }
    case "Override": {
      const policy = object as unknown as OverridePolicy;
      const selected = selectedBy(policy, analysis);
      const rules = ruleFindings(policy, selected, analysis);
      const outcome = outcomeFindings(policy, selected, analysis);
      // Where no rule takes any cluster of the fleet, the findings of the rules say more.
      const isSaid = rules.filter(({ code }) => code === "TakesNoCluster").length === policy.spec.rules.length;
      const others = outcome.filter(({ code }) => code !== "NoClusterMatches" || !isSaid);
      return [...others, ...rules, ...idleSelectors(policy, selected, analysis)];
    }
    case "Object":
      return objectFindings(object, analysis);
    case "Cluster":
      return untolerated(object, analysis);
    case "Binding":
      return [
        {
          code: "WrittenByMeridian",
          severity: "Error",
          what: "only a manager writes bindings; this one would be overwritten",
          remedy: "remove the binding from the files",
        },
      ];
  }
}

/** Taints with which nothing at all would run on the cluster. */
function untolerated(cluster: KubeObject, { state }: Analysis): Said[] {
  const taints = state.memberCluster(cluster.metadata.name)?.spec.taints ?? [];
  const tolerations = state.placements.flatMap(({ spec }) => spec.tolerations ?? []);
  return taints
    .filter(({ effect }) => effect !== "PreferNoSchedule")
    .filter((taint) => !tolerations.some((toleration) => tolerates(toleration, taint)))
    .map(({ key, value, effect }) => ({
      code: "TaintToleratedByNone",
      severity: "Info",
      what: `no Placement tolerates the taint ${key}${value === undefined ? "" : `=${value}`}:${effect}, so nothing is placed there`,
      remedy: "nothing to mend if that is meant; else add a toleration to a Placement, or remove the taint",
    }));
}

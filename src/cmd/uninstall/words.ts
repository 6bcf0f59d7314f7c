import { describeRelease, type HelmRelease } from "../shared/index.ts";
import type { Item, Stage, UninstallChoice } from "./state.ts";
import type { Step } from "./steps.ts";

/** Texts about the steps. Pure. */

const NAMED = 5;

/** `demoapplication default/shop`. */
export function nameOf({ type, namespace, name }: Item): string {
  return `${type.kind.toLowerCase()} ${namespace === undefined ? name : `${namespace}/${name}`}`;
}

/** `2 placements and 1 membercluster`. */
export function count(items: readonly Item[]): string {
  const kinds = new Map<string, number>();
  for (const { type } of items) kinds.set(type.kind, (kinds.get(type.kind) ?? 0) + 1);
  return listed([...kinds].map(([kind, many]) => `${many} ${many === 1 ? kind.toLowerCase() : plural(kind)}`));
}

function plural(kind: string): string {
  const name = kind.toLowerCase();
  if (name.endsWith("y")) return `${name.slice(0, -1)}ies`;
  return name.endsWith("s") ? `${name}es` : `${name}s`;
}

export function some(items: readonly Item[]): string {
  const named = items.slice(0, NAMED).map(nameOf);
  return items.length > NAMED ? `${named.join(", ")} and ${items.length - NAMED} more` : listed(named);
}

function listed(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "nothing";
  return parts.length < 2 ? last : `${parts.slice(0, -1).join(", ")} and ${last}`;
}

/** By a manager, if it has to remove finalizers; else until they are gone. */
const WAITS_FOR: Partial<Record<Stage, string>> = {
  applications: "until the manager has taken them off the members",
  policies: "until no finalizer holds them",
  members: "until the manager has removed its finalizers",
  bound: "until the manager has released their objects",
  bindings: "until the manager has released their objects",
  crds: "until the hub serves them no more",
  namespaces: "until they are empty and gone",
};

/** Undefined for steps that end the command. */
export function describeStep(step: Step, { objects }: UninstallChoice): string | undefined {
  switch (step.do) {
    case "Delete": {
      const what = `delete ${count(step.items)}`;
      if (step.stage === "applications" && objects === "Orphan")
        return `${what}; their member objects are left running`;
      if (step.stage === "members")
        return `${what}; the copies there are ${objects === "Orphan" ? "left running" : "deleted"}`;
      return what;
    }
    case "Agree":
      return `agree on ${count(step.items)}, which somebody deletes: their copies on the members are deleted, too`;
    case "Await":
      return `wait for ${count(step.items)}: ${waitsFor(step)}`;
    case "Release":
      return `remove Meridian's finalizers from ${count(step.items)} without a manager${step.stage === "members" ? "; the copies there are released first" : ""}`;
    case "Withdraw":
      return `take back the webhooks${step.items.length === 0 ? "" : ` (${count(step.items)})`}; no webhook converts objects afterwards`;
    case "LetGo":
      return `remove Meridian's marks from ${count(step.items)} on the hub, and leave ${step.items.length === 1 ? "it" : "them"} there`;
    case "CleanMembers":
      return `remove what join made on ${step.items.map(({ name }) => name).join(", ")}, and the credentials here`;
    case "StopManager":
      return "wait until the manager is stopped: it has nothing left to do, and would make the removed objects again";
    default:
      return undefined;
  }
}

function waitsFor({ stage, byManager }: Extract<Step, { do: "Await" }>): string {
  const isHeld = stage === "applications" || stage === "members" || stage === "bindings";
  return isHeld && !byManager ? "until no finalizer holds them" : (WAITS_FOR[stage] ?? "until they are gone");
}

export const WAYS_ON = `\
  meridian uninstall --drain    deletes them, and their objects on the members
  meridian uninstall --orphan   deletes them, and leaves their objects on the members running
`;

export function describeGuarded(items: readonly Item[], labelName: string): string {
  const [first] = items;
  const where = first?.namespace === undefined ? "" : ` -n ${first.namespace}`;
  const command =
    first === undefined ? "" : `: kubectl label ${first.type.kind.toLowerCase()} ${first.name}${where} ${labelName}-`;
  return `a label protects ${some(items)} from deletion; nothing was done. If it may go, remove the label first${command}`;
}

export function describeHandOver(releases: readonly HelmRelease[]): string {
  const commands = releases.map(({ name, namespace }) => `helm uninstall ${name} -n ${namespace}`);
  return `the rest belongs to ${listed(releases.map(describeRelease))}: ${commands.join("; ")}`;
}

/** The Secrets stay for the next run. */
export function describeUnclean(secrets: readonly Item[]): string {
  const names = listed(secrets.map(({ name }) => name));
  return `Meridian still has rights or marks on ${names}: remove the objects named above, or run uninstall again when ${secrets.length === 1 ? "it answers" : "they answer"}`;
}

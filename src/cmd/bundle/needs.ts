import { counted, fullMessage, type KubeObject, renewCommand } from "../../apis/index.ts";
import {
  type Allowance,
  allowancesFor,
  type NamespaceTerms,
  scopeNeeds,
  scopeProblem,
  termsWithin,
} from "../../desiredstate/index.ts";
import { groupKindOf, isCustomGroup, memberKinds } from "../../interpreter/index.ts";
import { NAMESPACES } from "../../runtime/index.ts";
import { namesText, quoted } from "../shared/index.ts";
import { definedKinds, kindName } from "./definitions.ts";

/** Needs of hub and members before a bundle arrives, each with the complete command that satisfies the need. Pure. */

export interface Subject {
  name: string;
  namespace: string;
  /** Objects as members get them. */
  objects: readonly KubeObject[];
  /** kubectl flags that select the hub, each with a leading blank. */
  onHub: string;
}

export interface Need {
  what: string;
  command: string;
}

export function needText({ what, command }: Need): string {
  return `${what}: ${command}`;
}

/** The reason why no permission lets the bundle be sent (a protected namespace); undefined if there is none. */
export function refusalOf({ objects }: Subject, terms: NamespaceTerms): string | undefined {
  const problem = scopeProblem(objects, terms);
  return problem?.reason === "ProtectedNamespace" ? fullMessage(problem.message) : undefined;
}

/** One command per Namespace for an administrator of the hub. `before`: present values of an annotation. */
export function hubNeeds(
  { objects, onHub }: Subject,
  terms: NamespaceTerms,
  before: (allowance: Allowance) => readonly string[],
): Need[] {
  const { allowances } = scopeNeeds(objects, terms);
  const all = [...allowances, ...allowancesFor(objects, termsWithin(objects, terms, false))];
  return [...Map.groupBy(all, ({ namespace }) => namespace)].map(([namespace, group]) => {
    const texts = group.map((one) => {
      const values = new Set([...before(one), ...one.values]);
      return quoted(`${one.annotation}=${[...values].toSorted().join(",")}`);
    });
    return {
      what: `an administrator of the hub allows namespace ${namespace} what the bundle holds, and what its pods name`,
      command: `kubectl annotate --overwrite namespace ${namespace} ${texts.toSorted().join(" ")}${onHub}`,
    };
  });
}

/** Rights that the account of each member needs, unless the account has them already. */
export function memberNeeds({ objects }: Subject, terms: NamespaceTerms): Need[] {
  const always = new Set([...memberKinds(), NAMESPACES].map(kindName));
  // The account can get rights on a kind that the member does not serve yet only by its plural.
  const plurals = new Map(definedKinds(objects).map((kind) => [kindName(kind), `${kind.plural}.${kind.group}`]));
  const names = new Set(objects.map((object) => kindName(groupKindOf(object))).filter((name) => !always.has(name)));
  const kinds = [...names].map((name) => plurals.get(name) ?? name).toSorted();
  const { inProtected } = scopeNeeds(objects, terms);
  const flags = [
    ...(kinds.length === 0 ? [] : [`--kinds ${kinds.join(",")}`]),
    ...(inProtected.length === 0 ? [] : [`--allow-protected ${inProtected.join(",")}`]),
  ];
  if (flags.length === 0) return [];
  return [
    {
      what: "where it is not done yet, let each member take the kinds of the bundle",
      command: renewCommand("NAME", ...flags),
    },
  ];
}

/** Definitions that the bundle brings and the hub may need. `served`: kinds that the hub serves already. */
export function broughtDefinitions(
  objects: readonly KubeObject[],
  served: ReadonlySet<string>,
  command: string,
): Need[] {
  const brought = definedKinds(objects).filter((kind) => !served.has(kindName(kind)));
  if (brought.length === 0) return [];
  const names = brought.map(({ plural, group }) => `${plural}.${group}`).toSorted();
  return [
    {
      what: `the bundle brings ${names.length === 1 ? "the definition" : counted(names.length, "definition")} of ${namesText(names)} to members; a hub that is to store such objects needs the same`,
      command,
    },
  ];
}

/** Definitions that the bundle needs on members and does not bring. */
export function missingDefinitions({ name, namespace, objects }: Subject): Need[] {
  const brought = new Set(definedKinds(objects).map(kindName));
  const used = objects.map(groupKindOf).filter(({ group }) => isCustomGroup(group));
  const missing = [...new Set(used.map(kindName))].filter((kind) => !brought.has(kind)).toSorted();
  if (missing.length === 0) return [];
  return [
    {
      what: `the bundle brings no definition of ${namesText(missing)}; where members lack it, send them the file that holds it`,
      command: `meridian bundle create ${name}-definitions -n ${namespace} -f FILE --apply`,
    },
  ];
}

import type { CommanderError } from "@commander-js/extra-typings";
import { KINDS } from "../../../src/apis/served/kinds.ts";
import { programForReading } from "../../reference/commands.ts";
import { sourceTexts } from "./sourceTexts.ts";

export interface PrintedCommand {
  file: string;
  command: string;
}

/** Every command that a text of the program holds: in backquotes, behind a colon, or as the whole of the text. */
export function printedCommands(): PrintedCommand[] {
  const found = sourceTexts().flatMap(({ file, text }) => commandsIn(text).map((command) => ({ file, command })));
  return [...new Map(found.map((one) => [`${one.file} ${one.command}`, one])).values()];
}

export function commandsIn(text: string): string[] {
  return [...text.matchAll(QUOTED), ...text.matchAll(PLAIN)].map(([, command = ""]) => command.trim());
}

const QUOTED = /`((?:kubectl|meridian) [^`]+)`/g;
const PLAIN = /(?:^|: )((?:kubectl|meridian) (?=[a-z-]+ )[^`;\n]+?)(?=;|\n|$|, if )/g;

/** Why the command cannot be run as it is printed, words in capitals filled in; undefined where it can. */
export async function flawOf(command: string): Promise<string | undefined> {
  const [program, ...words] = wordsOf(command);
  return program === "kubectl" ? flawOfKubectl(words) : await flawOfMeridian(words);
}

/** As a shell reads the line, up to a pipe. */
function wordsOf(command: string): string[] {
  const [line = ""] = command.split(" | ");
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, single, double, plain]) =>
    filledIn(single ?? double ?? plain ?? ""),
  );
}

/** Names in braces and in capitals are filled in by the program or by the person. */
function filledIn(word: string): string {
  return word.replaceAll(/\{\w+\}|\b[A-Z]{3,}\b/g, "value");
}

async function flawOfMeridian(words: readonly string[]): Promise<string | undefined> {
  try {
    await programForReading().parseAsync([...words], { from: "user" });
    return undefined;
  } catch (error) {
    return (error as CommanderError).message;
  }
}

interface Verb {
  flags: readonly string[];
  /** Flags that have a value in a word of its own. */
  valued?: readonly string[];
  /** How many words there are at least, the kind included. */
  least: number;
  /** The first word is a kind, and an object of a namespaced kind needs the namespace. */
  kind: boolean;
}

const VERBS: Readonly<Record<string, Verb>> = {
  annotate: { flags: ["--overwrite"], least: 3, kind: true },
  apply: { flags: ["--server-side"], valued: ["-f"], least: 0, kind: false },
  "auth can-i": { flags: [], least: 2, kind: false },
  "config use-context": { flags: [], least: 1, kind: false },
  "config view": { flags: ["--flatten"], least: 0, kind: false },
  "create namespace": { flags: [], least: 1, kind: false },
  delete: { flags: ["--ignore-not-found"], valued: [], least: 2, kind: true },
  describe: { flags: [], valued: ["-l"], least: 1, kind: true },
  edit: { flags: [], least: 2, kind: true },
  get: { flags: ["-A"], valued: ["-o", "-l", "--field-selector"], least: 1, kind: true },
  label: { flags: ["--overwrite"], least: 3, kind: true },
  logs: { flags: ["--previous"], least: 1, kind: false },
  meridian: { flags: [], least: 0, kind: false },
  patch: { flags: ["--type=merge"], valued: ["-p"], least: 2, kind: true },
  "top pods": { flags: [], least: 0, kind: false },
  "rollout resume": { flags: [], least: 1, kind: false },
  wait: { flags: ["--for=condition=Ready"], least: 1, kind: false },
};

const NAMESPACED = [
  "pods",
  "pvc",
  "service",
  "secret",
  "serviceaccount",
  "role",
  "rolebinding",
  "resourcequota",
  "job",
  "leases",
  "events",
];
const CLUSTER_SCOPED = [
  "nodes",
  "namespace",
  "crd",
  "clusterrole",
  "clusterrolebinding",
  "validatingwebhookconfigurations",
];

/** Whether objects of the kind are namespaced, by each name that kubectl knows; undefined where the program fills the kind in. */
function isNamespaced(word: string): boolean | undefined {
  if (word === "value") return undefined;
  const own = KINDS.find(({ plural, singular, shortNames }) => [plural, singular, ...shortNames].includes(word));
  if (own !== undefined) return own.namespaced;
  if (NAMESPACED.includes(word)) return true;
  if (CLUSTER_SCOPED.includes(word)) return false;
  throw new Error(`kind ${word} is not known to this table`);
}

function flawOfKubectl(words: readonly string[]): string | undefined {
  const rest = [...words];
  const namespaces = ["-n", "--namespace"].flatMap((flag) => {
    const at = rest.indexOf(flag);
    return at === -1 ? [] : rest.splice(at, 2);
  });
  const double = rest.slice(0, 2).join(" ");
  const verb = VERBS[double] === undefined ? rest[0] : double;
  const known = VERBS[verb ?? ""];
  if (known === undefined) return `kubectl ${verb} is not in the table`;
  if (verb === "meridian") return undefined;
  const [args, unknown] = argumentsOf(rest.slice(verb === double ? 2 : 1), known);
  if (unknown !== undefined) return `${verb} has no flag ${unknown} in the table`;
  if (args.length < known.least) return `${verb} needs ${known.least} words`;
  const everywhere = rest.includes("-A");
  if (!known.kind) return verb === "logs" && namespaces.length === 0 ? "no namespace" : undefined;
  const kinds = (args[0] ?? "").split("/")[0]?.split(",") ?? [];
  const isMissing = kinds.some((kind) => isNamespaced(kind) === true) && namespaces.length === 0 && !everywhere;
  return isMissing ? "no namespace" : undefined;
}

function argumentsOf(words: readonly string[], { flags, valued = [] }: Verb): [args: string[], unknown?: string] {
  const args: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (valued.includes(word)) at++;
    else if (!word.startsWith("-")) args.push(word);
    else if (!flags.includes(word)) return [args, word];
  }
  return [args];
}

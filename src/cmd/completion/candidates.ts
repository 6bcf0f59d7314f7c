import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import { type Offered, offeredFor } from "../shared/index.ts";

export interface Candidate {
  word: string;
  description?: string;
}

export interface Completion {
  candidates: Candidate[];
  /** Names of files may be offered as well. */
  files: boolean;
}

/** Facts that the command line alone does not contain. */
export interface Known {
  /** Contexts of the kubeconfig that this option names, or of the default kubeconfig. */
  contexts(kubeconfigFlag: string): string[];
  members(): Promise<string[]>;
  applications(): Promise<string[]>;
  /** Objects of other kinds that a policy places, and bundles: `kind/name`. */
  others(): Promise<string[]>;
  /** Objects of the namespace that was given, or of the context's namespace. */
  rolledOut(): Promise<{ applications: string[]; bundles: string[] }>;
  namespaces(): Promise<string[]>;
}

/** Candidates for the last word. `words` follow the program's name; the last word may be empty. */
export async function candidatesFor(
  program: CommandUnknownOpts,
  words: readonly string[],
  known: Known,
): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, pending, position } = walk(program, before);
  const all =
    pending !== undefined
      ? await ofOption(pending, known, before)
      : current.startsWith("-")
        ? only(optionsOf(program, command, before))
        : command.commands.length > 0
          ? only(commandsOf(command))
          : await ofArgument(program, command, position, before, known);
  return { ...all, candidates: all.candidates.filter(({ word }) => word.startsWith(current)) };
}

/** The value of an option among the words, as `--option value` or `--option=value`. */
export function valueOf(words: readonly string[], flag: string): string | undefined {
  const at = words.findIndex((word) => word === flag || word.startsWith(`${flag}=`));
  const word = words[at];
  if (word === undefined) return undefined;
  return word === flag ? words[at + 1] : word.slice(flag.length + 1);
}

interface Walked {
  command: CommandUnknownOpts;
  pending: Option | undefined;
  position: number;
}

function walk(program: CommandUnknownOpts, words: readonly string[]): Walked {
  const at: Walked = { command: program, pending: undefined, position: 0 };
  for (const word of words) {
    if (at.pending !== undefined) {
      at.pending = undefined;
    } else if (word.startsWith("-")) {
      at.pending = [...at.command.options, ...program.options].find(
        ({ short, long, required }) => required && (word === short || word === long),
      );
    } else {
      const next = at.command.commands.find((command) => command.name() === word);
      if (next === undefined) at.position += 1;
      else at.command = next;
    }
  }
  return at;
}

function only(candidates: Candidate[]): Completion {
  return { candidates, files: false };
}

function commandsOf(parent: CommandUnknownOpts): Candidate[] {
  return parent.commands.map((command) => ({ word: command.name(), description: command.description() }));
}

/** Options that are not given yet. The program's own options are valid for every command. */
function optionsOf(program: CommandUnknownOpts, command: CommandUnknownOpts, before: readonly string[]): Candidate[] {
  const own = command === program ? [] : command.options;
  const offered: Candidate[] = [];
  for (const { short, long, description, hidden } of [...own, ...program.options]) {
    const word = long ?? short;
    const isGiven = before.some((one) => one === short || one === long || one.startsWith(`${long}=`));
    const isRepeatable = description.includes("may be repeated");
    if (word !== undefined && !hidden && (!isGiven || isRepeatable)) offered.push({ word, description });
  }
  return [...offered, { word: "--help", description: "display help for command" }];
}

async function ofOption(option: Option, known: Known, before: readonly string[]): Promise<Completion> {
  const { flags, long } = option;
  if (/<(file|folder)>/.test(flags)) return { candidates: [], files: true };
  if (flags.includes("<namespace>")) return only(plain(await known.namespaces()));
  if (long === "--context") return only(plain(known.contexts("--kubeconfig")));
  if (long === "--member-context") return only(plain(known.contexts("--member-kubeconfig")));
  return only(await declared(option, known, before));
}

async function ofArgument(
  program: CommandUnknownOpts,
  command: CommandUnknownOpts,
  position: number,
  before: readonly string[],
  known: Known,
): Promise<Completion> {
  if (command.name() === "help") return only(position === 0 ? commandsOf(program) : []);
  const argument = argumentAt(command, position);
  return only(argument === undefined ? [] : await declared(argument, known, before));
}

/** The choices of an argument or an option, or the names that its declaration offers. */
async function declared(place: Argument | Option, known: Known, before: readonly string[]): Promise<Candidate[]> {
  if (place.argChoices !== undefined) return plain(place.argChoices);
  const names = offeredFor(place);
  return names === undefined ? [] : await NAMES[names](known, before);
}

const NAMES: Readonly<Record<Offered, (known: Known, before: readonly string[]) => Promise<Candidate[]>>> = {
  members: async (known) => plain(await known.members()),
  renewedMembers: async (known, before) => (before.includes("--renew") ? plain(await known.members()) : []),
  applications: async (known) => plain(new Set(await known.applications()), "DemoApplication"),
  async rolledOutObjects(known) {
    const { applications, bundles } = await known.rolledOut();
    return [
      ...plain(applications, "DemoApplication"),
      ...plain(
        bundles.map((name) => `manifestbundle/${name}`),
        "ManifestBundle",
      ),
    ];
  },
  async shownKinds(known) {
    const others = await known.others();
    const kinds = others.map((name) => name.slice(0, name.indexOf("/")));
    return [
      ...plain(new Set(["demoapplication", "membercluster", ...kinds])),
      ...plain(new Set((await known.applications()).map((name) => `demoapplication/${name}`)), "DemoApplication"),
      ...plain(new Set(others)),
    ];
  },
  async placedObjects(known) {
    const [applications, others] = await Promise.all([known.applications(), known.others()]);
    return [...plain(new Set(applications), "DemoApplication"), ...plain(new Set(others))];
  },
  async shownObjects(known) {
    const [applications, others, members] = await Promise.all([known.applications(), known.others(), known.members()]);
    return [
      ...plain(new Set(applications), "DemoApplication"),
      ...plain(new Set(others)),
      ...plain(
        members.map((name) => `membercluster/${name}`),
        "MemberCluster",
      ),
    ];
  },
};

function plain(words: Iterable<string>, description?: string): Candidate[] {
  return [...words].map((word) => ({ word, ...defined({ description }) }));
}

function argumentAt(command: CommandUnknownOpts, position: number): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
}

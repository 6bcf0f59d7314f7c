import type { Argument, Command, Option } from "commander";

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
  /** Objects of the namespace that was given, or of the context's namespace. */
  rolledOut(): Promise<{ applications: string[]; bundles: string[] }>;
  /** Namespaces of the hub. */
  namespaces(): Promise<string[]>;
}

/** Candidates for the last word. `words` follow the program's name; the last word may be empty. */
export async function candidatesFor(program: Command, words: readonly string[], known: Known): Promise<Completion> {
  const current = words.at(-1) ?? "";
  const before = words.slice(0, -1);
  const { command, pending, position } = walk(program, before);
  const all =
    pending !== undefined
      ? await ofOption(pending, known)
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
  command: Command;
  /** The option whose value comes next. */
  pending: Option | undefined;
  /** Number of arguments of the command so far. */
  position: number;
}

function walk(program: Command, words: readonly string[]): Walked {
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

function commandsOf(parent: Command): Candidate[] {
  return parent.commands.map((command) => ({ word: command.name(), description: command.description() }));
}

/** Options that are not given yet. The program's own options are valid for every command. */
function optionsOf(program: Command, command: Command, before: readonly string[]): Candidate[] {
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

/** Options whose value is the name of a member. */
const NAMES_OF_MEMBERS: ReadonlySet<string> = new Set(["--cluster", "--without", "--cordon", "--drain"]);

async function ofOption({ argChoices, flags, long }: Option, known: Known): Promise<Completion> {
  if (argChoices !== undefined) return only(argChoices.map((word) => ({ word })));
  if (/<(file|folder)>/.test(flags)) return { candidates: [], files: true };
  if (flags.includes("<namespace>")) return only((await known.namespaces()).map((word) => ({ word })));
  if (long === "--context") return only(known.contexts("--kubeconfig").map((word) => ({ word })));
  if (long !== undefined && NAMES_OF_MEMBERS.has(long)) return only((await known.members()).map((word) => ({ word })));
  if (long === "--member-context") return only(known.contexts("--member-kubeconfig").map((word) => ({ word })));
  return only([]);
}

async function ofArgument(
  program: Command,
  command: Command,
  position: number,
  before: readonly string[],
  known: Known,
): Promise<Completion> {
  if (command.name() === "help") return only(position === 0 ? commandsOf(program) : []);
  const argument = argumentAt(command, position);
  if (argument === undefined) return only([]);
  if (argument.argChoices !== undefined) return only(argument.argChoices.map((word) => ({ word })));
  if (command.parent?.name() === "rollout") {
    const { applications, bundles } = await known.rolledOut();
    return only([
      ...applications.map((word) => ({ word, description: "DemoApplication" })),
      ...bundles.map((name) => ({ word: `manifestbundle/${name}`, description: "ManifestBundle" })),
    ]);
  }
  switch (command.name()) {
    case "cordon":
    case "drain":
    case "uncordon":
    case "unjoin":
      return only((await known.members()).map((word) => ({ word })));
    case "join":
      return only(before.includes("--renew") ? (await known.members()).map((word) => ({ word })) : []);
    case "explain":
      return only([...new Set(await known.applications())].map((word) => ({ word, description: "DemoApplication" })));
    case "status": {
      const [applications, members] = await Promise.all([known.applications(), known.members()]);
      return only([
        ...[...new Set(applications)].map((word) => ({ word, description: "DemoApplication" })),
        ...members.map((name) => ({ word: `membercluster/${name}`, description: "MemberCluster" })),
      ]);
    }
    default:
      return only([]);
  }
}

function argumentAt(command: Command, position: number): Argument | undefined {
  const last = command.registeredArguments.at(-1);
  return command.registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
}

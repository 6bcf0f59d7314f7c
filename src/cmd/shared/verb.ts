import { Command, type CommandUnknownOpts, Option, type OptionValues } from "@commander-js/extra-typings";
import { LOG_LEVELS } from "../../observability/index.ts";

/** The program without verbs. Its options are valid for every verb. */
export function emptyProgram(name: string) {
  return new Command(name)
    .description("Runs applications on many Kubernetes clusters from one hub.")
    .option(
      "--kubeconfig <file>",
      "kubeconfig of the hub (default: KUBECONFIG, else ~/.kube/config, else the cluster that runs this program)",
    )
    .option("--context <name>", "context in the kubeconfig (default: its current-context)")
    .addOption(new Option("--log-level <level>", "how much is logged").choices(LOG_LEVELS).default("info" as const));
}

export type HubOptions = ReturnType<ReturnType<typeof emptyProgram>["opts"]>;

export type NewCommand = Command<[], NonNullable<unknown>, HubOptions>;
type Flags<F> = { [K in keyof (F & HubOptions)]: (F & HubOptions)[K] };

interface Declaration<A extends unknown[], F extends OptionValues, O> {
  name: string;
  summary: string;
  /** Adds the arguments and flags. */
  flags: (command: NewCommand) => Command<A, F, HubOptions>;
  /** The options for the implementation. Throws for flags that contradict each other. Default: the flags. */
  options?: (flags: Flags<F>, command: CommandUnknownOpts) => O;
}

export interface Verb<A extends unknown[], O> {
  name: string;
  /** `act` gets the arguments and options of each call. */
  addTo(parent: CommandUnknownOpts, act: (given: [...A, O]) => Promise<void>): void;
}

export type OptionsOf<V> = V extends Verb<infer _, infer O> ? O : never;

/** Declares a verb; the program loads the implementation when the verb is called. */
export function verb<A extends unknown[], F extends OptionValues, O = Flags<F>>(
  declaration: Declaration<A, F, O>,
): Verb<A, O> {
  const { name, summary, flags, options = (given: Flags<F>) => given as O } = declaration;
  return {
    name,
    addTo(parent, act) {
      const command = flags(parent.command(name).description(summary) as unknown as NewCommand);
      command.action(async () => {
        const given = options(command.optsWithGlobals() as Flags<F>, command as unknown as CommandUnknownOpts);
        await act([...(command.processedArgs as A), given]);
      });
    },
  };
}

/** What a shell offers; `renewedMembers`: only beside --renew. */
export type Offered =
  | "members"
  | "renewedMembers"
  | "applications"
  | "shownObjects"
  | "placedObjects"
  | "shownKinds"
  | "rolledOutObjects";

const OFFERED = new WeakMap<object, Offered>();

export function offering<T extends object>(names: Offered, place: T): T {
  OFFERED.set(place, names);
  return place;
}

export function offeredFor(place: object): Offered | undefined {
  return OFFERED.get(place);
}

import { joinCommand } from "../../apis/index.ts";
import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import { onOneLine } from "./outcome.ts";

/** One line for a person. Undefined when commander only showed help. `used`: the misused command after its parents. */
export function describeUsageError(error: CommanderError, used: readonly CommandUnknownOpts[]): string | undefined {
  if (error.exitCode === 0 || error.code === "commander.help") return undefined;
  const message = onOneLine(error.message.replace(/^error: /, ""));
  switch (error.code) {
    case "commander.conflictingOption":
      return `${message}: leave one of them out`;
    case "commander.missingMandatoryOptionValue": {
      // An unknown option explains a missing one: the option was misspelt.
      const unknown = used.at(-1)?.args.find((arg) => arg.startsWith("-"));
      const why = unknown === undefined ? message : `unknown option '${unknown}', and ${message}`;
      return used.length === 0 ? why : `${why}; give it: ${usageOf(used)}`;
    }
    case "commander.missingArgument":
      return used.length === 0 ? message : `${message}; give it: ${usageOf(used)}`;
    case "commander.unknownCommand": {
      const word = /unknown command '([^']*)'/.exec(message)?.[1];
      const instead = used.length > 1 || word === undefined ? undefined : ELSEWHERE.get(word);
      return instead === undefined ? message : `unknown command '${word}': ${instead}`;
    }
    default:
      return message;
  }
}

const STATUS = "`meridian status` shows objects and members, `meridian status NAME` one of them";

/** Commands of other programs, and what Meridian has instead. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ["list", STATUS],
  ["ls", STATUS],
  ["clusters", "`meridian status` ends with the members; `kubectl get memberclusters -o wide` says more about them"],
  [
    "log",
    "`meridian logs NAME --cluster CLUSTER` shows an object's log; `kubectl --namespace NAMESPACE logs deployment/NAME` the manager's",
  ],
  ["diff", "`meridian plan -f FILE` shows what a change would do, on every member"],
  ["apply", "`kubectl apply -f FILE` applies a file; `meridian plan -f FILE` shows before what it would do"],
  ["doctor", "`meridian check` looks for what is wrong with hub and members; `meridian status` shows the objects"],
  ["preflight", "`meridian check` looks for what is wrong with hub and members"],
  ["lint", "`meridian analyze -f FILE` finds what policies and objects would not do as meant"],
  ["validate", "`meridian analyze -f FILE` finds what policies and objects would not do as meant"],
  ["top", "`meridian status --watch` follows every change"],
  ["watch", "`meridian status --watch` follows every change"],
  ["init", "`meridian install` installs Meridian on a hub"],
  ["register", `\`${joinCommand()}\` makes a cluster a member`],
  ["unregister", "`meridian unjoin NAME` ends a membership"],
  [
    "delete",
    "`kubectl delete demoapplication NAME -n NAMESPACE` removes an application and its copies; `meridian unjoin NAME` ends a membership",
  ],
  ["rollback", "`meridian rollout undo NAME` goes back to a revision, `meridian rollout history NAME` lists them"],
  ["undo", "`meridian rollout undo NAME` goes back to a revision"],
]);

/** The command with its mandatory options and arguments. */
function usageOf(used: readonly CommandUnknownOpts[]): string {
  const command = used.at(-1);
  const options = (command?.options ?? [])
    .filter(({ mandatory }) => mandatory)
    .map(({ long, flags }) => `${long} ${flags.split(" ").at(-1)}`);
  const values = (command?.registeredArguments ?? []).filter(({ required }) => required);
  return [...used.map((one) => one.name()), ...values.map((argument) => `<${argument.name()}>`), ...options].join(" ");
}

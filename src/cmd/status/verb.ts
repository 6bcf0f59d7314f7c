import { Argument, type Command, Option } from "commander";
import {
  OUTPUT_FORMATS,
  type Shell,
  SHELLS,
  type StatusOptions,
  VERSION_FORMATS,
  type VersionOptions,
} from "../shared/index.ts";

/** The options of verbs that only show state. */

export function addStatus(program: Command, action: (names: string[], options: StatusOptions) => Promise<void>): void {
  program
    .command("status")
    .description("shows every object and every cluster, and the reason of every trouble")
    .argument("[names...]", "objects to show: NAME, KIND/NAME such as demoapplication/shop, or membercluster/NAME")
    .option("-n, --namespace <namespace>", "only objects of this namespace, and their clusters")
    .addOption(
      new Option("-A, --all-namespaces", "objects of every namespace (default, if your rights allow it)").conflicts(
        "namespace",
      ),
    )
    .option("-l, --selector <selector>", "only objects with these labels, as in kubectl, and their clusters")
    .addOption(new Option("-o, --output <format>", "output format").choices(OUTPUT_FORMATS))
    .addOption(
      new Option("-w, --watch", "show a table that follows every change, until Ctrl-C")
        .default(false)
        .conflicts("output"),
    )
    .action((names: string[], _, command: Command) => action(names, command.optsWithGlobals<StatusOptions>()));
}

export function addVersion(program: Command, action: (options: VersionOptions) => Promise<void>): void {
  program
    .command("version")
    .description("shows the version of this program")
    .addOption(new Option("-o, --output <format>", "output format").choices(VERSION_FORMATS))
    .action((_, command: Command) => action(command.optsWithGlobals<VersionOptions>()));
}

export function addCompletion(program: Command, action: (shell: Shell) => Promise<void>): void {
  program
    .command("completion")
    .description("prints a script that completes commands, options and names in a shell")
    .addArgument(new Argument("<shell>", "name of the shell").choices(SHELLS))
    .addHelpText(
      "after",
      `
  source <(meridian completion bash)        in ~/.bashrc
  source <(meridian completion zsh)         in ~/.zshrc, after compinit
  meridian completion fish | source         in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => action(shell));
}

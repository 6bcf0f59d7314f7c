import { Argument } from "@commander-js/extra-typings";
import { verb } from "../shared/index.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

export const completion = verb({
  name: "completion",
  summary: "prints a script that completes commands, options and names in a shell",
  flags: (command) =>
    command.addArgument(new Argument("<shell>", "name of the shell").choices(SHELLS)).addHelpText(
      "after",
      `
  source <(meridian completion bash)        in ~/.bashrc
  source <(meridian completion zsh)         in ~/.zshrc, after compinit
  meridian completion fish | source         in ~/.config/fish/config.fish`,
    ),
});

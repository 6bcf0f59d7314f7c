import { Argument, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import { duration, type NewCommand, objectNamespace, offering, verb } from "../shared/index.ts";

const ofObject = (command: NewCommand) =>
  command
    .addArgument(
      offering("rolledOutObjects", new Argument("<name>", "object: NAME, or KIND/NAME such as demoapplication/shop")),
    )
    .addOption(objectNamespace());
const output = () => new Option("-o, --output <format>", "output format").choices(["json", "yaml"]);

export const status = verb({
  name: "status",
  summary: "shows the stages and clusters of the rollout; exits with 1 if the rollout is not done",
  flags: (command) =>
    ofObject(command)
      .addOption(output())
      .option("-w, --watch", "wait until the rollout is done or stops", false)
      .addOption(duration("--timeout <duration>", "with --watch: how long to wait", "30m")),
});

export const history = verb({
  name: "history",
  summary: "lists the revisions of the object",
  flags: (command) => ofObject(command).addOption(output()),
});

export const pause = verb({
  name: "pause",
  summary: "pauses the rollout: no other cluster gets the change",
  flags: ofObject,
});

export const resume = verb({
  name: "resume",
  summary: "continues after a pause, or tries clusters again that failed or could not be judged",
  flags: ofObject,
});

export const approve = verb({
  name: "approve",
  summary: "approves a waiting stage, in your name",
  flags: (command) => ofObject(command).option("--stage <name>", "name of the stage (default: the waiting stage)"),
});

export const abort = verb({
  name: "abort",
  summary: "gives up the change, and returns changed clusters to the last good revision",
  flags: ofObject,
});

export const undo = verb({
  name: "undo",
  summary: "returns the object to an earlier revision",
  flags: (command) =>
    ofObject(command).option(
      "--to-revision <number>",
      "number of the revision (default: the last good revision before the present one)",
      parseRevision,
    ),
});

function parseRevision(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError("Give the number of a revision; `meridian rollout history NAME` lists them.");
  return value;
}

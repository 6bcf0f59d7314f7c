import { Argument, InvalidArgumentError, Option } from "@commander-js/extra-typings";
import {
  type NewCommand,
  objectNamespace,
  offering,
  type OptionsOf,
  otherSystemNamespace,
  parseDuration,
  rowsFrom,
  verb,
} from "../shared/index.ts";

const oneObject = () =>
  offering(
    "shownObjects",
    new Argument("<object>", "NAME, KIND/NAME such as demoapplication/shop, or membercluster/NAME"),
  );
const placedObject = () =>
  offering("placedObjects", new Argument("<object>", "NAME, or KIND/NAME such as demoapplication/shop"));
const structuredOnly = () => new Option("-o, --output <format>", "output format").choices(["json", "yaml"] as const);
const onObject = (command: NewCommand) =>
  command.addArgument(oneObject()).addOption(objectNamespaceOrAny()).addOption(structuredOnly());

const onRows = (command: NewCommand) => onObject(command).addOption(rowsFrom());

const objectNamespaceOrAny = () =>
  new Option(
    "-n, --namespace <namespace>",
    "namespace of the object (default: every namespace that your rights reach)",
  );

export const get = verb({
  name: "get",
  summary: "lists the objects of a kind, or with --clusters a line for each object on each cluster",
  flags: (command) =>
    command
      .addArgument(
        offering("shownKinds", new Argument("<kind>", "KIND such as demoapplication, KIND/NAME, or membercluster")),
      )
      .option("--clusters", "a line for each object on each cluster", false)
      .addOption(objectNamespaceOrAny())
      .option("-l, --selector <selector>", "only objects with these labels, as in kubectl")
      .addOption(rowsFrom())
      .addOption(new Option("-o, --output <format>", "output format").choices(["wide", "json", "yaml"] as const)),
});
export type GetOptions = OptionsOf<typeof get>;

export const describe = verb({
  name: "describe",
  summary: "shows one object or cluster: causes, conditions, clusters, Events",
  flags: onRows,
});
export type RowOptions = OptionsOf<typeof describe>;

export const tree = verb({
  name: "tree",
  summary: "shows an object with its placement, its stages, and its clusters by region",
  flags: onRows,
});

export const events = verb({
  name: "events",
  summary: "lists the hub's Events of an object and of its placement, newest last",
  flags: onObject,
});
export type ObjectOptions = OptionsOf<typeof events>;

export const timeline = verb({
  name: "timeline",
  summary: "lists how an object, a cluster or the fleet went from state to state, newest last",
  flags: (command) =>
    command
      .addArgument(
        offering(
          "shownObjects",
          new Argument("[object]", "NAME, KIND/NAME such as demoapplication/shop, or membercluster/NAME"),
        ),
      )
      .option("--fleet", "every object and cluster, instead of one object", false)
      .addOption(objectNamespaceOrAny())
      .addOption(new Option("--since <duration>", "only what is younger, such as 10m").argParser(parseDuration))
      .addOption(new Option("-w, --watch", "go on with what happens, until Ctrl-C").default(false).conflicts("output"))
      .addOption(rowsFrom())
      .addOption(structuredOnly()),
  options(flags, command) {
    const [object] = command.processedArgs as [string | undefined];
    if ((object === undefined) !== flags.fleet)
      throw new InvalidArgumentError("name an object or a cluster, or give --fleet");
    return flags;
  },
});
export type TimelineOptions = OptionsOf<typeof timeline>;

export const logs = verb({
  name: "logs",
  summary: "prints the log of an object's pod on a cluster, as the manager reads it there",
  flags: (command) =>
    command
      .addArgument(placedObject())
      .addOption(objectNamespaceOrAny())
      .addOption(offering("members", new Option("--cluster <name>", "cluster of the pod (default: the only one)")))
      .option("--pod <name>", "one pod of several")
      .option("-c, --container <name>", "one container of several")
      .option("-f, --follow", "go on with new lines, until Ctrl-C", false)
      .option("-p, --previous", "the log before the container's last restart", false)
      .addOption(
        new Option("--tail <lines>", "number of lines from the end, 10000 at most (default: 100)").argParser(parseTail),
      )
      .addOption(new Option("--since <duration>", "only lines that are younger, such as 10m").argParser(parseDuration))
      .addOption(otherSystemNamespace()),
});
export type LogsOptions = OptionsOf<typeof logs>;

function parseTail(text: string): number {
  const lines = Number(text);
  if (!/^\d+$/.test(text) || lines < 1 || lines > 10_000)
    throw new InvalidArgumentError("The number of lines is between 1 and 10000.");
  return lines;
}

export const why = verb({
  name: "why",
  summary: "says on one screen if an object is placed, why or why not, and what would have to change",
  flags: (command) =>
    command
      .addArgument(placedObject())
      .addOption(objectNamespace())
      .addOption(offering("members", new Option("--cluster <name>", "answer for this cluster only")))
      .addOption(otherSystemNamespace())
      .addOption(rowsFrom())
      .addOption(structuredOnly()),
});
export type WhyOptions = OptionsOf<typeof why>;

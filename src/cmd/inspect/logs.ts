import { defined, QUERY_GROUP } from "../../apis/index.ts";
import { isApiError } from "../../runtime/index.ts";
import { linesOf } from "../asking/index.ts";
import { chooseAmong, type CommandContext, CommandError, connectHub, EXIT, namesText } from "../shared/index.ts";
import { fullNameOf, identityOf, type ObjectReport, openQueryApi } from "../view/index.ts";
import { followLog, type Log, type LogParameters } from "./followLog.ts";
import { find } from "./rows.ts";
import type { LogsOptions } from "./verb.ts";

/** `meridian logs`: the log of a container on a member, which the manager reads there for whoever has the right. */
export async function logs(name: string, options: LogsOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const { objects } = await find(hub, name, options, context);
  const [object, ...others] = objects;
  if (object === undefined)
    throw new CommandError(
      `${name} is a cluster, and logs are of objects: name an object, and the cluster with --cluster`,
    );
  if (others.length > 0) throw new CommandError(`several namespaces have an object "${name}": give -n NAMESPACE`);
  const cluster = clusterOf(object, options.cluster);
  const log: Log = {
    async *lines(parameters) {
      // Another manager may lead by now, if this is not the first answer.
      const { systemNamespace } = options;
      using opened = await openQueryApi(hub, { source: "query", noObjects: true, systemNamespace }, signal);
      const chunks = opened.api?.log(identityOf(object), cluster, parameters);
      if (chunks !== undefined) yield* linesOf(chunks, "Cut");
    },
    print: (line) => terminal.out(`${terminal.interactive ? printable(line) : line}\n`),
    say: (text) => terminal.err(`${text}\n`),
    signal,
  };
  try {
    if (options.follow) await followLog(log, parametersOf(options));
    else for await (const line of log.lines(parametersOf(options))) log.print(line);
  } catch (error) {
    if (signal.aborted && options.follow) return EXIT.ok;
    throw isApiError(error) ? refusal(error.status, error.message) : error;
  }
  return EXIT.ok;
}

function parametersOf({ pod, container, follow, previous, tail, since }: LogsOptions): LogParameters {
  return {
    ...defined({ pod, container, tailLines: tail }),
    ...defined({ sinceSeconds: since === undefined ? undefined : Math.max(1, Math.ceil(since / 1_000)) }),
    ...(follow ? { follow } : {}),
    ...(previous ? { previous } : {}),
  };
}

function clusterOf(object: ObjectReport, wanted: string | undefined): string {
  const names = [...object.clusters.map(({ name }) => name), ...object.unlistedClusters];
  const called = fullNameOf(object);
  // Above a hundred clusters the status may not name all of them.
  const isWhole = names.length >= object.clusterCount;
  if (wanted !== undefined) {
    if (!isWhole || names.includes(wanted)) return wanted;
    throw new CommandError(`${called} is not on ${wanted}; ${chooseAmong(names, "it is on no cluster")}`);
  }
  const [only] = names;
  if (only !== undefined && names.length === 1 && isWhole) return only;
  if (only === undefined)
    throw new CommandError(`${called} is on no cluster: \`meridian why ${object.name}\` says why`);
  throw new CommandError(`${called} is on ${names.length} clusters: give one with --cluster (${namesText(names)})`);
}

/** Of a manager that reads nothing on members for users, or of an older one. Else, the object or pod is not there. */
const NOT_SERVED = /^(members are not read|there is no such path)/;

const NAMES_ONE = /\bname (one|a container)\b/;

/** What the manager answers, and what an administrator has to change. */
export function refusal(status: number, message: string): CommandError {
  const remedy =
    status === 403
      ? `; ask an administrator of the hub for the right to get placedobjects/log (group ${QUERY_GROUP}) in the object's namespace`
      : status === 404 && NOT_SERVED.test(message)
        ? "; logs need the chart value queries.members.enabled (flag --query-members of the manager)"
        : NAMES_ONE.test(message)
          ? " (with --pod NAME, or a container with -c NAME)"
          : "";
  return new CommandError(`the manager does not give the log: ${message}${remedy}`);
}

const ESCAPE = "\u001b";
/** Colours stay. Everything else that moves the cursor or talks to the terminal goes: a container wrote the text. */
const CONTROLS = new RegExp(`${ESCAPE}(?!\\[[\\d;]*m)|[\\p{Cc}--[\\t${ESCAPE}]]`, "gv");

export function printable(line: string): string {
  return line.replaceAll(CONTROLS, "");
}

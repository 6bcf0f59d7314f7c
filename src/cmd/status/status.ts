import { defined, parseApiVersion, joinCommand } from "../../apis/index.ts";
import { MEMBERCLUSTERS, systemClock } from "../../runtime/index.ts";
import {
  allOf,
  type CommandContext,
  CommandError,
  commandLogger,
  connectHub,
  type Connection,
  EXIT,
  HubReader,
  structured,
} from "../shared/index.ts";
import type { StatusOptions } from "./verb.ts";
import { HubView, LiveTable, Screen } from "../live/index.ts";
import {
  causesOf,
  endedOf,
  endedPlaces,
  type EndedReport,
  formatStatus,
  isHealthy,
  ofNamespace,
  readEnded,
  readManager,
  rowSource,
  type RowReading,
  type Shown,
  type StatusReport,
} from "../view/index.ts";
import { untilWell, type Waiting } from "./wait.ts";
import { hiddenCluster, onlyClusters, select, selectRead } from "./statusSelection.ts";

/**
 * `meridian status`: every object and every cluster, and the reason of every problem. Exits with 1 when something is
 * not well. `-o json` and `-o yaml` print `{source, partial, causes, objects, clusters, ended}` with all the
 * fields of CauseReport, ObjectReport, ClusterReport and EndedReport, present even when empty. New fields may be added; existing fields stay.
 */
export async function status(names: string[], options: StatusOptions, context: CommandContext): Promise<number> {
  const { terminal } = context;
  await using hub = connectHub(options, context);
  const cluster = onlyClusters(names);
  if (
    cluster !== undefined &&
    (await new HubReader(hub, context.signal).listInstalled(MEMBERCLUSTERS, { metadataOnly: true })) === undefined
  )
    throw hiddenCluster(cluster);
  const isFollowed = options.watch || options.wait;
  if (isFollowed && options.source === "query")
    throw new CommandError("--watch and --wait follow the objects of the hub: leave out --source=query");
  using rows = rowSource(hub, { source: isFollowed ? "objects" : options.source }, context.signal);
  const [reading, manager] = await allOf([rows.read(options), readManager(hub, context.signal)]);
  const { shown, source, partial } = reading;
  for (const note of [...reading.notes, ...manager.notes]) terminal.err(`${note}\n`);
  const selected = await selectRead(reading, names);
  if (isFollowed) return await watch({ hub, names, shown, options, context });
  const isWhole = names.length > 0 || (options.output !== undefined && options.output !== "name");
  const report = isWhole ? await reading.complete(selected) : selected;
  for (const note of reading.origin) terminal.err(`${note}\n`);
  const isPart = names.length > 0 || shown.selector !== undefined;
  const all = options.output === "name" ? [] : await readEnded(hub, shown, systemClock.now(), context.signal);
  const answer = {
    source,
    partial,
    report,
    ended: endedOf(all, report, isPart),
    entries: names.length > 0,
    ...manager,
  };
  terminal.out(format(answer, options, terminal.color));
  if (options.output !== "json" && options.output !== "yaml" && names.length === 0)
    terminal.err(describeNothing(report, shown));
  return isHealthy(report) ? EXIT.ok : EXIT.found;
}

interface Followed {
  hub: Connection;
  names: string[];
  shown: Shown;
  options: StatusOptions;
  context: CommandContext;
}

/**
 * Shows the live table until the signal, or with `--wait`, each change until all is well. The exit code says if all is
 * well at that moment.
 */
async function watch({ hub, names, shown, options, context }: Followed): Promise<number> {
  const { terminal, signal } = context;
  const view = new HubView({
    endedIn: options.wait ? [] : await endedPlaces(hub, shown, signal),
    client: hub.client,
    logger: commandLogger(options.logLevel, terminal),
    name: "status",
    clusters: shown.clusters,
    ...defined({ others: shown.others, namespace: shown.namespace, labelSelector: shown.selector }),
  });
  // A named object may be deleted and created again meanwhile.
  const report = (): StatusReport => select(view.report(), names, shown, { absent: "Skip" });
  if (options.wait) return await waitFor(view, { report, terminal, timeoutMs: options.timeout, signal });
  const screen = new Screen({ terminal, quietOut: false, now: () => systemClock.monotonic() });
  const isPart = names.length > 0 || shown.selector !== undefined;
  const ended = (): EndedReport[] => endedOf(ofNamespace(view.ended(), shown.namespace), report(), isPart);
  const source = { report, ended, onChange: (handler: () => void) => view.onChange(handler) };
  const table = new LiveTable({ screen, source, causes: true });
  const running = view.run(signal);
  await view.waitForSync(signal).catch(() => undefined);
  if (!signal.aborted && names.length === 0) terminal.err(describeNothing(report(), shown));
  using _drawing = table.start();
  await running;
  screen.settle();
  return isHealthy(report()) ? EXIT.ok : EXIT.found;
}

async function waitFor(view: HubView, waiting: Omit<Waiting, "view">): Promise<number> {
  const over = new AbortController();
  const signal = AbortSignal.any([waiting.signal, over.signal]);
  const running = view.run(signal);
  try {
    await view.waitForSync(signal);
    return await untilWell({ ...waiting, view });
  } finally {
    over.abort();
    await running.catch(() => undefined);
  }
}

/** The message for an empty result, in kubectl's words; for an empty hub also the next step. */
function describeNothing({ objects, clusters }: StatusReport, { namespace, selector }: Shown): string {
  if (objects.length > 0) return "";
  if (namespace === undefined && selector === undefined) {
    return clusters.length > 0
      ? ""
      : `No resources found: join a cluster with \`${joinCommand()}\`, then apply a DemoApplication and a Placement.\n`;
  }
  const labels = selector === undefined ? "" : ` with the labels ${selector}`;
  return `No resources found${labels}${namespace === undefined ? "" : ` in ${namespace} namespace`}.\n`;
}

interface Answer extends Pick<RowReading, "source" | "partial"> {
  report: StatusReport;
  ended: readonly EndedReport[];
  entries: boolean;
  lastSeen?: string;
}

function format(
  { report, ended, entries, lastSeen, source, partial }: Answer,
  { output }: StatusOptions,
  color: boolean,
): string {
  const whole = { source, partial, causes: causesOf(report), ...report, ended };
  if (output === "name") {
    const objects = report.objects.map(({ apiVersion, kind, name }) => {
      const { group } = parseApiVersion(apiVersion);
      return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}\n`;
    });
    const clusters = report.clusters.map(({ name }) => `membercluster.${MEMBERCLUSTERS.group}/${name}\n`);
    return [...objects, ...clusters].join("");
  }
  const options = { wide: output === "wide", color, now: systemClock.now(), ended, entries, ...defined({ lastSeen }) };
  return structured(whole, output) ?? formatStatus(report, options);
}

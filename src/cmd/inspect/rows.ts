import { allOf, type CommandContext, connectHub, type Connection, type SourceAsked } from "../shared/index.ts";
import { selectRead } from "../status/index.ts";
import { readManager, type RowReading, rowSource, type StatusReport } from "../view/index.ts";
import type { ObjectOptions } from "./verb.ts";

export interface FoundRows extends Pick<RowReading, "source" | "partial"> {
  hub: Connection;
  /** The named object or cluster; several objects where the name is used in several namespaces. */
  report: StatusReport;
  whole: StatusReport;
}

/** Reads what was named, and runs `work`. Throws CommandError with the names that exist for an unknown name. */
export async function withRows(
  name: string,
  options: ObjectOptions & { source: SourceAsked },
  context: CommandContext,
  work: (found: FoundRows) => Promise<number>,
): Promise<number> {
  await using hub = connectHub(options, context);
  return await withNoted(hub, options, context, async (reading) => {
    const { report: whole, origin, source, partial, complete } = reading;
    const report = await complete(await selectRead(reading, [name]));
    for (const note of origin) context.terminal.err(`${note}\n`);
    return await work({ hub, report, whole, source, partial });
  });
}

/** What was named, from the objects of the hub. Throws as {@link withRows}. */
export async function find(
  hub: Connection,
  name: string,
  asked: { namespace?: string },
  { terminal, signal }: CommandContext,
): Promise<StatusReport> {
  using rows = rowSource(hub, { source: "objects" }, signal);
  const reading = await rows.read(asked);
  const found = await oneOf(reading, name);
  for (const note of reading.notes) terminal.err(`${note}\n`);
  return found;
}

/** A name means one object, or one cluster, without the clusters and objects around it. */
export async function oneOf(reading: RowReading, name: string): Promise<StatusReport> {
  const { objects, clusters } = await selectRead(reading, [name]);
  return objects.length > 0 ? { objects, clusters: [] } : { objects: [], clusters };
}

/** Prints what has to be known of the rows, and runs `work` on them. */
export async function withNoted(
  hub: Connection,
  asked: { namespace?: string; selector?: string; source: SourceAsked },
  { terminal, signal }: CommandContext,
  work: (reading: RowReading) => Promise<number>,
): Promise<number> {
  using rows = rowSource(hub, { source: asked.source }, signal);
  const [reading, manager] = await allOf([rows.read(asked), readManager(hub, signal)]);
  for (const note of [...reading.notes, ...manager.notes]) terminal.err(`${note}\n`);
  return await work(reading);
}

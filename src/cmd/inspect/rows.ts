import { allOf, type CommandContext, connectHub, type Connection, type SourceAsked } from "../shared/index.ts";
import { lacks, select } from "../status/index.ts";
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
    const { report: whole, shown, origin, source, partial, complete } = reading;
    const around = lacks(whole, [name]) ? await reading.everywhere() : whole;
    const report = await complete(select(whole, [name], shown, { around }));
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
  const { report: whole, shown, notes, everywhere } = await rows.read(asked);
  const around = lacks(whole, [name]) ? await everywhere() : whole;
  const { objects, clusters } = select(whole, [name], shown, { around });
  for (const note of notes) terminal.err(`${note}\n`);
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

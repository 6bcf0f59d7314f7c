import { allOf, type CommandContext, connectHub, type Connection } from "../shared/index.ts";
import { lacks, select } from "../status/index.ts";
import { hubRows, readManager, type RowReading, type StatusReport } from "../view/index.ts";
import type { ObjectOptions } from "./verb.ts";

export interface FoundRows {
  hub: Connection;
  /** The named object or cluster; several objects where the name is used in several namespaces. */
  report: StatusReport;
  whole: StatusReport;
}

/** Reads what was named, and runs `work`. Throws CommandError with the names that exist for an unknown name. */
export async function withRows(
  name: string,
  options: ObjectOptions,
  context: CommandContext,
  work: (found: FoundRows) => Promise<number>,
): Promise<number> {
  await using hub = connectHub(options, context);
  const reading = await readNoted(hub, options, context);
  const { report: whole, shown } = reading;
  const around = lacks(whole, [name]) ? await reading.everywhere() : whole;
  return await work({ hub, report: select(whole, [name], shown, { around }), whole });
}

export async function readNoted(
  hub: Connection,
  asked: { namespace?: string; selector?: string },
  { terminal, signal }: CommandContext,
): Promise<RowReading> {
  const [reading, manager] = await allOf([hubRows(hub, signal).read(asked), readManager(hub, signal)]);
  for (const note of [...reading.notes, ...manager.notes]) terminal.err(`${note}\n`);
  return reading;
}

import { type Command, InvalidArgumentError, type OptionValues } from "@commander-js/extra-typings";
import { defined } from "../../apis/index.ts";
import type { HubOptions } from "../shared/index.ts";

/** Where the records of a stream go: `stdout`, or a file. */
export interface RecordFlagsGiven {
  /** Absent: no lines. */
  operationsLog?: string;
  auditLog?: string;
  /** Static tags of operations events. */
  tagsFile?: string;
}

const OFF = "off";

/** Streams of records, beside the log. */
export function recordFlags<A extends unknown[], F extends OptionValues>(command: Command<A, F, HubOptions>) {
  return command
    .option(
      "--operations-log <target>",
      "where operations events go as JSON lines, one for each decision: stdout, a file, or off",
      parseTarget,
      OFF,
    )
    .option(
      "--audit-log <target>",
      "where the trail of each write to a member goes as JSON lines, without contents: stdout, a file, or off",
      parseTarget,
      OFF,
    )
    .option(
      "--operations-tags-file <file>",
      "YAML or JSON map of the tags in each operations event, such as `env: prod` (default: no tags)",
    );
}
type RecordFlags = ReturnType<ReturnType<typeof recordFlags<[], NonNullable<unknown>>>["opts"]>;

export function withRecords<F extends RecordFlags>(flags: F) {
  const { operationsLog, auditLog, operationsTagsFile: tagsFile, ...rest } = flags;
  const records: RecordFlagsGiven = defined({
    operationsLog: given(operationsLog),
    auditLog: given(auditLog),
    tagsFile,
  });
  return { ...rest, records: Object.keys(records).length === 0 ? undefined : records };
}

function given(target: string): string | undefined {
  return target === OFF ? undefined : target;
}

function parseTarget(text: string): string {
  if (text === "") throw new InvalidArgumentError("The target is stdout, off, or a file like /var/log/meridian.jsonl.");
  return text;
}

/**
 * `meridian support-bundle`: what a maintainer needs to help, in one file. Promises: Secrets are never read; values of
 * people (env, arguments, patches, annotations, contents of bundles) are in no file, not even where a member repeats
 * them in a message (values of six characters and more); what is left out is named; only the person who asked may read the file.
 */
import { writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { systemClock } from "../../runtime/index.ts";
import { codeOf, type CommandContext, CommandError, connectHub, EXIT } from "../shared/index.ts";
import { collect, type Collected } from "./collect.ts";
import { tarOf } from "./tar.ts";
import type { SupportOptions } from "./verb.ts";

export async function supportBundle(options: SupportOptions, context: CommandContext): Promise<number> {
  const { terminal, signal } = context;
  const { output } = options;
  await using hub = connectHub(options, context);
  const { files, notes } = await collect(hub, options, signal);
  const contents = { name: "contents.txt", text: contentsOf({ files, notes }) };
  const archive = tarOf(
    [contents, ...files].map(({ name, text }) => ({ name: `meridian-support/${name}`, text })),
    systemClock.now(),
  );
  try {
    await writeFile(output, gzipSync(archive), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (codeOf(error) === "EEXIST") throw new CommandError(`${output} is there already: name another file with -o`);
    throw new CommandError(`${output} cannot be written: name another file with -o`, { cause: error });
  }
  terminal.out(contents.text);
  terminal.err(`${output} is written. Values are left out; look through the names in it before you send it.\n`);
  return EXIT.ok;
}

function contentsOf({ files, notes }: Collected): string {
  const lines = files.map(({ name, text }) => `${name}   ${Math.ceil(Buffer.byteLength(text) / 1_024)} KiB`);
  const missing = notes.length === 0 ? [] : ["", "Left out:", ...notes.map((note) => `  ${note}`)];
  return `${[...lines, ...missing].join("\n")}\n`;
}

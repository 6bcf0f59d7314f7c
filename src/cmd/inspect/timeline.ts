import { defined } from "../../apis/index.ts";
import type { ObjectIdentity, Partial, TransitionRow } from "../../query/index.ts";
import { systemClock } from "../../runtime/index.ts";
import type { QueryApi } from "../asking/index.ts";
import { type CommandContext, CommandError, connectHub, type Connection, EXIT, structured } from "../shared/index.ts";
import { completedBy, identityOf, isSameObject, openQueryApi, partialNotes, selectingObject } from "../view/index.ts";
import { eventsOf, eventsOfFleet, eventsText, type EventReport } from "./readEvents.ts";
import { find } from "./rows.ts";
import { TransitionLines, transitionsText } from "./timelineText.ts";
import type { TimelineOptions } from "./verb.ts";

/** Whose transitions are shown. */
export type Subject = { of: "Fleet" } | { of: "Object"; object: ObjectIdentity } | { of: "Cluster"; name: string };

const MOST = 1_000;

/**
 * `meridian timeline`: transitions as the manager has seen them since it leads. Without the query API, the hub's Events.
 * `-o json` and `-o yaml` print `{source, partial, transitions, events}`; one of the two lists is empty.
 */
export async function timeline(
  name: string | undefined,
  options: TimelineOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal, signal } = context;
  await using hub = connectHub(options, context);
  const found = name === undefined ? undefined : await find(hub, name, options, context);
  using opened = await openQueryApi(hub, options, signal);
  const { api } = opened;
  if (api === undefined) return await fromEvents(hub, found, opened.notes, options, context);
  const subjects = found === undefined ? [{ of: "Fleet" } as const] : subjectsOf(found);
  const [subject, ...others] = subjects;
  if (subject === undefined || others.length > 0)
    throw new CommandError(`several namespaces have an object "${name}": give -n NAMESPACE`);
  const { rows, partial, isCut, resourceVersion } = await read(api, subject, options);
  for (const note of [completedBy(api), ...partialNotes(partial), ...(isCut ? [CUT] : [])]) terminal.err(`${note}\n`);
  const answer = structured({ source: "query", partial, transitions: rows, events: [] }, options.output);
  if (answer === undefined && rows.length === 0) terminal.err(nothing(options));
  terminal.out(answer ?? transitionsText(rows, { color: terminal.color, now: systemClock.now() }));
  if (options.watch) await follow(api, subject, { ...options, rows, resourceVersion }, context);
  return EXIT.ok;
}

const CUT = `Shown are the last ${MOST} transitions: --since bounds them.`;

function nothing({ since }: TimelineOptions): string {
  const when = since === undefined ? "since the manager leads" : "in that time";
  return `No transitions ${when}. The manager remembers the last 20 of an object, and 10000 of the fleet.\n`;
}

function subjectsOf({ objects, clusters }: Awaited<ReturnType<typeof find>>): Subject[] {
  if (objects.length === 0) return clusters.map(({ name }) => ({ of: "Cluster", name }));
  return objects.map((object) => ({ of: "Object", object: identityOf(object) }));
}

interface Read {
  rows: TransitionRow[];
  partial: Partial[];
  isCut: boolean;
  resourceVersion: string;
}

/** Oldest first. */
async function read(api: QueryApi, subject: Subject, { since, namespace }: TimelineOptions): Promise<Read> {
  const young = since === undefined ? undefined : `${Math.ceil(since)}ms`;
  const asked = { ...parametersOf(subject, namespace), ...defined({ changedSince: young }) };
  const found = await api.list("transitions", asked, MOST);
  return { ...found, rows: inOrder(found.rows.filter((row) => isOf(subject, row)).toReversed()) };
}

/** A person reads by time, whatever the order of the answer is. */
export function inOrder(rows: readonly TransitionRow[]): TransitionRow[] {
  return rows.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

function parametersOf(subject: Subject, within: string | undefined) {
  if (subject.of === "Fleet") return defined({ namespace: within });
  if (subject.of === "Cluster") return { cluster: subject.name };
  return selectingObject(subject.object);
}

function isOf(subject: Subject, { object }: TransitionRow): boolean {
  return subject.of !== "Object" || (object !== undefined && isSameObject(object, subject.object));
}

async function follow(
  api: QueryApi,
  subject: Subject,
  { namespace, rows, resourceVersion }: TimelineOptions & Pick<Read, "rows" | "resourceVersion">,
  { terminal, signal }: CommandContext,
): Promise<void> {
  const lines = new TransitionLines(rows, terminal.color);
  try {
    for await (const { type, row } of api.watch("transitions", parametersOf(subject, namespace), resourceVersion))
      if (type === "ADDED" && isOf(subject, row)) terminal.out(lines.next(row, systemClock.now()));
  } catch (error) {
    if (!signal.aborted) throw error;
    return;
  }
  if (!signal.aborted) throw new CommandError("the manager has ended the watch: start again to go on");
}

async function fromEvents(
  hub: Connection,
  found: Awaited<ReturnType<typeof find>> | undefined,
  notes: readonly string[],
  { namespace, since, watch, output, source }: TimelineOptions,
  context: CommandContext,
): Promise<number> {
  const { terminal } = context;
  if (watch)
    throw new CommandError(
      `--watch follows the query API of the manager${notes[0] === undefined ? ", and no manager leads" : `: ${notes[0]}`}; leave out --watch to see the hub's Events`,
    );
  if (source !== "objects") {
    for (const note of notes) terminal.err(`${note}\n`);
    terminal.err("Only the manager knows transitions. These are the hub's Events, which it keeps for an hour.\n");
  }
  const now = systemClock.now();
  const all = found === undefined ? await eventsOfFleet(namespace, hub, context) : await eventsOf(found, hub, context);
  const events = all.filter(({ at }: EventReport) => since === undefined || now - Date.parse(at) <= since);
  const answer = structured({ source: "objects", partial: [], transitions: [], events }, output);
  if (answer === undefined && events.length === 0) terminal.err("No Events found.\n");
  else terminal.out(answer ?? eventsText(events, { color: terminal.color, now }));
  return EXIT.ok;
}

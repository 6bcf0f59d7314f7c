import { defined } from "../../apis/index.ts";
import type { Partial } from "../../query/index.ts";
import { isApiError } from "../../runtime/index.ts";
import { findQueryApi, type Place, type QueryApi } from "../asking/index.ts";
import { allOf, CommandError, type Connection, describeAnswer, type SourceAsked } from "../shared/index.ts";
import { completed } from "./completed.ts";
import { type Asked, readEverywhere, readHub, type Shown } from "./statusReading.ts";
import { buildReport, type StatusReport } from "./statusView.ts";

export interface RowReading {
  report: StatusReport;
  shown: Shown;
  /** Notes about the limits of the person's rights, one sentence each. */
  notes: string[];
  /** Sentences that say whence the rows come, if the person has a choice. They stand beside rows, not beside errors. */
  origin: string[];
  /** `query`: {@link RowReading.complete} asks the query API. */
  source: "query" | "objects";
  /** Clusters whose rows may be out of date, as the query API says. */
  partial: Partial[];
  /** To suggest what a person may have meant: the objects of every namespace. */
  everywhere: () => Promise<StatusReport>;
  /** Adds what statuses leave out: every cluster of an object on more than a hundred, and what objects wait for. */
  complete: (report: StatusReport) => Promise<StatusReport>;
}

/** Rows of objects and clusters for every verb that shows them, wherever the rows come from. */
export interface RowSource extends Disposable {
  read(asked: Asked): Promise<RowReading>;
}

export interface OpenedApi extends Disposable {
  /** Undefined: nobody wants it, or there is none. */
  api: QueryApi | undefined;
  /** For the person: that there is none, and why. */
  notes: string[];
}

/** The query API, as `source` asks for it. Throws CommandError if the person insists, and there is none. */
export async function openQueryApi(
  hub: Connection,
  { source, noObjects = false, ...place }: Place & { source: SourceAsked; noObjects?: boolean },
  signal: AbortSignal,
): Promise<OpenedApi> {
  const found = source === "objects" ? undefined : await findQueryApi(hub, place, signal);
  if (found?.api !== undefined)
    return { api: found.api, notes: [], [Symbol.dispose]: () => found.api[Symbol.dispose]() };
  if (source === "query") throw notFound(found?.why ?? "", noObjects);
  const notes = found?.isNotable === true ? [fromObjects(found.why)] : [];
  return { api: undefined, notes, [Symbol.dispose]: () => undefined };
}

/** Rows made from the objects of the hub, with the person's rights, and completed by the query API if there is one. */
export function rowSource(hub: Connection, place: Place & { source: SourceAsked }, signal: AbortSignal): RowSource {
  const stack = new DisposableStack();
  const open = async (): Promise<OpenedApi> => stack.use(await openQueryApi(hub, place, signal));
  return {
    async read(asked) {
      const [rows, { api, notes }] = await allOf([hubRows(hub, asked, signal), open()]);
      if (api === undefined) return { ...rows, origin: notes };
      try {
        return await completable(rows, api);
      } catch (error) {
        if (place.source === "query" || !isApiError(error)) throw error;
        return { ...rows, origin: [fromObjects(describeAnswer(error))] };
      }
    },
    [Symbol.dispose]: () => stack[Symbol.dispose](),
  };
}

function fromObjects(why: string): string {
  return `From the statuses on the hub, not from the query API: ${why}.`;
}

/** `noObjects`: the hub's objects do not hold what is asked. */
function notFound(why: string, noObjects: boolean): CommandError {
  const other = noObjects ? "" : ", or read the statuses on the hub with --source=objects";
  return new CommandError(`the query API is not reached: ${why}; put that right${other}`);
}

async function hubRows(hub: Connection, asked: Asked, signal: AbortSignal): Promise<RowReading> {
  const { objects, clusters, shown, notes } = await readHub(hub, asked, signal);
  const report = buildReport(objects, clusters);
  const everywhere = async (): Promise<StatusReport> => {
    // Other namespaces are read only for a name that is missing in one namespace.
    const all = shown.namespace === undefined ? undefined : await readEverywhere(hub, signal);
    return all === undefined ? report : buildReport(all, clusters);
  };
  return {
    report,
    shown,
    notes,
    origin: [],
    source: "objects",
    partial: [],
    everywhere,
    complete: async (rows) => rows,
  };
}

const MOST_NAMED = 5;

async function completable(rows: RowReading, api: QueryApi): Promise<RowReading> {
  const { namespace, selector: labelSelector } = rows.shown;
  // One row is enough to know what is out of date.
  const { partial } = await api.list(
    "federatedobjects",
    { ...defined({ namespace, labelSelector }), fields: "state" },
    1,
  );
  const origin = [completedBy(api), ...partialNotes(partial)];
  return { ...rows, origin, source: "query", partial, complete: (report) => completed(report, api) };
}

export function completedBy({ way }: QueryApi): string {
  return `Read from the objects of the hub and from the query API, through ${way}.`;
}

export function partialNotes(partial: readonly Partial[]): string[] {
  const notes = partial.slice(0, MOST_NAMED).map(({ cluster, reason, lastContact }) => {
    const since = lastContact === undefined ? "" : `, last contact ${lastContact}`;
    return cluster === "*"
      ? `The query API has no rows now: ${reason}.`
      : `Rows of ${cluster} may be out of date: ${reason}${since}.`;
  });
  const more = partial.length - notes.length;
  return more > 0 ? [...notes, `Rows of ${more} more clusters may be out of date.`] : notes;
}

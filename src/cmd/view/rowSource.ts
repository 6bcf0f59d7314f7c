import type { Connection } from "../shared/index.ts";
import { type Asked, readEverywhere, readHub, type Shown } from "./statusReading.ts";
import { buildReport, type StatusReport } from "./statusView.ts";

export interface RowReading {
  report: StatusReport;
  shown: Shown;
  /** Notes about the limits of the person's rights, one sentence each. */
  notes: string[];
  /** To suggest what a person may have meant: the objects of every namespace. */
  everywhere: () => Promise<StatusReport>;
}

/** Rows of objects and clusters for every verb that shows them, wherever the rows come from. */
export interface RowSource {
  read(asked: Asked): Promise<RowReading>;
}

/** Rows made from the objects of the hub, with the person's rights. */
export function hubRows(hub: Connection, signal: AbortSignal): RowSource {
  return {
    async read(asked) {
      const { objects, clusters, shown, notes } = await readHub(hub, asked, signal);
      const report = buildReport(objects, clusters);
      const everywhere = async (): Promise<StatusReport> => {
        // Other namespaces are read only for a name that is missing in one namespace.
        const all = shown.namespace === undefined ? undefined : await readEverywhere(hub, signal);
        return all === undefined ? report : buildReport(all, clusters);
      };
      return { report, shown, notes, everywhere };
    },
  };
}

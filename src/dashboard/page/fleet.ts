import type { CauseRow, FederatedObjectRow, FleetClusterRow, PlacedObjectRow } from "../../query/types.ts";
import {
  type Connection,
  type Freshness,
  GRID_FIELDS,
  GridLines,
  type GridRow,
  HELD_REASONS,
  type MatrixFilter,
  overallOf,
} from "../model/index.ts";
import type { Client } from "./client.ts";
import { Live } from "./live.ts";
import { Streams } from "./streams.ts";

export interface MatrixRows {
  live: Live<GridRow>;
  lines: GridLines;
}

/** The rows of what is on the screen, and who is told when some of them change. */
export class Fleet implements Disposable {
  readonly client: Client;
  readonly clusters: Live<FleetClusterRow>;
  readonly causes: Live<CauseRow>;
  readonly rollouts: Live<FederatedObjectRow>;
  readonly held: Live<PlacedObjectRow>;
  /** A removal that goes on has no reason, so that the reasons above do not find it. */
  readonly removing: Live<PlacedObjectRow>;
  readonly #streams: Streams;
  readonly #listeners = new Set<() => void>();
  #matrix: (MatrixRows & { name: string }) | undefined;
  #isDue = false;

  constructor(client: Client) {
    this.client = client;
    this.#streams = new Streams(client, () => this.#notify());
    this.clusters = new Live(this.#streams, "fleetclusters", {});
    this.causes = new Live(this.#streams, "causes", {});
    this.rollouts = new Live(this.#streams, "federatedobjects", { waitingFor: "approval" });
    this.held = new Live(this.#streams, "placedobjects", { reason: HELD_REASONS.join(",") });
    this.removing = new Live(this.#streams, "placedobjects", { state: "Removing" });
  }

  /** The matrix of a filter. The one of the filter before ends. */
  matrix(filter: MatrixFilter): MatrixRows {
    const name = JSON.stringify(filter);
    if (this.#matrix?.name === name) return this.#matrix;
    this.closeMatrix();
    const lines = new GridLines();
    const live = new Live<GridRow>(
      this.#streams,
      "placedobjects",
      { ...filter, fields: GRID_FIELDS.join(",") },
      (before, after) => lines.change(before, after),
    );
    this.#matrix = { name, live, lines };
    return this.#matrix;
  }

  closeMatrix(): void {
    this.#matrix?.live[Symbol.dispose]();
    this.#matrix = undefined;
  }

  /** Called before a frame is drawn, once for all that changed since the last one. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  overall(now: number): Freshness {
    return overallOf(
      this.#all().map(({ connection }) => connection),
      now,
    );
  }

  /** Undefined: the connection is not lost. */
  lost(): Extract<Connection, { is: "Lost" }> | undefined {
    const { connection } = this.#streams;
    return connection.is === "Lost" ? connection : undefined;
  }

  retry(): void {
    this.#streams.retry();
  }

  [Symbol.dispose](): void {
    this.#streams[Symbol.dispose]();
    this.#listeners.clear();
  }

  #all(): { connection: Connection }[] {
    const all: { connection: Connection }[] = [this.clusters, this.causes, this.rollouts, this.held, this.removing];
    if (this.#matrix !== undefined) all.push(this.#matrix.live);
    return all;
  }

  #notify(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      for (const listener of this.#listeners) listener();
    });
  }
}

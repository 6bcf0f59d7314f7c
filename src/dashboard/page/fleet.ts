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

/** Whatever its rows are. */
type Stream = Pick<Live<never>, "connection" | "retry"> & Disposable;

export interface MatrixRows {
  live: Live<GridRow>;
  lines: GridLines;
}

/** The streams of what is on the screen, and who is told when one of them changes. */
export class Fleet implements Disposable {
  readonly client: Client;
  readonly clusters: Live<FleetClusterRow>;
  readonly causes: Live<CauseRow>;
  readonly rollouts: Live<FederatedObjectRow>;
  readonly held: Live<PlacedObjectRow>;
  readonly #listeners = new Set<() => void>();
  #matrix: (MatrixRows & { name: string }) | undefined;
  #isDue = false;

  constructor(client: Client) {
    this.client = client;
    const changed = (): void => this.#notify();
    this.clusters = new Live(client, "fleetclusters", {}, changed);
    this.causes = new Live(client, "causes", {}, changed);
    this.rollouts = new Live(client, "federatedobjects", { waitingFor: "approval" }, changed);
    this.held = new Live(client, "placedobjects", { reason: HELD_REASONS.join(",") }, changed);
  }

  /** The matrix of a filter. The one of the filter before ends. */
  matrix(filter: MatrixFilter): MatrixRows {
    const name = JSON.stringify(filter);
    if (this.#matrix?.name === name) return this.#matrix;
    this.closeMatrix();
    const lines = new GridLines();
    const live = new Live<GridRow>(
      this.client,
      "placedobjects",
      { ...filter, fields: GRID_FIELDS.join(",") },
      () => this.#notify(),
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

  /** The stream that has been lost for the longest time. */
  lost(): Extract<Connection, { is: "Lost" }> | undefined {
    return this.#all()
      .flatMap(({ connection }) => (connection.is === "Lost" ? [connection] : []))
      .toSorted((a, b) => a.since - b.since)[0];
  }

  retry(): void {
    for (const live of this.#all()) live.retry();
  }

  [Symbol.dispose](): void {
    for (const live of this.#all()) live[Symbol.dispose]();
    this.#listeners.clear();
  }

  #all(): Stream[] {
    const all: Stream[] = [this.clusters, this.causes, this.rollouts, this.held];
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

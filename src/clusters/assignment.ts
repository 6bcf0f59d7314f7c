import type { GroupKind } from "../interpreter/index.ts";
import { type RowDelta, RowSum, type WorkDelta } from "../ports/index.ts";
import type { Clock, ResourceType } from "../runtime/index.ts";
import type { Assignee } from "./assignmentReader.ts";
import type { MemberObject, MemberObjects, Phases } from "./model/index.ts";

export interface AssignmentListener {
  epochBegan(epoch: number): void;
  /** {@link Assignment.kinds} has changed. */
  kindsChanged(): void;
  /** {@link Assignment.expected} has changed. */
  expectedChanged(): void;
  /** {@link Assignment.isCapacityWanted} was sent. */
  capacityChanged(): void;
}

/** A few milliseconds of work. */
const ROWS_AT_A_TIME = 200;

/** The work that the hub has assigned to one member. The rows go to the member objects. */
export class Assignment implements Assignee {
  readonly #objects: MemberObjects;
  readonly #phases: Pick<Phases, "pause">;
  readonly #clock: Clock;
  readonly #listener: AssignmentListener;
  #sum = new RowSum();
  #pause: Disposable | undefined;
  #kinds: { served: readonly ResourceType[]; others: readonly GroupKind[] } | undefined;
  #expected: readonly string[] | undefined;
  #isExpectedOver = false;
  #isCapacityWanted = false;

  constructor(objects: MemberObjects, phases: Pick<Phases, "pause">, clock: Clock, listener: AssignmentListener) {
    this.#objects = objects;
    this.#phases = phases;
    this.#clock = clock;
    this.#listener = listener;
    objects.onRow((object, delta) => this.#count(object, delta));
  }

  /** Kinds to watch. `others`: without a version on the hub. Undefined until the hub has sent them. */
  get kinds(): { served: readonly ResourceType[]; others: readonly GroupKind[] } | undefined {
    return this.#kinds;
  }

  /** Owners with objects on the member by the hub's record; undefined until the hub has sent its record. */
  get expected(): readonly string[] | undefined {
    return this.#expected;
  }

  get isCapacityWanted(): boolean {
    return this.#isCapacityWanted;
  }

  get checksum(): number {
    return this.#sum.value;
  }

  /** Called after the first initial sync: later sessions know the objects from the previous one. */
  expectNoMore(): void {
    this.#isExpectedOver = true;
    this.#expected = [];
  }

  beginEpoch(epoch: number): void {
    this.#objects.beginEpoch();
    this.#sum = new RowSum();
    this.#listener.epochBegan(epoch);
  }

  *withRows(): Iterable<string> {
    for (const { key, given } of this.#objects.all()) if (given !== undefined) yield key;
  }

  withdraw(keys: Iterable<string>): void {
    for (const key of [...keys]) {
      const object = this.#objects.get(key);
      if (object?.given !== undefined) this.#objects.takeRow({ ref: object.ref, revision: object.revision });
    }
  }

  tookAll(): void {
    this.#objects.tookAllRows();
  }

  endStream(): void {
    this.#unpause();
  }

  async take(delta: Extract<WorkDelta, { kind: "Expected" | "Kinds" | "Rows" | "Capacity" }>): Promise<void> {
    switch (delta.kind) {
      case "Expected":
        if (this.#isExpectedOver) return;
        this.#expected = delta.owners;
        this.#listener.expectedChanged();
        return;
      case "Kinds":
        this.#kinds = { served: delta.kinds, others: delta.others ?? [] };
        this.#listener.kindsChanged();
        return;
      case "Rows":
        await this.#takeRows(delta);
        return;
      case "Capacity":
        this.#isCapacityWanted = delta.wanted;
        this.#listener.capacityChanged();
        return;
    }
  }

  async #takeRows({ rows, more }: Extract<WorkDelta, { kind: "Rows" }>): Promise<void> {
    if (rows.some(({ row }) => row?.phase !== undefined)) this.#pause ??= this.#phases.pause();
    for (const [index, row] of rows.entries()) {
      if (index > 0 && index % ROWS_AT_A_TIME === 0) await this.#clock.nextTurn();
      this.#objects.takeRow(row);
    }
    if (more === true) await this.#clock.nextTurn();
    else this.#unpause();
  }

  #unpause(): void {
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
  }

  /** A revision of an earlier epoch is 0, and not in the sum. */
  #count({ key, given, revision: before }: MemberObject, { row, revision }: RowDelta): void {
    if (given !== undefined && before > 0) this.#sum.remove(key, before);
    if (row !== undefined) this.#sum.add(key, revision);
  }
}

import { isTrouble, shortMessage } from "../../apis/index.ts";
import type { TransitionRow } from "../../query/index.ts";
import { type Cell, formatColumns } from "../shared/index.ts";
import { ago, fullNameOf } from "../view/index.ts";

/** Transitions as columns. Pure. */

interface Asked {
  color: boolean;
  /** Epoch milliseconds. */
  now: number;
}

const LONGEST = 240;

/** Empty without transitions. */
export function transitionsText(rows: readonly TransitionRow[], { color, now }: Asked): string {
  if (rows.length === 0) return "";
  return formatColumns<TransitionRow>(
    [
      ["AT", ({ at }) => at.replace(/\.\d+/, "")],
      ["SEEN", ({ at }) => ago(at, now)],
      [
        "OBJECT",
        ({ object }) => (object === undefined ? "-" : fullNameOf({ ...object, namespace: object.namespace ?? "" })),
      ],
      ["CLUSTER", ({ cluster = "-" }) => cluster],
      ["FROM", ({ from }) => from || "-"],
      ["TO", toCell],
      ["REASON", ({ reason }) => reason || "-"],
      ["BECAUSE OF", becauseText],
      ["MESSAGE", ({ message }) => shortMessage((message ?? "-").replaceAll(/\p{C}/gu, " "), LONGEST)],
    ],
    rows,
    color,
  );
}

function toCell({ to, reason }: TransitionRow): Cell {
  const tone = to === "Available" || to === "Ready" ? "good" : reason !== "" && isTrouble(reason) ? "bad" : "plain";
  return { text: to || "gone", tone };
}

function becauseText({ because }: TransitionRow): string {
  if (because === undefined) return "-";
  const { generation, policy, cluster } = because;
  const parts = [
    ...(generation === undefined ? [] : [`generation ${generation}`]),
    ...(policy === undefined ? [] : [policy]),
    ...(cluster === undefined ? [] : [`cluster ${cluster}`]),
  ];
  return parts.join(", ") || "-";
}

const MOST_BEFORE = 20;

/** Lines of a growing table: each is as wide as the rows before it ask for. */
export class TransitionLines {
  #rows: readonly TransitionRow[];
  #hasHeader: boolean;
  readonly #color: boolean;

  /** `rows` are shown already, with their header. */
  constructor(rows: readonly TransitionRow[], color: boolean) {
    this.#rows = rows.slice(-MOST_BEFORE);
    this.#hasHeader = rows.length > 0;
    this.#color = color;
  }

  next(row: TransitionRow, now: number): string {
    this.#rows = [...this.#rows, row].slice(-MOST_BEFORE);
    const lines = transitionsText(this.#rows, { color: this.#color, now }).trimEnd().split("\n");
    const header = this.#hasHeader ? "" : `${lines[0]}\n`;
    this.#hasHeader = true;
    return `${header}${lines.at(-1)}\n`;
  }
}

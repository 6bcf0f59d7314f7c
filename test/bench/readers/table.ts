import { aligned, rounded } from "../report.ts";
import { median } from "../rounds.ts";
import { MANY, type ReaderFigures, type ReaderTurn, SITUATIONS, type Situation } from "./measure.ts";

/** From a change on a member to the event at a reader. */
const READER_BAR_MS = 250;
/** What many readers may cost the status, and a silent member a reader. */
const RATIO_BAR = 1.1;

interface Bar {
  what: string;
  value: number;
  bar: number;
}

export function isReadersMissed(figures: ReaderFigures): boolean {
  return barsOf(figures).some(({ value, bar }) => !(value <= bar));
}

/** Medians of all rounds. */
export function readersText(figures: ReaderFigures): string {
  const { apps, members, perSecond, rounds, turns } = figures;
  const rows = SITUATIONS.map(({ name }) => [
    name,
    ms(medianOf(turns, name, ({ status }) => status.p50Ms)),
    ms(medianOf(turns, name, ({ status }) => status.p99Ms)),
    ms(medianOf(turns, name, ({ reader }) => reader?.p50Ms)),
    ms(medianOf(turns, name, ({ reader }) => reader?.p99Ms)),
    ms(medianOf(turns, name, ({ cpuMsPerChange }) => cpuMsPerChange)),
  ]);
  const header = ["", "status p50, ms", "p99", "reader p50, ms", "p99", "CPU per change, ms"];
  return [
    `${apps} applications on ${members} members, ${perSecond} changes a second, ${rounds} rounds`,
    aligned([header, ...rows]),
    ...barsOf(figures).map(
      ({ what, value, bar }) => `${what}: ${rounded(value)} (${value <= bar ? "met" : "missed"}: at most ${bar})`,
    ),
  ].join("\n");
}

function barsOf({ turns }: ReaderFigures): Bar[] {
  const statusP99 = (name: Situation["name"]): number => medianOf(turns, name, ({ status }) => status.p99Ms);
  const readerP99 = (name: Situation["name"]): number => medianOf(turns, name, ({ reader }) => reader?.p99Ms);
  return [
    { what: "member change to event at a reader, p99 in ms", value: readerP99("1 reader"), bar: READER_BAR_MS },
    {
      what: `status p99 with ${MANY} readers ÷ with none`,
      value: statusP99(`${MANY} readers`) / statusP99("no reader"),
      bar: RATIO_BAR,
    },
    {
      what: "reader p99 with a silent member ÷ with none",
      value: readerP99("1 reader, 1 member silent") / readerP99("1 reader"),
      bar: RATIO_BAR,
    },
  ];
}

function medianOf(turns: readonly ReaderTurn[], name: string, of: (turn: ReaderTurn) => number | undefined): number {
  const found = turns.filter(({ situation }) => situation === name).map((turn) => of(turn) ?? NaN);
  return median(found);
}

function ms(value: number): string {
  return Number.isNaN(value) ? "" : value.toFixed(0);
}

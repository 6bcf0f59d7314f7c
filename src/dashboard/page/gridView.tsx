import { Component } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type GridColumn,
  type GridLine,
  lookOf,
  moved,
  type PairName,
  type Place,
  shortName,
  type Span,
  spanOf,
} from "../model/index.ts";

interface Properties {
  lines: GridLine[];
  columns: GridColumn[];
  onOpen: (pair: PairName) => void;
}

/** In pixels, as in the style sheet. */
const CELL = 26;
const HEAD = 120;
/** Lines and columns by which the drawn part moves: small, so that no frame has to draw much. */
const STEP = 4;

interface Seen {
  left: number;
  top: number;
  width: number;
  height: number;
}

/** Draws only what is seen of many lines and columns. One cell is in the order of the Tab key; arrows go on from it. */
export function GridView({ lines, columns, onOpen }: Properties) {
  const frame = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<Seen>({ left: 0, top: 0, width: 1_200, height: 800 });
  const [place, setPlace] = useState<Place>({ line: 0, column: 0 });
  const wantsFocus = useRef(false);
  const side = sideOf(seen.width);
  const rows = spanOf(seen.top, seen.height, CELL, lines.length, STEP);
  const cells = spanOf(seen.left, Math.max(0, seen.width - side), CELL, columns.length, STEP);
  useScroll(frame, setSeen);
  useLayoutEffect(() => {
    if (!wantsFocus.current) return;
    wantsFocus.current = false;
    frame.current?.querySelector<HTMLElement>(".cell[tabindex]")?.focus({ preventScroll: true });
  });
  // A scroll by the mouse must not take the only cell out of the order of the Tab key.
  const active = { line: within(place.line, rows), column: within(place.column, cells) };
  const go = (to: Place): void => {
    wantsFocus.current = true;
    setPlace(to);
    if (frame.current === null) return;
    reveal(frame.current, to, side);
    setSeen(seenIn(frame.current));
  };
  const open = ({ line, column }: Place): void => {
    const [object, cluster] = [lines[line]?.object, columns[column]?.cluster];
    if (object !== undefined && cluster !== undefined) onOpen({ object, cluster });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = moved(active, event.key, event.ctrlKey || event.metaKey, {
      lines: lines.length,
      columns: columns.length,
    });
    if (to !== undefined) go(to);
    else if (event.key === "Enter" || event.key === " ") open(active);
    else return;
    event.preventDefault();
  };
  const onClick = ({ target }: MouseEvent): void => {
    const cell = target instanceof Element ? target.closest(".cell") : null;
    if (cell === null) return;
    const to = { line: indexOf(cell.parentElement, "row"), column: indexOf(cell, "col") };
    setPlace(to);
    open(to);
  };
  return (
    <div class="gridFrame" ref={frame}>
      <div
        class="grid"
        role="grid"
        aria-label="State of each object on each cluster"
        aria-rowcount={lines.length + 1}
        aria-colcount={columns.length + 1}
        style={{ width: `${side + columns.length * CELL}px`, height: `${HEAD + lines.length * CELL}px` }}
        onKeyDown={onKeyDown}
        onClick={onClick}
        onMouseOver={showWords}
      >
        <Heads columns={columns} from={cells.from} to={cells.to} side={side} />
        {lines.slice(rows.from, rows.to).map((line, at) => (
          <Line
            key={line.key}
            line={line}
            index={rows.from + at}
            columns={columns}
            from={cells.from}
            to={cells.to}
            side={side}
            version={line.version}
            here={active.line === rows.from + at ? active.column : -1}
          />
        ))}
      </div>
    </div>
  );
}

/** The first line and the first column are the heads, and counting begins with 1. */
function indexOf(element: Element | null, what: "row" | "col"): number {
  return Number(element?.getAttribute(`aria-${what}index`)) - 2;
}

/** The words of a cell for the mouse. Thousands of cells are drawn in a scroll, and few of them are pointed at. */
function showWords({ target }: MouseEvent): void {
  const cell = target instanceof Element ? target.closest<HTMLElement>(".cell") : null;
  const words = cell?.getAttribute("aria-label") ?? "";
  if (cell !== null && cell.title !== words) cell.title = words;
}

function within(value: number, { from, to }: Span): number {
  return Math.max(from, Math.min(value, to - 1));
}

function seenIn({ scrollLeft: left, scrollTop: top, clientWidth: width, clientHeight: height }: HTMLElement): Seen {
  return { left, top, width, height };
}

/** The column of names gets narrow on a phone. */
function sideOf(width: number): number {
  return width < 600 ? 130 : 230;
}

function useScroll(frame: { current: HTMLDivElement | null }, setSeen: (change: (before: Seen) => Seen) => void): void {
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let isDue = false;
    const measure = (): void => {
      isDue = false;
      const now = seenIn(element);
      const block = (value: number): number => Math.floor(value / (CELL * STEP));
      setSeen((before) => {
        const isSame = before.width === now.width && before.height === now.height;
        const isNear = block(before.left) === block(now.left) && block(before.top) === block(now.top);
        // The drawn part reaches a step further on every side.
        return isSame && isNear ? before : now;
      });
    };
    const onChange = (): void => {
      if (isDue) return;
      isDue = true;
      requestAnimationFrame(measure);
    };
    element.addEventListener("scroll", onChange, { passive: true });
    const sizes = new ResizeObserver(onChange);
    sizes.observe(element);
    measure();
    return () => {
      element.removeEventListener("scroll", onChange);
      sizes.disconnect();
    };
  }, []);
}

/** Scrolls so far that the cell is not behind the heads. */
function reveal(frame: HTMLElement, { line, column }: Place, side: number): void {
  const [x, y] = [column * CELL, line * CELL];
  const width = frame.clientWidth - side - CELL;
  const height = frame.clientHeight - HEAD - CELL;
  frame.scrollLeft = Math.min(x, Math.max(frame.scrollLeft, x - width));
  frame.scrollTop = Math.min(y, Math.max(frame.scrollTop, y - height));
}

interface HeadsProperties {
  columns: GridColumn[];
  from: number;
  to: number;
  side: number;
}

class Heads extends Component<HeadsProperties> {
  override shouldComponentUpdate(next: HeadsProperties): boolean {
    return differs(this.props, next, ["columns", "from", "to", "side"]);
  }

  override render({ columns, from, to, side }: HeadsProperties) {
    return (
      <div role="row" aria-rowindex={1} class="heads">
        <div role="columnheader" aria-colindex={1} class="corner" style={`width:${side}px`}>
          Object
        </div>
        {columns.slice(from, to).map(({ cluster, region, isTroubled }, at) => (
          <div
            key={cluster}
            role="columnheader"
            aria-colindex={from + at + 2}
            class={isTroubled ? "columnHead gone" : "columnHead"}
            title={region === "" ? cluster : `${cluster} in ${region}`}
            style={`left:${side + (from + at) * CELL}px`}
          >
            <span>{isTroubled ? `? ${cluster}` : cluster}</span>
          </div>
        ))}
      </div>
    );
  }
}

interface LineProperties {
  line: GridLine;
  index: number;
  columns: GridColumn[];
  from: number;
  to: number;
  side: number;
  /** Of the line, which changes in place. */
  version: number;
  /** Column of the cell that has the focus; -1 for none in this line. */
  here: number;
}

/** Drawn anew only when something of it differs: a scroll by some lines leaves the others as they are. */
class Line extends Component<LineProperties> {
  override shouldComponentUpdate(next: LineProperties): boolean {
    return differs(this.props, next, ["line", "index", "columns", "from", "to", "side", "version", "here"]);
  }

  override render({ line, index, columns, from, to, side, version, here }: LineProperties) {
    const name = shortName(line.object);
    const blocks = Math.ceil(to / STEP) - Math.floor(from / STEP);
    return (
      <div role="row" aria-rowindex={index + 2} class="line" style={`top:${HEAD + index * CELL}px`}>
        <div role="rowheader" aria-colindex={1} class="lineHead" title={name} style={`width:${side}px`}>
          {name}
        </div>
        {Array.from({ length: blocks }, (_, at) => {
          const first = (Math.floor(from / STEP) + at) * STEP;
          const isHere = here >= first && here < first + STEP;
          return <Block key={first} {...{ line, columns, side, version, first, name }} here={isHere ? here : -1} />;
        })}
      </div>
    );
  }
}

interface BlockProperties {
  line: GridLine;
  name: string;
  columns: GridColumn[];
  /** Column of the first cell. */
  first: number;
  side: number;
  version: number;
  here: number;
}

/** Some cells of a line: a scroll by some columns leaves the others as they are. */
class Block extends Component<BlockProperties> {
  override shouldComponentUpdate(next: BlockProperties): boolean {
    return differs(this.props, next, ["line", "name", "columns", "first", "side", "version", "here"]);
  }

  override render({ line, name, columns, first, side, here }: BlockProperties) {
    return columns.slice(first, first + STEP).map(({ cluster }, at) => {
      const column = first + at;
      const row = line.cells.get(cluster);
      const look = row === undefined ? undefined : lookOf(row.state);
      const what = row === undefined ? "not placed" : (row.reason ?? row.state);
      const words = `${name} on ${cluster}: ${what}${row === undefined ? "" : `, ${row.ready} of ${row.desired} ready`}`;
      return (
        <div
          key={cluster}
          role="gridcell"
          aria-colindex={column + 2}
          aria-label={words}
          tabIndex={column === here ? 0 : undefined}
          class={`cell ${look?.tone ?? "none"}${row?.stale === true ? " old" : ""}`}
          style={`left:${side + column * CELL}px`}
        >
          {look?.sign}
        </div>
      );
    });
  }
}

function differs<P>(before: P, after: P, keys: readonly (keyof P)[]): boolean {
  return keys.some((key) => before[key] !== after[key]);
}

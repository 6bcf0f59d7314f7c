import type { CDPSession, Page } from "playwright-core";

/**
 * What one scroll cost. Gaps are of the wall clock; script, style and layout are time of the processor, which says the
 * same on a busy machine. Times are of the whole scroll, in milliseconds.
 */
export interface ScrollCost {
  frames: number;
  /** Between two frames: the median, and the 95th and 99th of 100. */
  gaps: { p50: number; p95: number; p99: number };
  /** Frames that took longer than two of 60 a second. */
  late: number;
  longTasks: number;
  script: number;
  layout: number;
  style: number;
  layouts: number;
  /** Of everything that the thread of the page did. */
  task: number;
}

/** Scrolls `element` by some pixels in every frame, there and back. */
const SCROLL = `async ({ element, x, y, frames }) => {
  const box = document.querySelector(element);
  let longTasks = 0;
  const observer = new PerformanceObserver((list) => (longTasks += list.getEntries().length));
  observer.observe({ entryTypes: ["longtask"] });
  const times = [];
  await new Promise((resolve) => {
    const step = (at) => {
      times.push(at);
      const isBack = times.length > frames / 2;
      box.scrollTop += isBack ? -y : y;
      box.scrollLeft += isBack ? -x : x;
      if (times.length > frames) resolve();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  observer.disconnect();
  return { gaps: times.slice(1).map((at, index) => at - times[index]), longTasks };
}`;

export interface Scroll {
  /** Selector. */
  element: string;
  x: number;
  y: number;
  frames: number;
}

export async function scroll(page: Page, how: Scroll): Promise<ScrollCost> {
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await counters(session);
  const { gaps, longTasks } = (await page.evaluate(`(${SCROLL})(${JSON.stringify(how)})`)) as Measured;
  const after = await counters(session);
  await session.detach();
  const spent = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
  const sorted = gaps.toSorted((a, b) => a - b);
  const at = (part: number): number => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return {
    frames: gaps.length,
    gaps: { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
    late: gaps.filter((gap) => gap > 34).length,
    longTasks,
    script: spent("ScriptDuration") * 1_000,
    layout: spent("LayoutDuration") * 1_000,
    style: spent("RecalcStyleDuration") * 1_000,
    layouts: spent("LayoutCount"),
    task: spent("TaskDuration") * 1_000,
  };
}

interface Measured {
  gaps: number[];
  longTasks: number;
}

export function costText(
  name: string,
  { frames, gaps, late, longTasks, script, layout, style, layouts, task }: ScrollCost,
): string {
  const each = (ms: number): string => (ms / frames).toFixed(2);
  const perSecond = 1_000 / gaps.p50;
  return (
    `${name}: ${perSecond.toFixed(0)} frames a second (median gap ${gaps.p50.toFixed(1)} ms, p95 ${gaps.p95.toFixed(1)}, ` +
    `p99 ${gaps.p99.toFixed(1)}); ${late} of ${frames} frames late, ${longTasks} long tasks; each frame ` +
    `${each(task)} ms of the processor (${each(script)} ms script, ${each(style)} ms style, ${each(layout)} ms layout), ${(layouts / frames).toFixed(2)} layouts`
  );
}

/** What the page holds after all that is not reachable was let go of. */
export interface Held {
  heapBytes: number;
  nodes: number;
  listeners: number;
  documents: number;
}

export async function held(page: Page): Promise<Held> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send("HeapProfiler.enable");
    // Twice: the first may only find out what the second can let go of.
    for (let time = 0; time < 2; time++) await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    const { nodes, documents, jsEventListeners } = await session.send("Memory.getDOMCounters");
    return { heapBytes: usedSize, nodes, documents, listeners: jsEventListeners };
  } finally {
    await session.detach();
  }
}

export function heldText(name: string, { heapBytes, nodes, listeners }: Held): string {
  return `${name}: ${(heapBytes / 2 ** 20).toFixed(1)} MiB of JavaScript heap, ${nodes} nodes, ${listeners} listeners`;
}

async function counters(session: CDPSession): Promise<Map<string, number>> {
  const { metrics } = await session.send("Performance.getMetrics");
  return new Map(metrics.map(({ name, value }) => [name, value]));
}

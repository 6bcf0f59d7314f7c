import { setTimeout } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changesOf, largeFleet } from "../../src/dashboard/testing/smallFleet.ts";
import { Studio, type Visit } from "./browser.ts";
import { costText, type Held, held, heldText, scroll } from "./measure.ts";

const CLUSTERS = 200;
const OBJECTS = 500;
/**
 * `DASHBOARD_MINUTES=3 npm run dashboard test/dashboard/scale.test.ts` has an hour of changes: 36,000, ten a second, at
 * twenty times their speed.
 */
const SECONDS = Number(process.env["DASHBOARD_MINUTES"] ?? "0.1") * 60;
const CHANGES_A_SECOND = 200;

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio[Symbol.asyncDispose]();
});

/** Of 200 clusters and 500 objects. */
async function largeMatrix(fleet = largeFleet(CLUSTERS, OBJECTS, Date.now())): Promise<Visit> {
  const visit = await studio.visit();
  visit.server.table.commit(fleet);
  await visit.signIn("admin-token", "#/matrix?");
  await visit.page.locator("#matrix .count").getByText(`${OBJECTS} × ${CLUSTERS}`).waitFor();
  return visit;
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** As many cells as the matrix draws, and nothing else: what the browser itself needs for a scroll. */
async function barePage(page: Page, cells: number, lines: number): Promise<void> {
  const across = Math.ceil(cells / lines);
  await page.setContent(`<div id="box" style="overflow:auto;height:600px"><div id="grid"
    style="position:relative;width:5430px;height:13120px"></div></div>`);
  await page.evaluate(`(() => {
    const grid = document.getElementById("grid");
    for (let line = 0; line < ${lines}; line++)
      for (let at = 0; at < ${across}; at++) {
        const cell = document.createElement("div");
        cell.textContent = "✓";
        const [left, top] = [at * ${Math.floor(5_200 / across)}, line * ${Math.floor(13_000 / lines)}];
        cell.style.cssText = \`position:absolute;left:\${left}px;top:\${top}px;width:24px;height:24px;background:#dff3e4\`;
        grid.append(cell);
      }
  })()`);
}

describe("a scroll through 200 clusters and 500 objects", () => {
  const down = { x: 0, y: 39, frames: 300 };
  const across = { x: 17, y: 0, frames: 300 };
  test("draws few cells and lays out once for each frame", async () => {
    await using visit = await largeMatrix();
    const { page } = visit;
    const cells = await page.locator(".cell").count();
    const lines = await page.locator(".line").count();
    const costs = [];
    for (const [name, way] of Object.entries({ down, across })) {
      const cost = await scroll(page, { element: ".gridFrame", ...way });
      print(costText(`matrix, ${name}`, cost));
      costs.push(cost);
    }
    const most = await page.locator(".cell").count();
    await using bare = await studio.visit();
    await barePage(bare.page, cells, lines);
    for (const [name, way] of Object.entries({ down, across }))
      print(costText(`bare page with ${cells} cells, ${name}`, await scroll(bare.page, { element: "#box", ...way })));
    expect(Math.max(cells, most)).toBeLessThan(2_500);
    for (const { layouts, frames } of costs) expect(layouts / frames).toBeLessThan(1.2);
  });
});

test(
  "a page that follows changes for an hour keeps no more than it needs",
  async () => {
    const fleet = largeFleet(CLUSTERS, OBJECTS, Date.now());
    await using visit = await largeMatrix(fleet);
    const { page, server } = visit;
    const changes = changesOf(fleet, Date.now);
    const views = ["Overview", "Matrix"];
    let done = 0;
    /** Changes for some seconds, while the reader goes from one view to the other. Ends as it began. */
    const follow = async (seconds: number): Promise<Held> => {
      const whole = Math.ceil((seconds * CHANGES_A_SECOND) / (2 * OBJECTS)) * 2 * OBJECTS;
      for (let step = 0; step < whole; step++) {
        server.table.commit(changes.next().value);
        done += 1;
        if (step % CHANGES_A_SECOND === 0)
          await page.getByRole("link", { name: views[(step / CHANGES_A_SECOND) % 2] ?? "" }).click();
        if (step % (CHANGES_A_SECOND / 20) === 0) await setTimeout(50);
      }
      await page.getByRole("link", { name: "Matrix" }).click();
      const count = page.locator("#matrix .count").getByText(`${OBJECTS} × ${CLUSTERS}`);
      await count.waitFor();
      await page.evaluate("document.querySelector('.gridFrame').scrollTo(0, 0)");
      await page.locator("[data-state=Live]").waitFor();
      return await held(page);
    };
    print(heldText("before", await held(page)));
    const early = await follow(SECONDS / 3);
    print(heldText(`after ${done} changes`, early));
    const last = await follow((SECONDS * 2) / 3);
    print(heldText(`after ${done} changes`, last));
    expect(last.nodes - early.nodes).toBeLessThan(500);
    expect(last.listeners - early.listeners).toBeLessThan(20);
    expect(last.documents).toBe(early.documents);
    // All of it is some 25 MiB. A leak of one row for each change would be far more than this.
    expect(last.heapBytes - early.heapBytes).toBeLessThan(8 * 2 ** 20);
    expect(visit.problems).toEqual([]);
  },
  (SECONDS * 4 + 120) * 1_000,
);

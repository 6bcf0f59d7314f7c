import axe from "axe-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { badNight, cluster, largeFleet, object, placed, trouble } from "../../src/dashboard/testing/smallFleet.ts";
import { Studio, type Visit } from "./browser.ts";

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio[Symbol.asyncDispose]();
});

async function badNightVisit(viewport?: { width: number; height: number }): Promise<Visit> {
  const visit = await studio.visit(viewport === undefined ? {} : { viewport });
  visit.server.table.commit(badNight(Date.now()));
  return visit;
}

describe("sign-in", () => {
  test("a token of the first address signs in, and is gone from the address at once", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    expect(visit.page.url()).not.toContain("token");
    await visit.page.locator("[data-state=Live]").waitFor();
    expect(visit.problems).toEqual([]);
  });

  test("a wrong token is refused with the likely causes, and a right one goes on", async () => {
    await using visit = await badNightVisit();
    const { page, server } = visit;
    await page.goto(server.address);
    await page.getByLabel("Token for the hub").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("The hub does not accept this token. It may have expired").waitFor();
    await page.getByLabel("Token for the hub").fill("admin-token");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Trouble by cause" }).waitFor();
  });

  test("signing out forgets the token and ends all streams", async () => {
    await using visit = await badNightVisit();
    const { page } = visit;
    await visit.signIn();
    await page.locator("[data-state=Live]").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Token for the hub").waitFor();
    expect(await page.evaluate("sessionStorage.length")).toBe(0);
    await page.reload();
    await page.getByLabel("Token for the hub").waitFor();
    await expect.poll(() => visit.server.streams).toBe(0);
  });

  test("behind kubectl proxy the user of the proxy is signed in", async () => {
    await using visit = await badNightVisit();
    const { page, server } = visit;
    const { origin } = new URL(server.address);
    const prefix = "/api/v1/namespaces/meridian-system/services/https:meridian-webhook:queries/proxy";
    // The hub's API server drops the user on the way to a Service, and names him to the query API.
    await page.route(
      (url) => url.pathname.startsWith(prefix),
      (route) => route.continue({ url: route.request().url().replace(prefix, "") }),
    );
    await page.route(
      (url) => url.pathname.startsWith("/apis/"),
      (route) => route.continue({ headers: { ...route.request().headers(), authorization: "Bearer admin-token" } }),
    );
    await page.goto(`${origin}${prefix}/dashboard/`);
    await page.locator("[data-state=Live]").waitFor();
    await page.locator(".cause").waitFor();
    expect(visit.problems).toEqual([]);
  });

  test("a token that ends while the page is open leads back to the sign-in", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    await visit.page.locator("[data-state=Live]").waitFor();
    visit.server.revokeTokens();
    await visit.server.stop();
    await visit.server.start();
    await visit.page.getByText("does not accept the token any more").waitFor();
  });
});

describe("the first screen", () => {
  test("names trouble, clusters, rollouts, what is held and the oldest observation, in this order", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    const { page } = visit;
    await page.locator("[data-state=Live]").waitFor();
    expect(await page.evaluate("[...document.querySelectorAll('main h2')].map(({ id }) => id)")).toEqual([
      ...["causes", "clusters", "rollouts", "held", "oldest"],
    ]);
    const cause = page.locator(".cause");
    expect(await cause.innerText()).toMatch(
      /ImagePullBackOff\s+2 objects in 1 cluster\s+since .*after generation 7 of shop\/web/s,
    );
    expect(await page.locator("[data-cluster=ap-1]").innerText()).toContain("last contact 9m");
    expect(await page.locator("section:has(#rollouts) code").innerText()).toBe("meridian rollout approve till -n shop");
    expect(await page.locator("section:has(#held) li").innerText()).toContain("DeletionsHeld");
    expect(await page.locator("[data-oldest]").innerText()).toMatch(/^9m .*of cluster ap-1/);
  });

  test("an empty fleet says so", async () => {
    await using visit = await studio.visit();
    await visit.signIn();
    await visit.page.getByText("No trouble in 0 objects that you may read.").waitFor();
    await visit.page.getByText("No cluster has joined yet").waitFor();
  });

  test("an object that is placed nowhere is trouble, with the command that says why", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    const { page, server } = visit;
    const nowhere = { state: "Progressing", reason: "NoPlacement", message: "no Placement selects it" };
    server.table.commit({ objects: [{ ...object("bank", "vault", []), ...nowhere, shape: nowhere.message }] });
    const cause = page.locator(".cause").filter({ hasText: "NoPlacement" });
    await cause.getByText("1 object, on no cluster").waitFor();
    await cause.getByText("meridian why vault -n bank", { exact: true }).waitFor();
  });

  test("a cause leads by its pair to the reason, what happened, and the command", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    const { page } = visit;
    await page.locator(".cause").getByRole("link", { name: "shop/web on eu-1" }).press("Enter");
    const drawer = page.getByRole("complementary", { name: "shop/web on eu-1" });
    await drawer.getByText("Degraded: ImagePullBackOff").waitFor();
    expect(await drawer.locator(".timeline li").innerText()).toMatch(/Available → Degraded.*because of generation 7/s);
    await drawer.getByText("meridian explain web -n shop --cluster eu-1", { exact: true }).waitFor();
    await page.keyboard.press("Escape");
    await drawer.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe("shop/web on eu-1");
  });

  test("a pair says what was decided, what it waits for, and which fields differ", async () => {
    await using visit = await badNightVisit();
    visit.server.wholes.set("DemoApplication.paas.cmft.com:web", {
      explanation: {
        clusters: [{ name: "eu-1", reason: "Selected", message: "in group all", remedies: [] }],
        waits: [{ message: "for approval of stage two" }],
      },
      differences: [
        {
          cluster: "eu-1",
          objects: [
            {
              ref: { kind: "Deployment", name: "web" },
              change: "Change",
              fields: [{ path: "spec.replicas", before: 1, after: 3 }],
            },
          ],
        },
      ],
    });
    await visit.signIn();
    await visit.page.locator(".cause").getByRole("link", { name: "shop/web on eu-1" }).click();
    const drawer = visit.page.getByRole("complementary", { name: "shop/web on eu-1" });
    expect(await drawer.locator(".decision").innerText()).toBe("Selected: in group all");
    await drawer.getByText("Waits for approval of stage two").waitFor();
    const difference = drawer.locator("section:has(#differences) li");
    expect(await difference.innerText()).toMatch(/Deployment\/web\s+is to be changed\s+spec\.replicas\s+1 → 3/);
  });

  test("a message of a cluster runs nothing, and links only to http and https", async () => {
    await using visit = await studio.visit();
    const message = '<img src=x onerror="document.title=1"> javascript:alert(1) https://a.example/b';
    visit.server.table.commit({
      objects: [object("shop", "web", [trouble("eu-1", "CrashLoopBackOff", message, Date.now())])],
    });
    await visit.signIn();
    await visit.page.locator(".cause").waitFor();
    expect(
      await visit.page.evaluate(
        "[...document.querySelectorAll('.cause .message a')].map(({ href, rel }) => [href, rel])",
      ),
    ).toEqual([["https://a.example/b", "noopener noreferrer"]]);
    expect(await visit.page.locator("main img").count()).toBe(0);
  });
});

describe("live", () => {
  test("a change of a member is on the screen without a reload, and so is its end", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    const { page, server } = visit;
    await page.locator(".cause").waitFor();
    const broken = object("bank", "vault", [trouble("us-2", "QuotaExceeded", "quota is used up", Date.now())]);
    server.table.commit({ objects: [broken] });
    await page.getByRole("link", { name: "QuotaExceeded" }).waitFor();
    server.table.commit({ objects: [object("bank", "vault", [placed("us-2")])] });
    await page.getByRole("link", { name: "QuotaExceeded" }).waitFor({ state: "detached" });
  });

  test("a break shows on the screen, and the page goes on where it was", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    const { page, server } = visit;
    await page.locator("[data-state=Live]").waitFor();
    await page.locator(".cause").waitFor();
    await server.stop();
    await page.locator("[data-state=Stale]").waitFor();
    await page.getByText("What you see is old").waitFor();
    // What was known stays.
    expect(await page.locator(".cause").count()).toBe(1);
    server.table.commit({
      deleted: [
        { kind: "DemoApplication", group: "paas.cmft.com", namespace: "bank", name: "ledger" },
        { kind: "DemoApplication", group: "paas.cmft.com", namespace: "shop", name: "cart" },
      ],
    });
    const before = server.requests.length;
    await server.start();
    await page.locator("[data-state=Live]").waitFor();
    await page.getByText("1 object in 1 cluster").waitFor();
    await page.getByText("Nothing is held").waitFor();
    const [first = ""] = server.requests.slice(before).filter((url) => url.includes("/watches?"));
    const watches = [...new URL(first, server.address).searchParams.values()];
    expect(watches).toHaveLength(5);
    for (const watch of watches) expect(watch).toMatch(/resourceVersion=\d{7,}/);
  });
});

describe("connections", () => {
  test("a page has one stream for all its rows, also with the matrix", async () => {
    await using visit = await badNightVisit();
    const { page, server } = visit;
    await visit.signIn();
    await page.locator("[data-state=Live]").waitFor();
    expect(server.streams).toBe(1);
    await page.getByRole("link", { name: "Matrix" }).click();
    await page.getByLabel("shop/till on eu-1: Available").waitFor();
    await expect.poll(() => server.streams).toBe(1);
    const last = server.requests.findLast((url) => url.includes("/watches?")) ?? "";
    expect([...new URL(last, server.address).searchParams.keys()]).toHaveLength(6);
  });

  test("eight tabs that are seen at once all follow the fleet, and leave room for requests", async () => {
    await using visit = await badNightVisit();
    await visit.signIn();
    const { server } = visit;
    const tabs = [visit.page];
    while (tabs.length < 8) tabs.push(await visit.tab("admin-token", tabs.length % 2 === 0 ? "#" : "#/matrix?"));
    for (const tab of tabs) await tab.locator("[data-state=Live]").waitFor();
    expect(server.streams).toBeLessThanOrEqual(4);
    const failing = trouble("eu-1", "QuotaExceeded", "quota is used up", Date.now());
    server.table.commit({ objects: [object("shop", "till", [failing, placed("us-1")])] });
    for (const tab of tabs)
      await tab.getByText("QuotaExceeded").or(tab.getByLabel("till on eu-1: QuotaExceeded")).waitFor();
    // The drawer asks by itself.
    const [first, second] = [tabs[0], tabs[1]];
    await first?.getByRole("link", { name: "shop/till on eu-1" }).first().click();
    await first?.getByRole("complementary").getByText("Degraded: QuotaExceeded").waitFor();
    await second?.getByLabel("shop/till on eu-1: QuotaExceeded").click();
    await second?.getByRole("complementary").getByText("Degraded: QuotaExceeded").waitFor();
    for (const tab of tabs) expect(await tab.locator("[data-state]").getAttribute("data-state")).toBe("Live");
    expect(visit.problems).toEqual([]);
  });

  test("a hidden tab ends its stream after half a minute, and goes on from there when it is seen", async () => {
    await using visit = await badNightVisit();
    const { page, server } = visit;
    await page.clock.install();
    await visit.signIn();
    await page.locator("[data-state=Live]").waitFor();
    await setHidden(page, true);
    await page.clock.fastForward(30_000);
    await expect.poll(() => server.streams).toBe(0);
    const asked = server.requests.length;
    server.table.commit({ objects: [object("shop", "cart", [placed("eu-1"), placed("eu-2")])] });
    await page.clock.fastForward(60_000);
    expect(server.requests.length).toBe(asked);
    await setHidden(page, false);
    await page.getByText("1 object in 1 cluster").waitFor();
    expect(server.requests.at(-1)).toContain("resourceVersion");
  });
});

/** As when another tab is chosen: a browser without a screen shows all of them. */
async function setHidden(page: Visit["page"], isHidden: boolean): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));`);
}

describe("rights", () => {
  test("who may read nothing is told so, and whom to ask", async () => {
    await using visit = await badNightVisit();
    await visit.signIn("nobody-token");
    await visit.page.getByRole("heading", { name: "You may read nothing here" }).waitFor();
    expect(await visit.page.locator("main").innerText()).toContain("Ask an administrator");
  });

  test("a tenant sees the objects of his namespace and of no other", async () => {
    await using visit = await badNightVisit();
    await visit.signIn("tenant-token");
    await visit.page.getByText("bank/ledger on us-1").waitFor();
    await visit.page.locator("section:has(#clusters) p.dim").waitFor();
    expect(await visit.page.locator("main").innerText()).not.toContain("shop");
  });
});

describe("the matrix", () => {
  test("of 200 clusters and 500 objects draws only what is seen, and the keyboard reaches every cell", async () => {
    await using visit = await studio.visit();
    visit.server.table.commit(largeFleet(200, 500, Date.now()));
    await visit.signIn("admin-token", "#/matrix?");
    const { page } = visit;
    await page.locator("#matrix .count").waitFor();
    expect(await page.locator("#matrix .count").innerText()).toBe("500 × 200");
    expect(await page.locator(".cell").count()).toBeLessThan(4_000);
    await page.locator(".cell[tabindex='0']").focus();
    await page.keyboard.press("Control+End");
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toMatch(/^team-9\/app-0499 on member-\d+: /);
    await page.keyboard.press("Control+Home");
    await expect
      .poll(() => page.evaluate("document.activeElement.getAttribute('aria-label')"))
      .toMatch(/^team-0\/app-0000 on member-000: CrashLoopBackOff, 0 of 2 ready/);
    await page.keyboard.press("Enter");
    await page.getByRole("complementary").getByText("Degraded: CrashLoopBackOff").waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate("document.activeElement.getAttribute('role')")).toBe("gridcell");
    expect(visit.problems).toEqual([]);
  });

  test("follows a copy that changes, comes or goes", async () => {
    await using visit = await badNightVisit();
    await visit.signIn("admin-token", "#/matrix?");
    const { page, server } = visit;
    await page.getByLabel("shop/till on eu-1: Available").waitFor();
    const failing = trouble("eu-1", "QuotaExceeded", "quota is used up", Date.now());
    server.table.commit({ objects: [object("shop", "till", [failing, placed("us-1")])] });
    await page.getByLabel("shop/till on eu-1: QuotaExceeded").waitFor();
    await page.getByLabel("shop/till on us-1: Available").waitFor();
    await page.getByLabel("shop/till on us-2: not placed").waitFor();
  });

  test("a filter of the address and of the fields narrows it", async () => {
    await using visit = await badNightVisit();
    await visit.signIn("admin-token", "#/matrix?reason=ImagePullBackOff&");
    const { page } = visit;
    await page.locator("#matrix .count").getByText("2 × 1").waitFor();
    await page.getByLabel("Name begins with").fill("we");
    await page.keyboard.press("Enter");
    await page.locator("#matrix .count").getByText("1 × 1").waitFor();
    expect(page.url()).toContain("name=we");
  });

  test("a pair where nothing is placed says why, and how to learn more", async () => {
    await using visit = await badNightVisit();
    await visit.signIn("admin-token", "#/matrix?");
    await visit.page.getByLabel("shop/till on ap-1: not placed").click();
    const drawer = visit.page.getByRole("complementary");
    await drawer.getByText("Placement/shop/near does not place it on ap-1").waitFor();
    await drawer.getByText("meridian explain till -n shop --cluster ap-1", { exact: true }).waitFor();
  });
});

describe("whoever reads", () => {
  const screens = ["#", "#/matrix?", "#/?object=DemoApplication.paas.cmft.com/shop/web&on=eu-1&"];
  test.each(
    screens.flatMap((fragment) => [
      { fragment, scheme: "light" as const },
      { fragment, scheme: "dark" as const },
    ]),
  )("finds no serious obstacle on $fragment in $scheme", async ({ fragment, scheme }) => {
    await using visit = await badNightVisit();
    const { page } = visit;
    await page.emulateMedia({ colorScheme: scheme });
    await visit.signIn("admin-token", fragment);
    await page.locator("[data-state=Live]").waitFor();
    await page
      .locator(fragment.startsWith("#/m") ? ".cell" : fragment === "#" ? ".cause" : ".timeline li")
      .first()
      .waitFor();
    await page.evaluate(axe.source);
    const found = await page.evaluate("axe.run().then(({ violations }) => violations)");
    const serious = (found as { id: string; impact: string; nodes: { html: string }[] }[]).filter(({ impact }) =>
      ["serious", "critical"].includes(impact),
    );
    expect(serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)])).toEqual([]);
  });

  test("has a phone: nothing is wider than the screen", async () => {
    await using visit = await badNightVisit({ width: 360, height: 740 });
    await visit.signIn();
    await visit.page.locator(".cause").waitFor();
    expect(await visit.page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(360);
  });

  test("of 200 clusters gets them by region", async () => {
    await using visit = await studio.visit();
    const clusters = Array.from({ length: 200 }, (_, at) => cluster(`member-${at}`, `region-${at % 12}`));
    visit.server.table.commit({ clusters });
    await visit.signIn();
    await visit.page.locator("#clusters .count").getByText("200").waitFor();
    expect(await visit.page.locator(".region").count()).toBe(12);
  });
});

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { KubeObject } from "../../src/apis/index.ts";
import { demoApplication, placement } from "../builders/index.ts";
import { eventually, FaultProxy } from "../envtest/index.ts";
import { useFederation } from "./federation.ts";
import { objectPath, secret } from "./objects.ts";
import { ATTEMPTS, EMPTY, OTHERS, OWN, QUESTIONS } from "./queryAttempts.ts";
import { type Answer, type Asker, askerWith, timeless } from "./queryTenant.ts";

/**
 * Somebody with rights in one namespace asks before there is anything of others, and again when others have objects that
 * fail and a cluster that is lost. Equal answers tell nothing. The API server of the hub reviews tokens and rights.
 */

const [SHANGHAI, SINGAPORE] = ["shanghai-1", "singapore-1"];
const federation = useFederation({
  members: [
    { name: SHANGHAI, region: "cn-shanghai" },
    { name: SINGAPORE, region: "ap-southeast-1" },
  ],
  managerArgs: ["--query-members"],
  joinArgs: ["--pod-logs"],
});

const APPLICATIONS = { apiGroups: ["paas.cmft.com"], resources: ["demoapplications"], verbs: ["list"] };
const CLUSTERS = { apiGroups: ["federation.paas.cmft.com"], resources: ["memberclusters"], verbs: ["list"] };
/** Names that only others know. */
const HIDDEN = /payroll|hidden|singapore|ap-southeast|ImagePull|ErrImage/g;

let proxy: FaultProxy;
let tenant: Asker;
let watcher: Asker;
let administrator: Asker;
const before = new Map<string, Answer>();
const answerTo = ({ path, headers, by }: (typeof ATTEMPTS)[number]): Promise<Answer> =>
  (by === "watcher" ? watcher : tenant).ask(path, headers);

beforeAll(async () => {
  proxy = await FaultProxy.start(federation.hub);
  const file = join(federation.fleet.dir, "observed.kubeconfig");
  await writeFile(file, proxy.kubeconfigFor(federation.hub.adminToken), { mode: 0o600 });
  await federation.manager.stop();
  await federation.startManager({ args: ["--kubeconfig", file] });
  for (const name of [OWN, OTHERS, EMPTY])
    await federation.apply({ apiVersion: "v1", kind: "Namespace", metadata: { name } } as KubeObject);
  tenant = await askerWith(federation, "tenant", [{ namespace: OWN, rules: [APPLICATIONS] }]);
  watcher = await askerWith(federation, "watcher", [{ namespace: OWN, rules: [APPLICATIONS] }, { rules: [CLUSTERS] }]);
  const everything = [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }];
  administrator = await askerWith(federation, "everybody", [{ rules: everything }]);
  await federation.apply(placement("own").namespace(OWN).onClusters(SHANGHAI));
  await federation.apply(demoApplication("shop").namespace(OWN));
  await federation.untilAvailable(OWN, "shop", { [SHANGHAI]: 1 });
  await eventually(async () => expect((await tenant.ask("/federatedobjects")).text).toContain('"Available"'));
  for (const attempt of ATTEMPTS) before.set(attempt.what, await answerTo(attempt));
});
afterAll(() => proxy?.[Symbol.asyncDispose]());

/** What rows of clusters count. */
function countsIn(text: string): unknown {
  const { items = [JSON.parse(text)], totals } = JSON.parse(text) as { items?: { status: object }[]; totals?: object };
  return [totals, items.map(({ status }) => ({ ...status, since: "", lastContact: "" }))].map((part) =>
    JSON.parse(JSON.stringify(part ?? null, ["name", "objects", "unready", "count", "ready", "desired"])),
  );
}

/** A failing application on both clusters, and a Secret in the tenant's own namespace that he may not list. */
async function othersCome(): Promise<void> {
  for (const name of [SHANGHAI, SINGAPORE]) federation.member(name).kubelet?.failImages(/hidden/);
  await federation.apply(placement("hidden").namespace(OTHERS).onClusters(SHANGHAI, SINGAPORE));
  const payroll = demoApplication("payroll").namespace(OTHERS).label("tier", "hidden");
  await federation.apply(payroll.image("registry.test/hidden:1"));
  await federation.apply(secret(OWN, "hidden", { a: "1" }));
  const secrets = { apiVersion: "v1", kind: "Secret", name: "hidden" };
  await federation.apply(placement("hidden").namespace(OWN).selects(secrets).onClusters(SHANGHAI, SINGAPORE));
  await eventually(async () => {
    const { text } = await administrator.ask("/placedobjects?state=Degraded,Failed,Progressing");
    for (const name of ["payroll", SHANGHAI, SINGAPORE, "ImagePull"]) expect(text).toContain(name);
    expect((await administrator.ask("/federatedobjects?kind=Secret")).text).toContain('"hidden"');
  });
}

test("a watch shows his own changes and nothing of others, who come meanwhile", async () => {
  const path = "/placedobjects?watch=true&allowWatchBookmarks=true&includeObject=Object&timeoutSeconds=120";
  const blog = demoApplication("blog").namespace(OWN).replica(2);
  const seen = await tenant.watched(path, async () => {
    await othersCome();
    await federation.apply(blog);
    await federation.untilAvailable(OWN, "blog", { [SHANGHAI]: 2 });
    await federation.remove(blog);
    await eventually(async () => expect((await tenant.ask("/placedobjects")).text).not.toContain('"blog"'));
  });
  for (const type of ["ADDED", "MODIFIED", "DELETED"]) expect(seen).toContain(`"${type}"`);
  expect(seen.match(HIDDEN)).toBeNull();
  for (const line of seen.trim().split("\n")) {
    const { type, object } = JSON.parse(line) as { type: string; object: KubeObject };
    expect([type === "BOOKMARK" ? OWN : object.metadata.namespace, type]).toEqual([OWN, type]);
  }
});

describe("learns nothing by", () => {
  beforeAll(async () => {
    await federation.member(SINGAPORE).plane.kill();
    await eventually(
      async () => {
        const { text } = await administrator.ask("/placedobjects");
        expect((JSON.parse(text) as { status?: object; partial?: object[] }).partial ?? text).toMatchObject([
          { cluster: SINGAPORE },
        ]);
      },
      { timeout: 120_000, message: "loss of a cluster" },
    );
  });
  afterAll(() => federation.member(SINGAPORE).plane.start());

  test.each([...ATTEMPTS])("$what", async (attempt) => {
    const { code, text } = await answerTo(attempt);
    expect([code, text.slice(0, 500)]).toEqual([attempt.code, text.slice(0, 500)]);
    const earlier = before.get(attempt.what)?.text ?? "";
    // Whoever may list clusters may know that one is lost. The ring has transitions of the tenant's own by now.
    if (attempt.by === "watcher") expect(countsIn(text)).toEqual(countsIn(earlier));
    else if (!attempt.path.startsWith("/transitions")) expect(timeless(text)).toBe(timeless(earlier));
    const said = new Set(`${attempt.path} ${JSON.stringify(attempt.headers)}`.match(HIDDEN));
    const found = (text.match(HIDDEN) ?? []).filter((word) => !said.has(word));
    expect(attempt.by === "watcher" ? found.filter((word) => !/singapore|ap-south/.test(word)) : found).toEqual([]);
  });

  test("a page of the administrator's", async () => {
    for (const resource of ["federatedobjects", "placedobjects"]) {
      const { text } = await administrator.ask(`/${resource}?limit=1`);
      const { metadata } = JSON.parse(text) as { metadata: { continue: string } };
      expect(metadata.continue).toBeTruthy();
      const stolen = await tenant.ask(`/${resource}?limit=1&continue=${encodeURIComponent(metadata.continue)}`);
      const invented = before.get("a page that he invents");
      expect(stolen).toEqual(invented);
    }
  });

  test("a watch from a version of the administrator's", async () => {
    const { text } = await administrator.ask("/federatedobjects?limit=1");
    const { metadata } = JSON.parse(text) as { metadata: { resourceVersion: string } };
    await federation.apply(demoApplication("payroll").namespace(OTHERS).label("tier", "hidden").replica(2));
    await eventually(async () => expect((await administrator.ask("/federatedobjects")).text).toContain('"desired":2'));
    const path = `/federatedobjects?watch=true&timeoutSeconds=1&resourceVersion=${metadata.resourceVersion}`;
    expect(await tenant.ask(path)).toEqual({ code: 200, text: "" });
  });

  test("versions, which go on whether or not others change something", async () => {
    const version = async (): Promise<number> =>
      Number((JSON.parse((await tenant.ask("/federatedobjects")).text) as KubeObject).metadata.resourceVersion) / 1e6;
    const from = Date.now();
    const first = await version();
    for (const replica of [1, 2, 1, 2])
      await federation.apply(demoApplication("payroll").namespace(OTHERS).label("tier", "hidden").replica(replica));
    const passed = (await version()) - first;
    expect(passed).toBeLessThanOrEqual(Date.now() - from + 1);
  });

  test("a rate limit that others have used up", async () => {
    const codes = await Promise.all(Array.from({ length: 120 }, () => administrator.codeOf("/federatedobjects")));
    expect(codes).toContain(429);
    expect(await tenant.codeOf("/federatedobjects")).toBe(200);
  });
});

describe("the hub is asked the same, whether or not there is something:", () => {
  const isReview = ({ path }: { path: string }): boolean => /\/(subjectaccess|token)reviews$/.test(path);

  test.each([...QUESTIONS])("$what", async ({ what, path }) => {
    const name = `asker-${what.replaceAll(" ", "-")}`;
    const counts: number[] = [];
    for (const [index, namespace] of [OTHERS, EMPTY, "team-missing"].entries()) {
      // Answers about a user are kept: each question has a user of its own.
      const asker = await askerWith(federation, `${name}-${index}`, []);
      const already = proxy.requests.filter(isReview).length;
      expect((await asker.ask(path(namespace))).code).toBe(403);
      counts.push(proxy.requests.filter(isReview).length - already);
    }
    expect(counts[0]).toBeGreaterThan(1);
    expect(new Set(counts).size, counts.join()).toBe(1);
  });
});

test("a right that was taken away ends lists at once, and watches within the time of the cache", async () => {
  const later = await askerWith(federation, "later", [{ namespace: OWN, rules: [APPLICATIONS] }]);
  await eventually(async () => expect((await later.ask("/federatedobjects")).text).toContain('"shop"'));
  const late = demoApplication("late").namespace(OWN);
  const seen = await later.watched("/federatedobjects?watch=true&timeoutSeconds=120", async (lines) => {
    await federation.api.delete(objectPath("RoleBinding", OWN, "later"));
    await eventually(async () => expect((await later.ask("/federatedobjects")).text).not.toContain('"shop"'));
    await eventually(async () => expect((await later.ask(`/namespaces/${OWN}/federatedobjects`)).code).toBe(403));
    await eventually(async () => expect(lines()).toContain('"DELETED"'));
    await federation.apply(late);
    await federation.untilAvailable(OWN, "late", { [SHANGHAI]: 1 });
  });
  expect(seen).toContain('"shop"');
  expect(seen).not.toContain('"late"');
  await federation.remove(late);
});

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, runMeridian } from "../testing/commandLine.ts";
import type { PlanReport } from "./report.ts";

/** `plan --without-hub`: what is there now and what would change come from files, and no kubeconfig is anywhere. */

const data = fileURLToPath(new URL("../explain/testdata/files", import.meta.url));
let folder: string;
let count = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-plan-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Ran> =>
  runMeridian(["plan", "--without-hub", ...args], { KUBECONFIG: join(folder, "there-is-none") });

async function file(text: string): Promise<string> {
  const path = join(folder, `file-${count++}.yaml`);
  await writeFile(path, text);
  return path;
}

async function reported(...args: string[]): Promise<PlanReport> {
  const { code, out, err } = await run(...args, "-o", "json");
  expect({ code, err }).toEqual({ code: 1, err: "" });
  return JSON.parse(out) as PlanReport;
}

describe("plan --without-hub", () => {
  test("names an object that would run nowhere, why, and the policies that nearly select it", async () => {
    const application = (name: string, labels: string) =>
      `apiVersion: paas.cmft.com/v1\nkind: DemoApplication\nmetadata: { name: ${name}, namespace: elsewhere${labels} }\nspec: { image: nginx }\n`;
    const policy = `apiVersion: federation.paas.cmft.com/v1alpha1
kind: Placement
metadata: { name: web, namespace: elsewhere }
spec:
  resourceSelectors:
    - { apiVersion: paas.cmft.com/v1, kind: DemoApplication, labelSelector: { matchLabels: { tier: web } } }
`;
    const clusters = join(data, "clusters.yaml");
    const given = ["--from", clusters, "--from", await file(policy), "-f", await file(application("checkout", ""))];
    const { unplaced, objects } = await reported(...given);
    expect(objects).toEqual([]);
    expect(unplaced).toMatchObject([{ name: "checkout", namespace: "elsewhere", reason: "NoPlacement" }]);
    expect(unplaced[0]?.nearly).toContainEqual({
      policy: { kind: "Placement", namespace: "elsewhere", name: "web" },
      selector: "resourceSelectors[0]",
      because: ["the object lacks the label tier=web"],
    });
    const { out } = await run(...given);
    expect(out).toContain("demoapplication/checkout in namespace elsewhere runs nowhere, NoPlacement");
    const labelled = await file(application("checkout", ", labels: { tier: web }"));
    expect((await reported("--from", clusters, "--from", await file(policy), "-f", labelled)).unplaced).toEqual([]);
  });

  test("shows what a new object would become where there is nothing yet", async () => {
    const { objects, summary } = await reported("-f", data);
    expect(summary.text).toBe("1 object on 2 of 3 clusters: 2 created, 0 changed, 0 moved, 0 deleted");
    expect(objects[0]?.clusters.map(({ name, change, replicas }) => [name, change, replicas?.after])).toEqual([
      ["shanghai-1", "Created", 5],
      ["singapore-1", "Created", 2],
    ]);
  });

  test("says where in a file something is that is no object, or no YAML", async () => {
    const good = "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: a }\n";
    const list = "apiVersion: v1\nkind: List\nitems: [{ apiVersion: v1, kind: ConfigMap }]\n";
    const cases: [string, RegExp][] = [
      [`${good}---\n# Nothing.\n---\nfoo: 1\n`, /\(document 3, line 7\) is no Kubernetes object: /],
      [`${good}---\n${list}`, /\(document 2, line 5, item 1\): a ConfigMap has no metadata\.name; give it one$/m],
      ["foo: 1\n", /\.yaml is no Kubernetes object: /],
      ["foo: [1\n", /\.yaml is no YAML: .* at line 2, column 1$/m],
      [`${good}---\nfoo: [1\n`, /\.yaml \(document 2\) is no YAML: .* at line 6, column 1$/m],
    ];
    for (const [text, message] of cases)
      expect(await run("--from", data, "-f", await file(text))).toMatchObject({
        code: 2,
        out: "",
        err: expect.stringMatching(message) as string,
      });
  });

  test("says what it needs, and ends with 2", async () => {
    const application = join(data, "application.yaml");
    const cases: [string[], RegExp][] = [
      [["-f", application], /hold no MemberCluster: write them with `kubectl get memberclusters -o yaml`/],
      [["--from", data], /give -f FILE, --policy FILE, --without CLUSTER/],
      [["--from", data, "--without", "nowhere"], /the files hold no member cluster "nowhere"; name one of these/],
      [["--from", data, "-f", application, "--server-side"], /--server-side is about how a hub merges/],
    ];
    for (const [args, message] of cases)
      expect(await run(...args)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(message) as string });
    const onHub = await runMeridian(["plan", "--from", data, "-f", application]);
    expect(onHub).toMatchObject({ code: 2, err: expect.stringMatching(/give --without-hub as well/) as string });
  });
});

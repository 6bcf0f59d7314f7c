import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Ran, runMeridian } from "../testing/commandLine.ts";

/** `explain --without-hub`: files in, an answer out, and no kubeconfig anywhere. */

const data = fileURLToPath(new URL("testdata/files", import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "meridian-explain-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (...args: string[]): Promise<Ran> =>
  runMeridian(["explain", "--without-hub", ...args], { KUBECONFIG: join(folder, "there-is-none") });

async function file(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

describe("explain --without-hub", () => {
  test("answers for every cluster", async () => {
    const { code, out, err } = await run("-f", data);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(/^demoapplication\/nginx-demo in namespace default\n/);
    expect(out).toMatch(/^Placed by +Placement default\/everywhere, priority 0, group asia$/m);
    expect(out).toMatch(/^shanghai-1 .*yes +5 .*\nsingapore-1 .*yes +2 /m);
    expect(out).toMatch(/^ {2}frankfurt-1: .*toleration/m);
  });

  test("answers for one cluster in full, and ends with 1 when it is not chosen", async () => {
    const chosen = await run("nginx-demo", "-f", data, "--cluster", "shanghai-1");
    expect(chosen.code).toBe(0);
    expect(chosen.out).toMatch(/^ {2}divide .*gets 5 of 7 replicas$/m);
    expect(chosen.out).toMatch(/image: registry\.example\.cn\/nginx:1\.27$/m);
    const refused = await run("demoapplication/nginx-demo", "-f", data, "--cluster", "frankfurt-1");
    expect(refused.code).toBe(1);
    expect(refused.out).toMatch(/^ {2}To run there: .*toleration/m);
  });

  test("names the file and the field of what a hub would refuse", async () => {
    const wrong = await file(
      "wrong.yaml",
      "{apiVersion: federation.paas.cmft.com/v1alpha1, kind: Placement, metadata: {name: p}, spec: {resourceSelectors: [], replicas: 3}}",
    );
    const { code, err } = await run("-f", wrong, "-f", data);
    expect(code).toBe(2);
    expect(err).toMatch(/wrong\.yaml: Placement p: spec\.\S+ /);
    expect(err.split("\n")).toHaveLength(2);
  });

  test.each([
    { args: [], want: /give policies, clusters and the object with -f/ },
    { args: ["-f", join(data, "application.yaml")], want: /hold no MemberCluster/ },
    { args: ["blog", "-f", data], want: /no demoapplication "blog".*demoapplication\/nginx-demo/ },
    { args: ["-f", data, "--cluster", "paris-1"], want: /no member cluster "paris-1"/ },
    {
      args: ["mc/paris-1", "-f", data],
      want: /`meridian status membercluster\/paris-1`/,
    },
    { args: ["-f", join(data, "clusters.yaml")], want: /hold no object to explain/ },
  ])("says what to give: $want", async ({ args, want }) => {
    const { code, err } = await run(...args);
    expect(code).toBe(2);
    expect(err).toMatch(want);
  });
});

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { placementSpec } from "../apis/index.ts";
import { NOW } from "./testing.ts";
import { schedule } from "./schedule.ts";
import { decisionTable } from "./scenarios/decisionTable.ts";
import { type Scenario, setting } from "./scenarios/scenario.ts";

/**
 * Decisions as files: each `testdata/AREA/NAME.yaml` is a setting with the outcome that is promised, and NAME.txt beside it the whole decision as
 * text, which `npx vitest run --project unit src/scheduler/decisions.test.ts -u` writes anew. See testdata/README.md.
 */
const folder = join(import.meta.dirname, "testdata");
const files = globSync("*/*.yaml", { cwd: folder }).toSorted();

describe("the decision suite", () => {
  test("has at least 150 scenarios", () => expect(files.length).toBeGreaterThanOrEqual(150));

  test("is listed in its README, each with the sentence that it begins with", () => {
    const listed = readFileSync(join(folder, "README.md"), "utf8").matchAll(
      /^\| \[[^\]]+\]\((.+\.yaml)\) +\| (.*?) +\|$/gm,
    );
    const sentences = files.map((file) => {
      const [first = ""] = readFileSync(join(folder, file), "utf8").split("\n");
      return [file, first.replace(/^# /, "")];
    });
    expect(Object.fromEntries(Array.from(listed, ([, file, sentence]) => [file, sentence]))).toEqual(
      Object.fromEntries(sentences),
    );
  });

  test.each(files)("%s", async (file) => {
    const scenario = parse(readFileSync(join(folder, file), "utf8")) as Scenario;
    const policy = placementSpec.safeParse({
      resourceSelectors: [{ apiVersion: "v1", kind: "ConfigMap" }],
      ...scenario.policy,
    });
    expect(policy.error?.issues).toBeUndefined();
    const { subject, clusters, now } = setting(scenario, NOW);
    const decision = schedule(subject, policy.data ?? { replicaScheduling: { mode: "Duplicated" } }, clusters, now);
    const got = decision.clusters.map(({ name, replicas }) => [name, replicas] as const);
    expect(Array.isArray(scenario.want) ? got.map(([name]) => name) : Object.fromEntries(got)).toEqual(scenario.want);
    expect(
      schedule(subject, policy.data ?? { replicaScheduling: { mode: "Duplicated" } }, clusters.toReversed(), now),
    ).toEqual(decision);
    await expect(decisionTable(decision, now)).toMatchFileSnapshot(join(folder, file.replace(/yaml$/, "txt")));
  });
});

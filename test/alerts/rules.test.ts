import { describe, expect, test } from "vitest";
import { CASES } from "./cases.ts";
import { FIRED } from "./fired.ts";
import { complaintOf, RULES_FILE, ruleGroups } from "./promtool.ts";
import { STEP_SECONDS } from "./timeline.ts";

const groups = await ruleGroups();
const rules = groups.flatMap((group) => group.rules);

test("Prometheus takes the rules as they stand in the chart", async () => {
  expect(await complaintOf(["check", "rules", "--lint=all", "--lint-fatal", RULES_FILE], {})).toBe("");
});

test("every alert is tried", () => {
  expect(new Set(CASES.map(({ alert }) => alert))).toEqual(new Set(rules.map(({ alert }) => alert)));
});

test("every alert is seen on a real Prometheus, by one file", () => {
  expect(Object.values(FIRED).flat().toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

describe("is silent in calm times, fires in trouble, and clears:", () => {
  test.each(CASES.map((one) => ({ ...one, title: [one.alert, one.name].filter(Boolean).join(", ") })))(
    "$title",
    async ({ alert, timeline, series, quietAfter, labels, summary, description }) => {
      const rule = rules.find((one) => one.alert === alert);
      // Alone, since promtool evaluates every rule of a file at each of the thousand moments.
      const file = { groups: [{ name: "tried", rules: [rule] }] };
      const fired = {
        exp_labels: { severity: rule?.labels.severity, ...labels },
        exp_annotations: { summary, description, runbook_url: rule?.annotations.runbook_url },
      };
      const { calm, trouble, after } = timeline;
      const at = (minute: number, alerts: object[]) => ({
        eval_time: `${minute}m`,
        alertname: alert,
        exp_alerts: alerts,
      });
      const tests = {
        rule_files: ["rules.yaml"],
        evaluation_interval: `${STEP_SECONDS}s`,
        tests: [
          {
            interval: `${STEP_SECONDS}s`,
            input_series: Object.entries(series).map(([name, course]) => ({ series: name, values: course(timeline) })),
            alert_rule_test: [
              at(calm - 1, []),
              ...(quietAfter === 0 ? [] : [at(calm + quietAfter, [])]),
              // The last moment of the trouble.
              { ...at(0, [fired]), eval_time: `${(calm + trouble) * 60 - STEP_SECONDS}s` },
              at(calm + trouble + after, []),
            ],
          },
        ],
      };
      expect(await complaintOf(["test", "rules", "tests.yaml"], { "rules.yaml": file, "tests.yaml": tests })).toBe("");
    },
  );
});

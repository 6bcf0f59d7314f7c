// Prints how many tests of one suite passed and failed, by vitest's JSON report, and appends each that failed, with the beginning of what
// it said, to a file: node .ci/counts.cjs SUITE EXIT-STATUS REPORT FAILURES. A suite that ended badly without a failed test counts as one
// failure. Runs on any Node from 20.
const { appendFileSync, existsSync, readFileSync } = require("node:fs");

const MESSAGE_LINES = 25;
const LINE_LENGTH = 500;
const SLOWEST = 5;

const [suite, status, report, failures] = process.argv.slice(2);
const result = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : {};

const lines = [];
const add = (what, message) => {
  lines.push(`ci: ${suite}: FAILED: ${what}`);
  lines.push(...message.split("\n", MESSAGE_LINES).map((line) => `    ${line.slice(0, LINE_LENGTH)}`));
};
for (const file of result.testResults ?? []) {
  for (const test of file.assertionResults) {
    if (test.status === "failed") add(test.fullName, test.failureMessages.join("\n"));
  }
  if (file.status === "failed" && file.message) add(file.name.split("/").slice(-2).join("/"), file.message);
}
const files = (result.testResults ?? []).map(({ name, startTime, endTime }) => ({
  name: name.split("/").at(-1),
  seconds: Math.round((endTime - startTime) / 1000),
}));
const slowest = files.sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
console.error(`ci: ${suite}: longest: ${slowest.map(({ name, seconds }) => `${name} ${seconds} s`).join(", ")}`);
let failed = result.numFailedTests ?? 0;
if (failed === 0 && status !== "0") {
  failed = 1;
  lines.push(`ci: ${suite}: FAILED: ended with ${status}, and no test of its report failed`);
}
if (lines.length > 0) appendFileSync(failures, `${lines.join("\n")}\n`);
console.log(result.numPassedTests ?? 0, failed);

/** What is the same for all rooms; `main.ts` says the rest. */
export default {
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  coverageAnalysis: "perTest",
  incremental: true,
  ignorePatterns: ["dist", ".dist-*", "coverage"],
  // Both want TypeScript's compiler API, which TypeScript 7 does not have.
  disableTypeChecks: false,
  tsconfigFile: "none",
  timeoutMS: 10_000,
  dryRunTimeoutMinutes: 30,
  reporters: ["html", "json", "progress-append-only"],
  // Changes that are in force while modules are loaded take longer, and count like others.
  warnings: { slow: false },
  logLevel: "warn",
};

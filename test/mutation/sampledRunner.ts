import { strykerPlugins as vitestPlugins } from "@stryker-mutator/vitest-runner";
import { isSelected, type Selected } from "./sample.ts";

interface TestRunner {
  mutantRun(options: { activeMutant: Parameters<typeof isSelected>[1] }): Promise<unknown>;
}

interface Injector {
  injectFunction(factory: unknown): TestRunner;
}

const [plugin] = vitestPlugins;
const NOT_TRIED = { status: "error", errorMessage: "not selected" };

/**
 * A test runner for Stryker that tries the changes that are selected and none of the others, which get a result that nobody counts. Stryker itself
 * can only leave out whole lines, with every change inside of them.
 */
function sampledRunner(injector: Injector): TestRunner {
  const selected = JSON.parse(process.env["MERIDIAN_MUTATION_SELECTED"] ?? "{}") as Selected;
  const runner = injector.injectFunction(plugin?.factory);
  const tryChange = runner.mutantRun.bind(runner);
  runner.mutantRun = (options) =>
    isSelected(selected, options.activeMutant) ? tryChange(options) : Promise.resolve(NOT_TRIED);
  return runner;
}
sampledRunner.inject = ["$injector"] as const;

/** Stryker finds it by this name. */
export const strykerPlugins = [{ ...plugin, name: "sampled-vitest", factory: sampledRunner }];

import fc from "fast-check";
import { inject, vi } from "vitest";

/**
 * Before each test file. The threads outlive their runs: in a new run everything of the project is loaded anew, so that nothing of the change
 * before is left.
 */
declare module "vitest" {
  interface ProvidedContext {
    /** The change that Stryker tries in this run; nothing in the first run, which tries none. */
    activeMutant: string;
    /** Whether it is in force while modules are loaded, or only in the tests. */
    mutantActivation: "static" | "runtime";
    /** Name of the global in which the changed source asks which change is in force. */
    globalNamespace: string;
  }
}

const globals = globalThis as { changeOfTheRun?: string } & Record<string, { activeMutant?: string } | undefined>;
const change = inject("activeMutant");
const stryker = globals[inject("globalNamespace")];
if (globals.changeOfTheRun !== change) {
  vi.resetModules();
  globals.changeOfTheRun = change;
}
// Until the first test begins it would still be the change of the last run.
if (stryker !== undefined && inject("mutantActivation") !== "static") delete stryker.activeMutant;

/** The same examples in every run, so that a change which is noticed today is noticed tomorrow; and no search for the smallest of them. */
fc.configureGlobal({ seed: 20_261_122, endOnFailure: true });

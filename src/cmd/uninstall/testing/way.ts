import type { ResourceType } from "../../../runtime/index.ts";
import type { Item, Observed, UninstallChoice } from "../state.ts";
import { after, nextStep, type Step } from "../steps.ts";

let uids = 0;
/** A new item on the hub, with its own name and UID. */
export function item(type: ResourceType, more: Partial<Item> = {}): Item {
  uids += 1;
  return { type, name: `it-${uids}`, uid: `uid-${uids}`, deleting: false, finalizers: [], guarded: false, ...more };
}

/** `Delete applications`, `Done`. */
export function words(step: Step): string {
  return "stage" in step ? `${step.do} ${step.stage}` : step.do;
}

/** Every step to the end, as if each step succeeded. */
export function way(seen: Observed, choice: UninstallChoice, limit = 100): Step[] {
  const steps: Step[] = [];
  for (let state = seen; steps.length < limit;) {
    const step = nextStep(state, choice);
    steps.push(step);
    const next = after(step, state, choice);
    if (next === state) return steps;
    state = next;
  }
  throw new Error(`no end: ${steps.map(words).join(", ")}`);
}

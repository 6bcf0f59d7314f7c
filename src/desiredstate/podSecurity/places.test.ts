import { expect, test } from "vitest";
import { pathOf, type Place } from "./places.ts";

/** A chain of places, the object first; `steps` counts how often one is asked for what is around it. */
function chain(keys: readonly (string | number)[]): { places: Place[]; steps: () => number } {
  let steps = 0;
  const places: Place[] = [];
  for (const key of ["", ...keys]) {
    const outer = places.at(-1);
    places.push({
      value: {},
      key,
      get parent() {
        steps += 1;
        return outer;
      },
    });
  }
  return { places, steps: () => steps };
}

test.each([
  { name: "from the outermost in", order: (places: Place[]) => places },
  { name: "from the innermost out", order: (places: Place[]) => places.toReversed() },
])("the paths of all places within each other take one step for each, asked $name", ({ order }) => {
  const { places, steps } = chain(Array.from({ length: 10_000 }, () => "x"));
  for (const place of order(places)) pathOf(place);
  expect(steps()).toBeLessThanOrEqual(2 * places.length);
});

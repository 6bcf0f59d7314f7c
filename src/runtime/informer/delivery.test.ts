import { describe, expect, test } from "vitest";
import type { TimeSlice } from "../core/index.ts";
import { Delivery } from "./delivery.ts";
import type { InformerEvent } from "./informerTypes.ts";

/** A slice in which `steps` objects have time. `turn` begins the next one. */
function slices(steps: number) {
  let left = steps;
  let resume = Promise.withResolvers<void>();
  const slice = {
    get spent() {
      left -= 1;
      return left < 0;
    },
    next: () => resume.promise,
  } as TimeSlice;
  const turn = async (): Promise<void> => {
    left = steps;
    resume.resolve();
    resume = Promise.withResolvers();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { slice, turn };
}

function setUp(steps = 2) {
  const { slice, turn } = slices(steps);
  const failures: string[] = [];
  const delivery = new Delivery<string>({ slice, failed: (_, key) => void failures.push(key) });
  return { delivery, turn, failures };
}

const event = (type: InformerEvent<string>["type"], key: string, object = key, old?: string): InformerEvent<string> =>
  ({ type, key, object, ...(old === undefined ? {} : { old }), initial: false }) satisfies InformerEvent<string>;

function list(): { seen: string[]; handler: (event: InformerEvent<string>) => void } {
  const seen: string[] = [];
  return {
    seen,
    handler: ({ type, object, initial }) => void seen.push(`${type} ${object}${initial ? " at first" : ""}`),
  };
}

describe("many events", () => {
  test("come in slices, and what is emitted meanwhile comes after them", async () => {
    const { delivery, turn } = setUp();
    const { seen, handler } = list();
    delivery.add(handler);
    const delivering = delivery.emitInSlices(["a", "b", "c"].map((key) => event("Added", key)));
    expect(seen).toEqual(["Added a", "Added b"]);
    expect(delivery.undelivered()).toEqual(["c"]);
    delivery.emit([event("Deleted", "a")]);
    expect(seen).toHaveLength(2);
    await turn();
    await delivering;
    expect(seen).toEqual(["Added a", "Added b", "Added c", "Deleted a"]);
    expect(delivery.undelivered()).toEqual([]);
  });

  test("all reach the other handlers when one handler fails", () => {
    const { delivery, failures } = setUp();
    const { seen, handler } = list();
    delivery.add(() => {
      throw new Error("broken handler");
    });
    delivery.add(handler);
    delivery.emit([event("Added", "a"), event("Added", "b")]);
    expect(seen).toEqual(["Added a", "Added b"]);
    expect(failures).toEqual(["a", "b"]);
  });
});

describe("a late handler", () => {
  const known = new Map(["a", "b", "c", "d"].map((key) => [key, key]));

  function late() {
    const world = setUp();
    const { seen, handler } = list();
    const objects = new Map(known);
    const subscription = world.delivery.showInSlices(handler, objects.keys(), (key) => objects.get(key));
    return { ...world, seen, objects, subscription };
  }

  test("is shown what is known in slices, the first within the call", async () => {
    const { seen, turn } = late();
    expect(seen).toEqual(["Added a at first", "Added b at first"]);
    await turn();
    expect(seen.slice(2)).toEqual(["Added c at first", "Added d at first"]);
  });

  test("is shown an object that changes before its slice as it was, and once only", async () => {
    const { delivery, seen, objects, turn } = late();
    objects.set("d", "d2").delete("c");
    delivery.emit([event("Updated", "d", "d2", "d"), event("Deleted", "c")]);
    await turn();
    expect(seen.slice(2)).toEqual(["Added d at first", "Updated d2", "Added c at first", "Deleted c"]);
  });

  test("gets an object that is new again by its own event alone", async () => {
    const { delivery, seen, turn } = late();
    delivery.emit([event("Added", "c", "c2")]);
    await turn();
    expect(seen.slice(2)).toEqual(["Added c2", "Added d at first"]);
  });

  test("gets nothing more once its subscription ends", async () => {
    const { delivery, seen, subscription, turn } = late();
    subscription[Symbol.dispose]();
    delivery.emit([event("Updated", "a")]);
    await turn();
    expect(seen).toHaveLength(2);
  });
});

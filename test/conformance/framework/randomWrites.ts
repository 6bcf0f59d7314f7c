import fc from "fast-check";
import { type AskOptions, apply, create, edit, jsonPatch, mergePatch, type Step, strategicPatch } from "./requests.ts";

/** Random sequences of writes by several field managers to one object. */

type Fields = Record<string, unknown>;

export interface Writable {
  /** Plural name of the resource. */
  resource: string;
  /** What any manager may want to be so: a part of the object, without its name. */
  wishes: fc.Arbitrary<Fields>;
  /** What has to be in the object so that the server takes it. */
  base: Fields;
  /** Operations of JSON patches. */
  operations: fc.Arbitrary<object>;
  /** Wishes that only make sense in a strategic merge patch; none for custom resources, which have no such patch. */
  directives?: fc.Arbitrary<Fields>;
  /** What may be patched through the status subresource. */
  statuses?: fc.Arbitrary<Fields>;
}

/** One to ten writes, the first of which creates the object. `{object}` is its name. */
export function writesTo({ resource, wishes, base, operations, directives, statuses }: Writable): fc.Arbitrary<Step[]> {
  const path = `${resource}/{object}`;
  const manager = fc.constantFrom("alpha", "beta", "gamma");
  const by = manager.map((name): AskOptions => ({ manager: name }));
  const whole = fc.tuple(wishes, fc.boolean()).map(([wish, withBase]) => (withBase ? merged(base, wish) : wish));

  const applied = fc
    .tuple(whole, by, fc.boolean())
    .map(([wish, options, force]): Step => apply(path, wish, { ...options, ...(force ? { force } : {}) }));
  const others: fc.Arbitrary<Step>[] = [
    fc.tuple(wishes, by).map(([wish, options]): Step => edit(path, wish, options)),
    fc.tuple(wishes, by).map(([wish, options]): Step => mergePatch(path, wish, options)),
    fc
      .tuple(fc.array(operations, { minLength: 1, maxLength: 3 }), by)
      .map(([list, options]): Step => jsonPatch(path, list, options)),
  ];
  if (directives !== undefined) {
    others.push(
      fc.tuple(fc.oneof(wishes, directives), by).map(([wish, options]): Step => strategicPatch(path, wish, options)),
    );
  }
  if (statuses !== undefined) {
    others.push(
      fc.tuple(statuses, by).map(([status, options]): Step => mergePatch(`${path}/status`, { status }, options)),
    );
    others.push(
      fc
        .tuple(statuses, by, fc.boolean())
        .map(([status, options, force]): Step => apply(`${path}/status`, { status }, { ...options, force })),
    );
  }
  const forgotten = fc.constant<Step>(mergePatch(path, { metadata: { managedFields: [{}] } }));
  const created = fc.tuple(wishes, by, fc.boolean()).map(([wish, options, asApply]): Step => {
    const object = merged(base, wish);
    return asApply
      ? apply(path, object, options)
      : create(resource, merged(object, { metadata: { name: "{object}" } }), options);
  });
  const write = fc.oneof(
    { weight: 10, arbitrary: applied },
    { weight: 10, arbitrary: fc.oneof(...others) },
    { weight: 1, arbitrary: forgotten },
  );
  return fc.tuple(created, fc.array(write, { minLength: 1, maxLength: 9 })).map(([first, rest]) => [first, ...rest]);
}

function merged(target: Fields, source: Fields): Fields {
  const result: Fields = { ...target };
  for (const [name, value] of Object.entries(source)) {
    const before = result[name];
    result[name] = isMap(before) && isMap(value) ? merged(before, value) : value;
  }
  return result;
}

function isMap(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

import { expect, test } from "vitest";
import { FIELD_MANAGER, HASH_ANNOTATION, type OwnerRef, OWNER_ANNOTATION, refKey } from "../apis/index.ts";
import { reowned } from "../desiredstate/index.ts";
import { CONFIG_REF, OWNER, OWNER_KEY, row, seen } from "./testing/builders.ts";
import { DesiredStateTable, isInSync } from "./table.ts";

const OTHER: OwnerRef = { ...OWNER, name: "elder", uid: "app-0" };
const CLUSTER = "shanghai-1";

/** A row as a plan makes it for that owner. */
function dependency(owner: OwnerRef) {
  const base = row({ role: "dependency", owner });
  return { ...base, ...reowned(base.object, owner) };
}

/** As the member's watch reports it after that owner's manager has applied it. */
function appliedBy(owner: OwnerRef) {
  const marks = { [`f:${OWNER_ANNOTATION}`]: {}, [`f:${HASH_ANNOTATION}`]: {} };
  const fieldsV1 = { "f:data": { "f:key": {} }, "f:metadata": { "f:annotations": marks } };
  const managedFields = [{ manager: FIELD_MANAGER, operation: "Apply" as const, fieldsType: "FieldsV1", fieldsV1 }];
  return seen({ owner, hash: dependency(owner).hash, evidence: { managedFields } });
}

function tableWith(keeps: () => boolean) {
  const changed: string[] = [];
  const table = new DesiredStateTable(
    { entryChanged: ({ key }) => void changed.push(key), ownerChanged: () => undefined },
    keeps,
  );
  const entry = () => {
    const found = table.get(CLUSTER, refKey(CONFIG_REF));
    if (found === undefined) throw new Error("no entry");
    return found;
  };
  return { table, entry, changed };
}

const plan = { release: "Delete", monotonic: 0 } as const;

test("a dependency in the name of an object that another manager carries is right as that one's", () => {
  const { table, entry } = tableWith(() => true);
  table.observe(CLUSTER, CONFIG_REF, appliedBy(OTHER), 0);
  table.replace(OWNER_KEY, [dependency(OWNER)], plan);
  expect(entry().desired).toMatchObject({ owner: OTHER, hash: dependency(OTHER).hash });
  expect(isInSync(entry())).toBe(true);
});

test("it is taken into our own name when that object needs it no more", () => {
  let keeps = true;
  const { table, entry, changed } = tableWith(() => keeps);
  table.observe(CLUSTER, CONFIG_REF, appliedBy(OTHER), 0);
  table.replace(OWNER_KEY, [dependency(OWNER)], plan);
  changed.length = 0;
  table.reconsider(refKey(OTHER), 0);
  expect(changed).toEqual([]);
  keeps = false;
  table.reconsider(refKey(OTHER), 0);
  expect(changed).toEqual([refKey(CONFIG_REF)]);
  expect(entry().desired?.owner).toEqual(OWNER);
  expect(isInSync(entry())).toBe(false);
});

test("what an application renders is never anybody else's", () => {
  const { table, entry } = tableWith(() => true);
  table.observe(CLUSTER, CONFIG_REF, seen({ owner: OTHER }), 0);
  table.replace(OWNER_KEY, [row({ hash: "h2" })], plan);
  expect(entry().desired).toMatchObject({ owner: OWNER, hash: "h2" });
});

test("an object in another's name is what that one's own plan would make it, and is not changed itself", () => {
  const mine = dependency(OWNER);
  const before = structuredClone(mine.object);
  const theirs = reowned(mine.object, OTHER);
  expect(theirs).toEqual(reowned(row().object, OTHER));
  expect(theirs.object.metadata.annotations).toEqual({
    [OWNER_ANNOTATION]: expect.stringContaining("elder") as string,
    [HASH_ANNOTATION]: theirs.hash,
  });
  expect(mine.object).toEqual(before);
});

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import {
  claimed,
  classOf,
  finalizerOf,
  holdersOf,
  isResponsible,
  type Ownership,
  ownershipOf,
  unclaimed,
} from "./ownership.ts";
import { CONTROLLER_CLASS_LABEL } from "./wellknown.ts";

const BASE = "federation.paas.cmft.com/member-objects";
const V2 = `${BASE}.v2`;
const V3 = `${BASE}.v3`;
const FOREIGN = "example.com/backup";

interface Given {
  named?: string;
  finalizers?: string[];
  deleted?: boolean;
}

function metadata({ named, finalizers = [], deleted = false }: Given) {
  return {
    ...(named === undefined ? {} : { labels: { [CONTROLLER_CLASS_LABEL]: named } }),
    ...(finalizers.length === 0 ? {} : { finalizers }),
    ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  };
}

describe("the class of an object", () => {
  test.each([
    [undefined, "default"],
    ["", "default"],
    ["default", "default"],
    ["v2", "v2"],
  ])("that names %s is %s", (named, want) => {
    expect(classOf(metadata(named === undefined ? {} : { named }))).toBe(want);
  });

  test("has a finalizer of its own, the default class that of always", () => {
    expect(finalizerOf(BASE, "default")).toBe(BASE);
    expect(finalizerOf(BASE, "v2")).toBe(V2);
    expect(holdersOf(BASE, { finalizers: [FOREIGN, V2, BASE, `${BASE}-of-others`, `${BASE}.Not a name`] })).toEqual([
      "v2",
      "default",
    ]);
  });
});

describe("the ownership of an object", () => {
  interface Case extends Given {
    name: string;
    /** Of the managers of the default class, of v2, and of one that serves both. */
    want: [old: Ownership, v2: Ownership, both: Ownership];
  }
  test.each<Case>([
    { name: "a new object is its class's", want: ["Owned", "Foreign", "Owned"] },
    { name: "a new object that names v2", named: "v2", want: ["Foreign", "Owned", "Owned"] },
    { name: "a new object of a class without a manager", named: "v3", want: ["Foreign", "Foreign", "Foreign"] },
    { name: "settled", finalizers: [BASE], want: ["Owned", "Foreign", "Owned"] },
    { name: "settled with v2", named: "v2", finalizers: [FOREIGN, V2], want: ["Foreign", "Owned", "Owned"] },
    {
      name: "relabelled: the owner goes on, the next class prepares",
      named: "v2",
      finalizers: [BASE],
      want: ["Yielding", "Claimable", "Owned"],
    },
    {
      name: "relabelled to a class without a manager: it stays where it is",
      named: "v3",
      finalizers: [FOREIGN, BASE],
      want: ["Yielding", "Foreign", "Yielding"],
    },
    { name: "claimed", named: "v2", finalizers: [V2, BASE], want: ["Yielded", "Owned", "Owned"] },
    {
      name: "rolled back before the first one had let go",
      finalizers: [V2, BASE],
      want: ["Claimable", "Yielding", "Owned"],
    },
    { name: "rolled back after that", finalizers: [V2], want: ["Claimable", "Yielding", "Owned"] },
    {
      name: "relabelled on to a third one before the first had let go",
      named: "v3",
      finalizers: [V2, BASE],
      want: ["Yielded", "Yielding", "Yielding"],
    },
    {
      name: "deleted before anybody claimed the object",
      named: "v2",
      finalizers: [BASE],
      deleted: true,
      want: ["Owned", "Foreign", "Owned"],
    },
    {
      name: "deleted after that",
      named: "v2",
      finalizers: [V2, BASE],
      deleted: true,
      want: ["Yielded", "Owned", "Owned"],
    },
    {
      name: "rolled back and deleted: the owner finishes the deletion",
      finalizers: [V2, BASE],
      deleted: true,
      want: ["Yielded", "Owned", "Owned"],
    },
    {
      name: "deleted, with every finalizer taken off",
      named: "v2",
      deleted: true,
      want: ["Foreign", "Owned", "Owned"],
    },
  ])("$name", ({ want, ...given }) => {
    const classes = [["default"], ["v2"], ["default", "v2"]].map((names) => new Set(names));
    expect(classes.map((one) => ownershipOf(BASE, metadata(given), one))).toEqual(want);
  });
});

describe("the finalizers", () => {
  interface Case extends Given {
    name: string;
    classes?: string[];
    want: string[];
  }
  test.each<Case>([
    { name: "of a new object come after those of others", finalizers: [FOREIGN], want: [FOREIGN, BASE] },
    {
      name: "of the next class go in front",
      named: "v2",
      classes: ["v2"],
      finalizers: [FOREIGN, BASE],
      want: [FOREIGN, V2, BASE],
    },
    { name: "of one that comes back go in front", finalizers: [V2, FOREIGN, BASE], want: [BASE, V2, FOREIGN] },
    { name: "of a manager that serves both are exchanged", classes: ["default", "v2"], finalizers: [V2], want: [BASE] },
    {
      name: "of a manager that adopted a class whose release is gone hold nothing back",
      named: "v2",
      classes: ["v2", "default"],
      finalizers: [V2, BASE],
      want: [V2],
    },
    { name: "of a third class stay", named: "v2", classes: ["v2"], finalizers: [V3], want: [V2, V3] },
  ])("$name", ({ classes = ["default"], want, ...given }) => {
    expect(claimed(BASE, metadata(given), new Set(classes))).toEqual(want);
  });

  test("that are right are the same array, so that nobody writes them", () => {
    const finalizers = [V2, BASE];
    expect(claimed(BASE, metadata({ named: "v2", finalizers }), new Set(["v2"]))).toBe(finalizers);
  });

  test("go class by class", () => {
    expect(unclaimed(BASE, { finalizers: [FOREIGN, V2, BASE] }, new Set(["default"]))).toEqual([FOREIGN, V2]);
    expect(unclaimed(BASE, { finalizers: [BASE, V2] }, new Set(["default", "v2"]))).toEqual([]);
  });
});

/** Of an object, on members; they are deleted one after the other. */
const PARTS = 2;

/** The object on the hub and what of it runs on members. */
interface World {
  exists: boolean;
  named: string;
  finalizers: string[];
  deleted: boolean;
  /** How many of its objects are on members. */
  onMembers: number;
  writes: number;
  /** Who deleted any of them. */
  deleters: Set<string>;
}

type Seen = Pick<World, "exists" | "named" | "finalizers" | "deleted">;

/** A manager that reads, decides on what it last read, and writes under the condition that the finalizers are still those. */
class Manager {
  readonly name: string;
  #seen: Seen | undefined;
  #knowsMember = false;

  constructor(name: string) {
    this.name = name;
  }

  observe({ exists, named, finalizers, deleted }: World): void {
    this.#seen = { exists, named, finalizers: [...finalizers], deleted };
  }

  observeMember(): void {
    this.#knowsMember = true;
  }

  crash(): void {
    this.#seen = undefined;
    this.#knowsMember = false;
  }

  act(world: World): void {
    const seen = this.#seen;
    if (seen?.exists !== true) return;
    const meta = metadata({ ...seen, deleted: seen.deleted });
    const classes = new Set([this.name]);
    const ownership = ownershipOf(BASE, meta, classes);
    if (ownership === "Yielded") return this.#write(world, seen, unclaimed(BASE, meta, classes));
    if (ownership === "Claimable") {
      if (this.#knowsMember || world.onMembers === 0) this.#write(world, seen, claimed(BASE, meta, classes));
      return;
    }
    if (!isResponsible(ownership)) return;
    if (seen.deleted) return this.#finalize(world, seen, unclaimed(BASE, meta, classes));
    if (ownership === "Owned" && claimed(BASE, meta, classes) !== meta.finalizers)
      return this.#write(world, seen, claimed(BASE, meta, classes));
    world.onMembers = PARTS;
    this.#knowsMember = true;
  }

  #finalize(world: World, seen: Seen, next: readonly string[]): void {
    if (!this.#knowsMember) return;
    if (world.onMembers > 0) {
      world.onMembers -= 1;
      world.deleters.add(this.name);
    } else {
      this.#write(world, seen, next);
    }
  }

  #write(world: World, seen: Seen, next: readonly string[]): void {
    const changed = world.finalizers.join() !== seen.finalizers.join();
    const adds = next.some((one) => !world.finalizers.includes(one));
    // As the API server: no finalizer comes after a deletion.
    if (!world.exists || changed || (world.deleted && (adds || !seen.deleted))) return;
    world.writes += 1;
    world.finalizers = [...next];
    if (world.deleted && next.length === 0) world.exists = false;
  }
}

type Step =
  | { do: "observe" | "observeMember" | "act" | "crash"; who: 0 | 1 }
  | { do: "label"; named: string }
  | { do: "delete" };

const who = fc.constantFrom<0 | 1>(0, 1);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constantFrom("observe" as const, "act" as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("observeMember" as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("crash" as const), who }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("label" as const), named: fc.constantFrom("default", "v2") }) },
);
const life = fc.tuple(
  fc.array(step, { maxLength: 60 }),
  fc.option(fc.constant<Step>({ do: "delete" })),
  fc.array(step, { maxLength: 40 }),
);

function play(world: World, managers: readonly [Manager, Manager], steps: readonly Step[]): void {
  for (const one of steps) {
    if (one.do === "label") {
      world.named = one.named;
    } else if (one.do === "delete") {
      world.deleted = true;
      if (world.finalizers.length === 0) world.exists = false;
    } else {
      const manager = managers[one.who];
      if (one.do === "observe") manager.observe(world);
      else if (one.do === "act") manager.act(world);
      else if (one.do === "crash") manager.crash();
      else manager.observeMember();
    }
  }
}

describe("two managers, in whatever order they read, write, crash and the object is relabelled", () => {
  const settle: Step[] = [0, 1].flatMap((one) => {
    const by = one as 0 | 1;
    return [
      { do: "observe", who: by },
      { do: "observeMember", who: by },
      { do: "act", who: by },
    ] satisfies Step[];
  });

  property.prop([life], { numRuns: 1_000 })(
    "never lose the object, and settle with one",
    ([before, end, after]) => {
      const world: World = {
        exists: true,
        named: "default",
        finalizers: [],
        deleted: false,
        onMembers: 0,
        writes: 0,
        deleters: new Set(),
      };
      const managers = [new Manager("default"), new Manager("v2")] as const;
      let placed = 0;
      for (const one of [...before, ...(end === null ? [] : [end]), ...after]) {
        play(world, managers, [one]);
        if (!world.deleted && world.onMembers < placed) expect.fail("something was taken from a living object");
        placed = world.onMembers;
      }
      for (let round = 0; round < 16; round++) play(world, managers, settle);
      const settled = structuredClone(world);
      play(world, managers, settle);
      expect(world, "nobody writes any more").toEqual(settled);
      expect(world.deleters.size, "one cleans up").toBeLessThanOrEqual(1);
      if (end === null) {
        expect(world.onMembers).toBe(PARTS);
        expect(holdersOf(BASE, world), "the class that the object names owns it").toEqual([world.named]);
      } else {
        expect(world.exists, "nobody holds back what is deleted").toBe(false);
        expect(world.onMembers, "nothing of it stays").toBe(0);
      }
    },
    30_000,
  );
});

import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { endedNotes, type EndedTrouble, EndedTroubles } from "./endedTroubles.ts";

const object = (name: string): EndedTrouble["object"] => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  namespace: "default",
  name,
  uid: `${name}-uid`,
});
const at = (second: number): string =>
  `2026-11-21T08:${String(Math.floor(second / 60)).padStart(2, "0")}:${String(second % 60).padStart(2, "0")}Z`;

function ended(name: string, cluster: string, second: number, more: Partial<EndedTrouble> = {}): EndedTrouble {
  const times = { since: at(Math.max(0, second - 30)), until: at(second) };
  return {
    object: object(name),
    cluster,
    reason: "ImagePullBackOff",
    message: "",
    ending: "Healthy",
    ...times,
    ...more,
  };
}

/** Object, cluster and time of each trouble. */
const shown = (list: readonly EndedTrouble[]): string[] =>
  list.map(({ object: { name }, cluster, until }) => `${name} ${cluster} ${until.slice(14, 19)}`);

describe("the list of troubles that are over", () => {
  test("has the newest first, of all objects and of one", () => {
    const list = new EndedTroubles();
    for (const one of [ended("a", "x", 20), ended("b", "x", 30), ended("a", "y", 40)]) list.add(one);
    expect(shown(list.list())).toEqual(["a y 00:40", "b x 00:30", "a x 00:20"]);
    expect(shown(list.list(object("a")))).toEqual(["a y 00:40", "a x 00:20"]);
    expect(list.list(object("c"))).toEqual([]);
  });

  test("keeps two lives of one name apart", () => {
    const list = new EndedTroubles();
    list.add(ended("a", "x", 20));
    expect(list.list({ ...object("a"), uid: "second" })).toEqual([]);
  });

  test("counts a trouble that comes and goes, and has its last times", () => {
    const list = new EndedTroubles();
    list.add(ended("a", "x", 30));
    list.add(ended("a", "x", 90));
    expect(list.add(ended("a", "x", 60))).toMatchObject({ times: 3, since: at(60), until: at(90) });
    expect(list.size).toBe(1);
  });

  const arbitraryEnds = fc.uniqueArray(
    fc.record({ name: fc.constantFrom("a", "b", "c"), cluster: fc.nat(9).map(String), second: fc.nat(300) }),
    { selector: ({ name, cluster }) => `${name} ${cluster}`, maxLength: 30 },
  );
  const bounds = { perObject: 4, whole: 8 };

  property.prop([arbitraryEnds, fc.infiniteStream(fc.nat())])(
    "holds the newest of each object and of all, in whichever order they come",
    (ends, order) => {
      const troubles = ends.map(({ name, cluster, second }) => ended(name, cluster, second));
      const shuffled = troubles
        .map((one) => ({ one, rank: order.next().value ?? 0 }))
        .toSorted((a, b) => a.rank - b.rank);
      const [straight, mixed] = [new EndedTroubles(bounds), new EndedTroubles(bounds)];
      for (const one of troubles) straight.add(one);
      for (const { one } of shuffled) mixed.add(one);
      expect(mixed.list()).toEqual(straight.list());
      // All of them, the newest first, less what does not fit of an object, less what does not fit at all.
      const all = new EndedTroubles({ perObject: 100, whole: 100 });
      for (const one of troubles) all.add(one);
      const counts = new Map<string, number>();
      const fitting = all.list().filter(({ object: { name } }) => {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        return count <= bounds.perObject;
      });
      expect(straight.list()).toEqual(fitting.slice(0, bounds.whole));
      expect(straight.size).toBe(straight.list().length);
    },
  );
});

describe("the note of an end says what, where and how long", () => {
  const noteOf = (...troubles: EndedTrouble[]): string[] =>
    endedNotes(troubles.map((one) => ({ ...one, times: 1 }))).map(({ note }) => note);

  test.each<{ name: string; troubles: EndedTrouble[]; want: string[] }>([
    {
      name: "with all clusters of one cause, and the longest of them",
      troubles: [
        ended("a", "y", 90, { since: at(30), message: "no such image" }),
        ended("a", "x", 90, { since: at(80) }),
        ended("a", "z", 90, { reason: "QuotaExceeded" }),
      ],
      want: [
        "healthy again on x, y (ImagePullBackOff for 60s, no such image)",
        "healthy again on z (QuotaExceeded for 30s)",
      ],
    },
    {
      name: "where the object went from a cluster",
      troubles: [ended("a", "x", 90, { ending: "Left" })],
      want: ["no longer on x (ImagePullBackOff for 30s)"],
    },
    {
      name: "of an object as a whole",
      troubles: [ended("a", "x", 90, { ending: "Over", reason: "NoPlacement", message: "no Placement selects it" })],
      want: ["over: NoPlacement for 30s, no Placement selects it"],
    },
    {
      name: "of a cluster that did not answer",
      troubles: [ended("a", "x", 90, { ending: "Contact", reason: "ClusterUnreachable", message: "refused" })],
      want: ["contact regained after 30s: ClusterUnreachable, refused"],
    },
    {
      name: "of a deletion that waited",
      troubles: [ended("a", "x", 90, { ending: "Deleted", reason: "DeletionWaits", message: "waits for x" })],
      want: ["gone from every cluster 30s after it was deleted; it said: waits for x"],
    },
    {
      name: "as far as the times are known",
      troubles: [ended("a", "x", 90, { since: "" })],
      want: ["healthy again on x (ImagePullBackOff)"],
    },
  ])("$name", ({ troubles, want }) => expect(noteOf(...troubles)).toEqual(want));

  test("with the number of clusters that it has no room for", () => {
    const many = Array.from({ length: 23 }, (_, index) => ended("a", `r${index + 10}`, 90));
    expect(noteOf(...many)).toEqual([expect.stringMatching(/^healthy again on r10, .*r29 and 3 more \(/)]);
  });

  test("with how often, where a trouble came and went", () => {
    const [{ note } = { note: "" }] = endedNotes([{ ...ended("a", "x", 90), times: 5 }]);
    expect(note).toBe("healthy again on x (ImagePullBackOff for 30s, 5 times)");
  });
});

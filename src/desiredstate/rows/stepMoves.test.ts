import { describe, expect, test } from "vitest";
import { app, copy, facts, placement, singapore, targetOf } from "../testing/builders.ts";
import { everywhere, inChina, named, observed, rowsOf, target, texts } from "../testing/steps.ts";
import type { Observation, StepInput } from "../types.ts";

describe("a move", () => {
  const moved = (more: Partial<StepInput> = {}): string[] =>
    texts({ target: target({ placements: [inChina] }), ...more }).filter((text) => !text.startsWith("Apply"));
  const replicas = (available: number) => ({ desired: 2, updated: 2, ready: available, available });
  const available = { health: { state: "Available" as const, replicas: replicas(2) } };
  const old = [copy("singapore-1", "Deployment", available), copy("singapore-1", "Service")];
  const there = [copy("shanghai-1", "Deployment", available), copy("shanghai-1", "Service")];
  const stays = ["Service", "Deployment"].map((kind) => `Hold singapore-1 ${kind}/nginx-demo AwaitingReplacement`);
  const goes = ["Service", "Deployment"].map((kind) => `Delete singapore-1 ${kind}/nginx-demo NotSelected`);
  const unheard = new Map([
    ["singapore-1", { synced: true }],
    ["shanghai-1", { synced: false }],
  ]);

  test.each<{ name: string; copies: Observation[]; more?: Partial<StepInput>; want: string[] }>([
    {
      name: "takes the old copy and its Service when the new one is available",
      copies: [...old, ...there],
      want: goes,
    },
    { name: "leaves both while nothing is where the object is to be", copies: old, want: stays },
    {
      name: "leaves both while the new copy is not available",
      copies: [...old, copy("shanghai-1", "Deployment", { health: { state: "Progressing", replicas: replicas(1) } })],
      want: stays,
    },
    {
      name: "leaves both while only half of the new copy is there",
      copies: [...old, ...there.slice(0, 1)],
      want: stays,
    },
    {
      name: "leaves both while the new copy is on its way out",
      copies: [...old, copy("shanghai-1", "Deployment", { ...available, deleting: true }), ...there.slice(1)],
      want: stays,
    },
    {
      name: "leaves both while nobody hears from the new copy",
      copies: [...old, ...there],
      more: { removal: facts({ clusters: unheard }) },
      want: stays,
    },
    {
      name: "leaves both while the new copy is of no replicas",
      copies: [
        ...old,
        copy("shanghai-1", "Deployment", { health: { state: "Available", replicas: replicas(0) } }),
        ...there.slice(1),
      ],
      want: stays,
    },
    {
      name: "takes an old copy that serves nobody at once",
      copies: [
        copy("singapore-1", "Deployment", { health: { state: "Failed", replicas: replicas(0) } }),
        ...old.slice(1),
      ],
      want: goes,
    },
    {
      name: "leaves an old copy that serves in part",
      copies: [
        copy("singapore-1", "Deployment", { health: { state: "Degraded", replicas: replicas(1) } }),
        ...old.slice(1),
      ],
      want: stays,
    },
    {
      name: "to no replicas takes the old copy at once",
      copies: old,
      more: { target: target({ placements: [inChina], object: app({ replica: 0 }) }) },
      want: goes,
    },
    {
      name: "leaves copies on a cluster that is drained until there is a replacement",
      copies: old,
      more: {
        removal: facts({ clusters: new Map([["singapore-1", { synced: true, leaving: "Drain" as const }]]) }),
      },
      want: stays,
    },
  ])("$name", ({ copies, more, want }) => expect(moved({ observations: copies, ...more })).toEqual(want));

  test("from one of several clusters needs no more than that another one serves", () => {
    const both = placement("p", { clusterAffinities: [{ name: "g", clusterNames: ["shanghai-1", "frankfurt-1"] }] });
    expect(
      texts({ target: target({ placements: [both] }), observations: [...old, ...there] }).filter(
        (text) => !text.startsWith("Apply"),
      ),
    ).toEqual(goes);
  });

  test("says which clusters it waits for", () => {
    const rows = rowsOf({ target: target({ placements: [inChina] }), observations: old });
    const messages = rows.flatMap((row) => (row.verb === "Hold" ? [row.why.message] : []));
    expect(new Set(messages)).toEqual(new Set(["it serves until the object is available on shanghai-1"]));
  });

  test("a drained cluster is emptied where no other is chosen", () => {
    const leaving = { ...singapore, deleting: true };
    const nowhere = targetOf({ placements: [everywhere], clusters: [leaving] });
    const removal = facts({ clusters: new Map([["singapore-1", { synced: true, leaving: "Drain" as const }]]) });
    expect(texts({ target: nowhere, observations: old, removal })).toEqual(goes);
  });

  test("what is rendered no more goes where the object stays, whoever is available", () => {
    const left = observed("shanghai-1", named("Service", "old-name"));
    expect(moved({ observations: [left] })).toEqual(["Delete shanghai-1 Service/old-name NotSelected"]);
  });
});

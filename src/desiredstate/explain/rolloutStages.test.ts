import { expect, test } from "vitest";
import { stageAssignment } from "./rolloutStages.ts";
import { frankfurt, inRegion, shanghai, singapore } from "../testing/builders.ts";

const clusters = [frankfurt, shanghai, singapore];

test("every cluster is in the first stage that takes it, and overlaps and gaps are named", () => {
  const stages = [
    { name: "canary", targetClusters: { clusterNames: ["shanghai-1"] } },
    { name: "china", targetClusters: inRegion("cn-shanghai") },
    { name: "asia", targetClusters: inRegion("ap-southeast-1") },
  ];
  expect(stageAssignment({ stages }, clusters)).toEqual({
    names: ["canary", "china", "asia"],
    stages: new Map([
      ["shanghai-1", "canary"],
      ["singapore-1", "asia"],
    ]),
    overlapping: [{ cluster: "shanghai-1", stages: ["canary", "china"] }],
    unassigned: ["frankfurt-1"],
  });
});

test("a stage without a selector takes what no other does", () => {
  const stages = [{ name: "rest" }, { name: "asia", targetClusters: inRegion("ap-southeast-1") }];
  const { stages: assigned, unassigned, overlapping } = stageAssignment({ stages }, clusters) ?? {};
  expect(Object.fromEntries(assigned ?? [])).toEqual({
    "frankfurt-1": "rest",
    "shanghai-1": "rest",
    "singapore-1": "asia",
  });
  expect({ unassigned, overlapping }).toEqual({ unassigned: [], overlapping: [] });
});

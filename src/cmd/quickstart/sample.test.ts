import { describe, expect, test } from "vitest";
import { parseObject, type Placement } from "../../apis/index.ts";
import { loadSample, readSample, sampleFor } from "./sample.ts";

const PLACEMENT = `
apiVersion: federation.paas.cmft.com/v1alpha1
kind: Placement
metadata: {name: everywhere, namespace: shop}
spec:
  resourceSelectors: [{apiVersion: paas.cmft.com/v1, kind: DemoApplication, name: web}]
  clusterAffinities:
    - name: all
      labelSelector:
        matchExpressions:
          - {key: topology.kubernetes.io/region, operator: In, values: [north, south]}
          - {key: tier, operator: In, values: [edge]}
`;
const APPLICATION = `
apiVersion: paas.cmft.com/v1
kind: DemoApplication
metadata: {name: web}
spec: {image: nginx}
`;

describe("the sample of placements/", () => {
  test("has twelve regions, beginning with the four of a plain quickstart", async () => {
    const { regions } = await loadSample();
    expect(regions).toHaveLength(12);
    expect(regions.slice(0, 4)).toEqual(["cn-shanghai", "ap-southeast-1", "eu-central-1", "us-east-1"]);
  });

  test("holds objects that Meridian takes, the application last", async () => {
    const { objects } = await loadSample();
    for (const object of objects) expect(parseObject(object)).toMatchObject({ ok: true });
    expect(objects.at(-1)).toMatchObject({ kind: "DemoApplication", metadata: { name: "nginx-demo" } });
    expect(objects.filter(({ kind }) => kind === "DemoApplication")).toHaveLength(1);
  });
});

describe("reading", () => {
  test("puts policies first, and objects without a namespace into default", () => {
    const { objects } = readSample([APPLICATION, `# nothing but a comment\n`, PLACEMENT]);
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.namespace}/${metadata.name}`)).toEqual([
      "Placement shop/everywhere",
      "DemoApplication default/web",
    ]);
  });

  test("takes the regions from the selector on the region's label only", () => {
    expect(readSample([PLACEMENT]).regions).toEqual(["north", "south"]);
  });
});

describe("regions that nobody thought of", () => {
  test("are added to the Placement, and the sample that was given stays", () => {
    const sample = readSample([PLACEMENT, APPLICATION]);
    const { objects, regions } = sampleFor(sample, ["south", "moon", "moon"]);
    expect(regions).toEqual(["north", "south", "moon"]);
    const expressions = (objects[0] as unknown as Placement).spec.clusterAffinities?.[0]?.labelSelector
      ?.matchExpressions;
    expect(expressions?.map(({ values }) => values)).toEqual([["north", "south", "moon"], ["edge"]]);
    expect(readSample([PLACEMENT, APPLICATION])).toEqual(sample);
  });

  test("change nothing when all are listed", () => {
    const sample = readSample([PLACEMENT]);
    expect(sampleFor(sample, ["north"])).toBe(sample);
  });
});

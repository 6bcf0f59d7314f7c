import { type KubeObject, parseYamlDocuments, type Placement, REGION_LABEL } from "../../apis/index.ts";
import { CommandError, shippedYaml } from "../shared/index.ts";

/** Beside the bundled program, and seen from the sources. */
const PLACES = ["./placements/", "../../../placements/"];

/** The policies and the application of `placements/`. */
export interface Sample {
  /** Policies come first, so that the application is placed once and for all. */
  objects: readonly KubeObject[];
  /** In the order of the Placement. */
  regions: readonly string[];
}

export async function loadSample(): Promise<Sample> {
  const texts = await shippedYaml(PLACES, import.meta.url);
  if (texts.length === 0) throw new CommandError("this copy of Meridian lacks its placements: install it anew");
  return readSample(texts);
}

/** As in kubectl, namespaced objects without a namespace go to `default`. */
export function readSample(texts: readonly string[]): Sample {
  const objects = texts
    .flatMap((text) => parseYamlDocuments(text).map(({ value }) => value as KubeObject | null))
    .filter((object) => object !== null)
    .map((object): KubeObject => ({ ...object, metadata: { namespace: "default", ...object.metadata } }));
  const isApplication = ({ kind }: KubeObject): boolean => kind === "DemoApplication";
  return {
    objects: [...objects.filter((object) => !isApplication(object)), ...objects.filter(isApplication)],
    regions: [...new Set(objects.filter(isPlacement).flatMap(listedRegions))],
  };
}

/** The sample with these regions in its Placement, too. */
export function sampleFor(sample: Sample, regions: readonly string[]): Sample {
  const missing = [...new Set(regions)].filter((region) => !sample.regions.includes(region));
  if (missing.length === 0) return sample;
  const objects = sample.objects.map((object) => (isPlacement(object) ? withRegions(object, missing) : object));
  return { objects, regions: [...sample.regions, ...missing] };
}

type PlacementObject = KubeObject & Pick<Placement, "spec">;

function isPlacement(object: KubeObject): object is PlacementObject {
  return object.kind === "Placement";
}

function listedRegions({ spec }: PlacementObject): string[] {
  return (spec.clusterAffinities ?? []).flatMap(({ labelSelector }) =>
    (labelSelector?.matchExpressions ?? []).flatMap(({ key, values }) => (key === REGION_LABEL ? (values ?? []) : [])),
  );
}

function withRegions(placement: PlacementObject, regions: readonly string[]): KubeObject {
  const copy = structuredClone(placement);
  for (const { labelSelector } of copy.spec.clusterAffinities ?? []) {
    for (const expression of labelSelector?.matchExpressions ?? []) {
      if (expression.key === REGION_LABEL) expression.values = [...(expression.values ?? []), ...regions];
    }
  }
  return copy;
}

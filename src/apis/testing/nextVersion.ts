import { z } from "zod";
import type { Conversion } from "../conversion/conversion.ts";
import { type ConvertedVersion, type KindDefinition, KINDS, type KindVersion } from "../served/kinds.ts";
import type { KubeObject } from "../metadata/meta.ts";
import { takeRemainder, withRemainder } from "../conversion/remainder.ts";
import { FEDERATION_GROUP } from "../metadata/wellknown.ts";

/**
 * A version that the federation kinds may have one day: one field of the spec and one of the status have another name, and the spec has a
 * field that v1alpha1 cannot hold. For tests of the way there; no manager serves it.
 */
export const NEXT_VERSION = "v1alpha2";
export const NEXT_API_VERSION = `${FEDERATION_GROUP}/${NEXT_VERSION}`;
/** On a v1alpha1 object: the fields of v1alpha2 that it cannot hold. */
export const NEXT_ANNOTATION = `${FEDERATION_GROUP}/${NEXT_VERSION}-fields`;

type Renamed = readonly [before: string, after: string];
interface Changes {
  spec: Renamed;
  status: Renamed;
}
type Fields = Readonly<Record<string, unknown>>;

const CHANGES: Readonly<Record<string, Changes>> = {
  ManifestBundle: { spec: ["compressed", "archive"], status: ["availableClusters", "available"] },
  MemberCluster: { spec: ["provider", "operator"], status: ["kubernetesVersion", "version"] },
  Placement: { spec: ["suspend", "paused"], status: ["matchedObjects", "objects"] },
  ClusterPlacement: { spec: ["suspend", "paused"], status: ["matchedObjects", "objects"] },
  OverridePolicy: { spec: ["rules", "overrides"], status: ["matchedObjects", "objects"] },
  ClusterOverridePolicy: { spec: ["rules", "overrides"], status: ["matchedObjects", "objects"] },
  ResourceBinding: { spec: ["resource", "subject"], status: ["availableClusters", "available"] },
  ClusterResourceBinding: { spec: ["resource", "subject"], status: ["availableClusters", "available"] },
};

/** Every kind of Meridian, the federation kinds also in v1alpha2. */
export const KINDS_WITH_NEXT: readonly KindDefinition[] = KINDS.map((kind) => {
  const changes = CHANGES[kind.kind];
  if (kind.group !== FEDERATION_GROUP || changes === undefined) return kind;
  const [stored, ...others] = kind.versions;
  return { ...kind, versions: [stored, { ...next(stored, changes), conversion: between(changes) }, ...others] };
});

/** The same a release later, when v1alpha2 is stored and v1alpha1 is still served. */
export const KINDS_STORED_AS_NEXT: readonly KindDefinition[] = KINDS_WITH_NEXT.map((kind) => {
  const [before, after] = kind.versions;
  if (kind.group !== FEDERATION_GROUP || after === undefined) return kind;
  const { conversion, ...stored } = after;
  const reversed: Conversion = {
    toStored: (object) => conversion.fromStored(object),
    fromStored: (object) => conversion.toStored(object),
  };
  const other: ConvertedVersion = { ...before, conversion: reversed };
  return { ...kind, versions: [stored, other] };
});

function next(version: KindVersion, { spec, status }: Changes): KindVersion {
  const purpose = z.string().max(256).optional();
  const path = (text: string): string => text.replace(`.spec.${spec[0]}`, `.spec.${spec[1]}`);
  const { selectableFields = [] } = version;
  return {
    ...version,
    name: NEXT_VERSION,
    spec: z.object({ ...renamedShape(version.spec, spec), purpose }),
    status: z.object(renamedShape(version.status, status)),
    columns: version.columns.map((column) => ({
      ...column,
      jsonPath: path(column.jsonPath).replace(`.status.${status[0]}`, `.status.${status[1]}`),
    })),
    // Not the same list in both: the server wants one that all versions share in the CRD itself.
    selectableFields: [...selectableFields.map(path), ".spec.purpose"],
  };
}

function renamedShape(schema: z.ZodType, [before, after]: Renamed): z.core.$ZodLooseShape {
  const { [before]: field, ...rest } = (schema as z.ZodObject).shape;
  if (field === undefined) throw new Error(`there is no field ${before}`);
  return { ...rest, [after]: field };
}

function between({ spec, status }: Changes): Conversion {
  return {
    fromStored: (object) =>
      mapped(object, status, ({ metadata, spec: fields }) => {
        const remainder = takeRemainder(metadata, NEXT_ANNOTATION);
        const renamed = rename(fields, spec);
        return remainder === undefined
          ? { metadata, spec: renamed }
          : { metadata: remainder.metadata, spec: { ...purposeOf(remainder.spec), ...renamed } };
      }),
    toStored: (object) =>
      mapped(object, back(status), ({ metadata, spec: { purpose: _purpose, ...fields } }) => ({
        metadata: withRemainder(metadata, NEXT_ANNOTATION, purposeOf(object["spec"] as Fields)),
        spec: rename(fields, back(spec)),
      })),
  };
}

function purposeOf({ purpose }: Fields): Fields {
  return purpose === undefined ? {} : { purpose };
}

interface Whole {
  metadata: KubeObject["metadata"];
  spec: Fields;
}

/** The status by its own change, and the rest only where there is a spec: the server also asks for parts of objects. */
function mapped(object: KubeObject, status: Renamed, convert: (whole: Whole) => Whole): KubeObject {
  const seen = object["status"] as Fields | undefined;
  return {
    ...object,
    ...(object["spec"] === undefined ? {} : convert({ metadata: object.metadata, spec: object["spec"] as Fields })),
    ...(seen === undefined ? {} : { status: rename(seen, status) }),
  };
}

function rename(fields: Fields, [before, after]: Renamed): Fields {
  const { [before]: value, ...rest } = fields;
  return value === undefined ? fields : { ...rest, [after]: value };
}

function back([before, after]: Renamed): Renamed {
  return [after, before];
}

import { defined, parseJson } from "../../../apis/index.ts";
import {
  applyConfiguration,
  parentManagedFields,
  type ReplicasPaths,
  scaleManagedFields,
  trackWrite,
} from "../../fields/index.ts";
import { definitions } from "../../kinds/index.ts";
import { jsonPatch, mergePatch, strategicMergePatch } from "../../patch/index.ts";
import { badRequest, conflict, failure, invalid, notFound } from "../../statusError.ts";
import type { Json, KubeObject, Resource, ScalePaths, Schema } from "../../types.ts";
import { type Api, storedObject, type SubresourceForm, subjectOf, type Target } from "../api.ts";
import { apiVersionOf } from "../catalog/index.ts";
import { type Body, ofKindNamed, parseYaml, readBody } from "./input.ts";
import { APPLY, JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH } from "./patch.ts";
import { changeObject, checkName } from "./update.ts";

export const SCALE_VERSION = "autoscaling/v1";
const SCALE_SCHEMA: Schema = { $ref: "#/definitions/io.k8s.api.autoscaling.v1.Scale" };

/** A Scale is no resource, but its fields are tracked as if it were one. */
const SCALE: Resource = {
  group: "autoscaling",
  plural: "scales",
  singular: "scale",
  kind: "Scale",
  listKind: "ScaleList",
  shortNames: [],
  categories: [],
  namespaced: true,
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: SCALE_SCHEMA,
      columns: [],
      hasStatus: false,
      selectableFields: [],
    },
  ],
  definitions,
};

/** Computes the new Scale from the live one. */
export type ScaleChange = (live: KubeObject) => KubeObject;

/** The object's replicas as a Scale. Throws a StatusError 404. */
export async function readScale(api: Api, target: Target): Promise<KubeObject> {
  const { endpoint, name = "" } = target;
  const stored = storedObject(api, target, name);
  if (stored === undefined) throw notFound(subjectOf(target, name));
  const object = await api.conversion.convert(endpoint, stored, endpoint.apiVersion);
  const { specReplicasPath } = pathsOf(target);
  if (endpoint.resource.crd !== undefined && valueAt(object, specReplicasPath) === undefined) {
    const why = `the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`;
    throw failure(500, "InternalError", `Internal error occurred: ${why}`, { causes: [{ message: why }] });
  }
  return scaleOf(target, object);
}

/** Sets the replicas and returns the new Scale. Throws a StatusError. */
export async function writeScale(api: Api, target: Target, change: ScaleChange): Promise<KubeObject> {
  const { endpoint } = target;
  const paths = replicasPaths(endpoint.resource);
  const form: SubresourceForm = {
    of: (one) => scaleOf(target, one),
    taken: (scale, one) => withValueAt(one, pathsOf(target).specReplicasPath, replicasOf(scale)),
  };
  const { object } = await changeObject(api, { ...target, form }, (live) => {
    const scale = scaleOf(target, live, scaleManagedFields(live.metadata.managedFields, paths));
    const next = change(scale);
    if (next === scale) return Promise.resolve(live);
    checkName(target, next);
    checkScale(target, next, live);
    const replicas = replicasOf(next);
    const managedFields = parentManagedFields(
      live.metadata.managedFields,
      next.metadata.managedFields,
      endpoint.apiVersion,
      paths,
    );
    const { managedFields: _, ...metadata } = live.metadata;
    const scaled = withValueAt(live, pathsOf(target).specReplicasPath, replicas);
    return Promise.resolve({
      ...scaled,
      metadata: { ...metadata, ...defined({ managedFields }) },
    });
  });
  return scaleOf(target, object);
}

/** Reads a PUT of a Scale. Throws a StatusError 400. */
export function scaleReplacement(api: Api, target: Target, body: Body): ScaleChange {
  const value = readBody(body, { apiVersion: SCALE_VERSION, kind: "Scale" }, target.context);
  const submitted = ofKindNamed(api.catalog, value, SCALE_VERSION, "Scale");
  return (live) => trackedScale(api, target, live, submitted);
}

/** Reads a PATCH of a Scale, of any of the four types. Throws a StatusError. */
export function scalePatch(api: Api, target: Target, { type, text }: Body, force: boolean): ScaleChange {
  if (type === APPLY) {
    const config = parseYaml(text) as Json;
    return (live) =>
      applyConfiguration({
        live,
        config,
        force,
        manager: target.context.fieldManager,
        apiVersion: SCALE_VERSION,
        subresource: "scale",
        now: api.clock.now(),
        resource: SCALE,
      }).object;
  }
  const patch = (() => {
    try {
      return parseJson(text) as Json;
    } catch (cause) {
      throw badRequest(`error decoding patch: ${(cause as Error).message}`);
    }
  })();
  const patched = (live: Json): Json => {
    switch (type) {
      case JSON_PATCH:
        return jsonPatch(live, patch);
      case MERGE_PATCH:
        return mergePatch(live, patch);
      case STRATEGIC_MERGE_PATCH:
        return strategicMergePatch(live, patch, SCALE_SCHEMA, definitions);
      default:
        throw failure(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
    }
  };
  return (live) => {
    const value = patched(live as unknown as Json) as Readonly<Record<string, Json>>;
    return trackedScale(api, target, live, ofKindNamed(api.catalog, value, SCALE_VERSION, "Scale"));
  };
}

function trackedScale(api: Api, target: Target, live: KubeObject, submitted: KubeObject): KubeObject {
  return trackWrite({
    operation: "Update",
    live,
    submitted,
    manager: target.context.fieldManager,
    apiVersion: SCALE_VERSION,
    subresource: "scale",
    now: api.clock.now(),
    resource: SCALE,
  });
}

function checkScale(target: Target, scale: KubeObject, live: KubeObject): void {
  const { replicas } = (scale["spec"] ?? {}) as { replicas?: number };
  const { name } = scale.metadata;
  // The replicas of a custom resource are validated with the whole object.
  const isCustom = target.endpoint.resource.crd !== undefined;
  if (!isCustom && replicas !== undefined && (!Number.isInteger(replicas) || replicas < 0)) {
    throw invalid({ group: "autoscaling", kind: "Scale", name }, [
      {
        reason: "FieldValueInvalid",
        field: "spec.replicas",
        message: `Invalid value: ${replicas}: must be greater than or equal to 0`,
      },
    ]);
  }
  const { resourceVersion = "" } = scale.metadata;
  if (resourceVersion !== "" && resourceVersion !== live.metadata.resourceVersion) {
    const why = "the object has been modified; please apply your changes to the latest version and try again";
    throw conflict(subjectOf(target, name), why);
  }
}

function scaleOf(
  target: Target,
  object: KubeObject,
  managedFields?: KubeObject["metadata"]["managedFields"],
): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = pathsOf(target);
  const selector = paths.labelSelectorPath === undefined ? undefined : valueAt(object, paths.labelSelectorPath);
  const text = selectorText(selector);
  return {
    kind: "Scale",
    apiVersion: SCALE_VERSION,
    metadata: {
      name,
      ...defined({ namespace, uid, resourceVersion, creationTimestamp, managedFields }),
    },
    spec: replicasIn(valueAt(object, paths.specReplicasPath)),
    status: {
      replicas: Number(valueAt(object, paths.statusReplicasPath) ?? 0),
      ...(text === "" ? {} : { selector: text }),
    },
  };
}

function replicasOf(scale: KubeObject): number {
  return ((scale["spec"] ?? {}) as { replicas?: number }).replicas ?? 0;
}

/** A Scale's spec omits zero replicas. */
function replicasIn(value: unknown): { replicas?: number } {
  return typeof value === "number" && value !== 0 ? { replicas: value } : {};
}

function pathsOf(target: Target): ScalePaths {
  const { scale } = target.endpoint.version;
  if (scale === undefined) throw new Error(`${target.endpoint.resource.plural} cannot be scaled`);
  return scale;
}

function replicasPaths({ group, versions }: Resource): ReplicasPaths {
  return Object.fromEntries(versions.map(({ name, scale }) => [apiVersionOf(group, name), scale?.specReplicasPath]));
}

function segments(path: string): string[] {
  return path.split(".").filter((segment) => segment !== "");
}

function valueAt(object: unknown, path: string): unknown {
  let value = object;
  for (const segment of segments(path)) {
    if (typeof value !== "object" || value === null) return undefined;
    value = (value as Record<string, unknown>)[segment];
  }
  return value;
}

function withValueAt(object: KubeObject, path: string, value: unknown): KubeObject {
  const put = (inside: unknown, [first, ...rest]: string[]): unknown => {
    if (first === undefined) return value;
    const fields = (inside ?? {}) as Record<string, unknown>;
    return { ...fields, [first]: put(fields[first], rest) };
  };
  return put(object, segments(path)) as KubeObject;
}

interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/**
 * A selector as sorted text, as the server prints it: `app=web,tier in (a,b)`. Custom resources store the text itself.
 */
function selectorText(selector: unknown): string {
  if (typeof selector === "string") return selector;
  if (typeof selector !== "object" || selector === null) return "";
  const isSelector = "matchLabels" in selector || "matchExpressions" in selector;
  const { matchLabels = {}, matchExpressions = [] } = (
    isSelector ? selector : { matchLabels: selector }
  ) as LabelSelector;
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => ({ key, text: `${key}=${value}` })),
    ...matchExpressions.map(({ key, operator, values = [] }) => ({
      key,
      text:
        operator === "Exists"
          ? key
          : operator === "DoesNotExist"
            ? `!${key}`
            : `${key} ${operator.toLowerCase()} (${values.toSorted().join(",")})`,
    })),
  ];
  return terms
    .toSorted((one, other) => (one.key < other.key ? -1 : 1))
    .map(({ text }) => text)
    .join(",");
}

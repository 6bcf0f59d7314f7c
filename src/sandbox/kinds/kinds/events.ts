import type { FieldError, KubeObject } from "../../types.ts";
import type { KindDefinition } from "../definition.ts";
import { immutable, invalid, required } from "../../fieldErrors.ts";
import { byteLength, dnsSubdomain } from "../names.ts";
import { validateLabelKey } from "../objectMeta.ts";
import { count, fields, type Fields, isEqual, isMissing, text } from "../values.ts";

const EVENTS_V1 = "events.k8s.io/v1";

/** Field names of an Event in the core group and in events.k8s.io. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

/** Fields that the core group always writes and events.k8s.io omits when empty. */
const CORE_ALWAYS: Readonly<Record<string, unknown>> = {
  involvedObject: {},
  source: {},
  reportingComponent: "",
  reportingInstance: "",
};

function renamed(object: KubeObject, apiVersion: string): KubeObject {
  if (object.apiVersion === apiVersion) return object;
  const toEvents = apiVersion === EVENTS_V1;
  const names = new Map(NAMES.map(([core, events]) => (toEvents ? [core, events] : [events, core])));
  const next: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(object)) {
    const emptied = toEvents && (value === "" || value === 0) && field in CORE_ALWAYS;
    if (!emptied) next[names.get(field) ?? field] = value;
  }
  if (!toEvents) for (const [field, value] of Object.entries(CORE_ALWAYS)) next[field] ??= value;
  return { ...next, apiVersion } as KubeObject;
}

function validateEvent(object: KubeObject): FieldError[] {
  const isCore = object.apiVersion === "v1";
  const event = renamed(object, "v1");
  const namespace = event.metadata.namespace ?? "";
  const about = text(fields(event["involvedObject"])["namespace"]);
  const errors: FieldError[] = [];
  const mismatch = () => errors.push(invalid("involvedObject.namespace", about, "does not match event.namespace"));
  if (isMissing(event["eventTime"])) {
    if (about === "" ? namespace !== "" && namespace !== "default" : namespace !== about) mismatch();
  } else {
    if (about === "" && namespace !== "default" && namespace !== "kube-system") mismatch();
    errors.push(...validateReporter(event, isCore ? "reportingComponent" : "reportingController"));
  }
  errors.push(...dnsSubdomain(namespace).map((message) => invalid("namespace", namespace, message)));
  return errors;
}

function validateReporter(event: Fields, controllerField: string): FieldError[] {
  const controller = text(event["reportingComponent"]);
  const errors = controller === "" ? [required(controllerField)] : [];
  errors.push(...validateLabelKey(controller, controllerField));
  for (const field of ["reportingInstance", "action", "reason"]) {
    const value = text(event[field]);
    if (value === "") errors.push(required(field));
    if (byteLength(value) > 128) errors.push(invalid(field, "", "can have at most 128 characters"));
  }
  if (byteLength(text(event["message"])) > 1024) {
    errors.push(invalid("message", "", "can have at most 1024 characters"));
  }
  return errors;
}

function validateSeries(series: unknown): FieldError[] {
  if (isMissing(series)) return [];
  const errors: FieldError[] = [];
  if (count(fields(series)["count"]) < 2) errors.push(invalid("series.count", "", "should be at least 2"));
  if (isMissing(fields(series)["lastObservedTime"])) errors.push(required("series.lastObservedTime"));
  return errors;
}

/** Rules of the newer group for a new Event. */
function validateNew(object: KubeObject): FieldError[] {
  const event = renamed(object, "v1");
  const errors = validateSeries(event["series"]);
  if (isMissing(event["eventTime"])) errors.push(required("eventTime"));
  const type = text(event["type"]);
  if (type !== "Normal" && type !== "Warning") errors.push(invalid("type", "", `has invalid value: ${type}`));
  const unset = (field: string) => errors.push(invalid(field, "", "needs to be unset"));
  if (!isMissing(event["firstTimestamp"])) unset("firstTimestamp");
  if (!isMissing(event["lastTimestamp"])) unset("lastTimestamp");
  if (count(event["count"]) !== 0) unset("count");
  if (Object.values(fields(event["source"])).some((value) => text(value) !== "")) unset("source");
  return errors;
}

const UNCHANGEABLE = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
];

function validateChange(object: KubeObject, old: KubeObject): FieldError[] {
  const [event, before] = [renamed(object, "v1"), renamed(old, "v1")];
  const errors = isEqual(event["series"], before["series"]) ? [] : validateSeries(event["series"]);
  for (const field of UNCHANGEABLE) {
    if (!isEqual(event[field], before[field])) errors.push(immutable(field, event[field]));
  }
  if (text(event["reportingComponent"]) !== text(before["reportingComponent"])) {
    errors.push(immutable("reportingController", event["reportingComponent"]));
  }
  if (text(event["reportingInstance"]) !== text(before["reportingInstance"])) {
    errors.push(immutable("reportingInstance", event["reportingInstance"]));
  }
  return errors;
}

/** Events of both groups, which share one store. */
export const event: KindDefinition = {
  allowsCreateOnUpdate: true,
  convert: renamed,
  validate(object, old) {
    const errors = validateEvent(object);
    if (object.apiVersion === "v1") return errors;
    return [...errors, ...(old === undefined ? validateNew(object) : validateChange(object, old))];
  },
  selectableFields(object, apiVersion) {
    const event = renamed(object, "v1");
    const about = fields(event["involvedObject"]);
    const isCore = apiVersion === "v1";
    const parts = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
    const owner = isCore ? "involvedObject" : "regarding";
    const controller = text(event["reportingComponent"]);
    return {
      ...Object.fromEntries(parts.map((part) => [`${owner}.${part}`, text(about[part])])),
      reason: text(event["reason"]),
      type: text(event["type"]),
      ...(isCore
        ? { reportingComponent: controller, source: text(fields(event["source"])["component"]) || controller }
        : { reportingController: controller }),
    };
  },
};

export const eventOfEventsGroup: KindDefinition = { ...event, storedAs: { group: "", plural: "events" } };

import { QUERY_GROUP, QUERY_PATH, QUERY_VERSION } from "../../../apis/index.ts";
import type { Resource } from "../../types.ts";

export const API_VERSION = `${QUERY_GROUP}/${QUERY_VERSION}`;
export const GROUP_PATH = `/apis/${QUERY_GROUP}`;
/** Several watches in one stream. */
export const WATCHES_PATH = `${QUERY_PATH}/watches`;

export const KIND_OF = {
  federatedobjects: "FederatedObject",
  placedobjects: "PlacedObject",
  fleetclusters: "FleetCluster",
  causes: "Cause",
  transitions: "Transition",
} as const satisfies Record<Resource, string>;

export const SHORT_NAMES: Readonly<Record<Resource, string[]>> = {
  federatedobjects: ["fo"],
  placedobjects: [],
  fleetclusters: ["fc"],
  causes: [],
  transitions: [],
};

export function isNamespaced(resource: Resource): boolean {
  return resource !== "fleetclusters";
}

/** Subresources that members answer. */
export const MEMBER_PARTS = ["log", "events", "pods"] as const;
export type MemberPart = (typeof MEMBER_PARTS)[number];
/** Subresources of rows. */
export type Part = "full" | MemberPart;

export function partsOf(resource: Resource): readonly Part[] {
  if (resource === "federatedobjects") return ["full"];
  return resource === "placedobjects" ? MEMBER_PARTS : [];
}

/** Kinds of the answers. A log is text. */
export const PART_KINDS: Readonly<Record<Part, string>> = {
  full: "FullFederatedObject",
  log: "PlacedObject",
  events: "PlacedEventList",
  pods: "PlacedPodList",
};

export function isGettable(
  resource: Resource,
): resource is Extract<Resource, "federatedobjects" | "placedobjects" | "fleetclusters"> {
  return resource === "federatedobjects" || resource === "placedobjects" || resource === "fleetclusters";
}

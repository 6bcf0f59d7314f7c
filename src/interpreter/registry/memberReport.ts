import {
  defined,
  type End,
  type HealthRule,
  type KubeObject,
  type MemberAddress,
  type MemberCondition,
  parseApiVersion,
} from "../../apis/index.ts";
import { declaredHealth, shownConditions } from "../health/index.ts";
import { imagesOf } from "../pods/index.ts";
import { memberKindOf } from "./registry.ts";
import type { Health } from "../types.ts";

/** Report on a member object: its health, its conditions, its addresses, its images and its end. */
export interface MemberReport {
  health: Health;
  conditions?: readonly MemberCondition[];
  addresses?: readonly MemberAddress[];
  /** Images of the containers, each once. */
  images?: readonly string[];
  /** Final outcome of finished work. */
  ended?: End;
}

/** By the rules of its kind, or by the health that a placement declares. */
export function memberReport(object: KubeObject, declared?: HealthRule): MemberReport {
  const kind = memberKindOf(parseApiVersion(object.apiVersion).group, object.kind);
  const byKind = kind.health(object);
  const isLeaving = object.metadata.deletionTimestamp !== undefined;
  const health = declared === undefined || isLeaving ? byKind : declaredHealth(object, declared, byKind);
  const conditions = showsConditions(kind.isGeneric === true, health) ? shownConditions(object, health) : [];
  const ended = kind.end?.(object);
  const addresses = kind.addresses?.(object) ?? [];
  const images = imagesOf(object);
  return {
    health,
    ...(conditions.length === 0 ? {} : { conditions }),
    ...(addresses.length === 0 ? {} : { addresses }),
    ...(images.length === 0 ? {} : { images }),
    ...defined({ ended }),
  };
}

/** The health of a kind that Meridian knows says enough until something is wrong. */
function showsConditions(isGeneric: boolean, { state }: Health): boolean {
  return isGeneric || state === "Degraded" || state === "Failed" || state === "Unknown";
}

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

/** What is told of a member object: how healthy it is, what its controllers say of it, and where it can be reached. */
export interface MemberReport {
  health: Health;
  conditions?: readonly MemberCondition[];
  addresses?: readonly MemberAddress[];
  /** Of its containers, each once. */
  images?: readonly string[];
  /** How it has come to its end for good. */
  ended?: End;
}

/** The report on a member object by the rules of its kind, or by what a placement says that healthy means. */
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

/** Of a kind that Meridian knows, the health says all there is to say until something is wrong. */
function showsConditions(isGeneric: boolean, { state }: Health): boolean {
  return isGeneric || state === "Degraded" || state === "Failed" || state === "Unknown";
}

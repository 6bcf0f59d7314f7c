import { refKey } from "../../apis/index.ts";
import type { MemberObject } from "../memberObject.ts";
import { CONFIG_REF } from "./builders.ts";

/** A member object of which nothing is asked and nothing is known, but for what is given. */
export function memberObject(overrides: Partial<MemberObject> = {}): MemberObject {
  return {
    key: refKey(overrides.ref ?? CONFIG_REF),
    ref: CONFIG_REF,
    given: undefined,
    row: undefined,
    revision: 0,
    origin: undefined,
    observed: undefined,
    removed: undefined,
    isAbsent: false,
    judged: undefined,
    effective: undefined,
    failure: undefined,
    writing: false,
    reportedWriting: false,
    carriedOut: false,
    refused: undefined,
    healed: undefined,
    trouble: undefined,
    told: undefined,
    ...overrides,
  };
}

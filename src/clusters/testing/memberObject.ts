import { type MemberObject, newMemberObject } from "../model/memberObject.ts";
import { CONFIG_REF } from "./builders.ts";

/** A member object of which nothing is asked and nothing is known, but for what is given. */
export function memberObject(overrides: Partial<MemberObject> = {}): MemberObject {
  return { ...newMemberObject(overrides.ref ?? CONFIG_REF), ...overrides };
}

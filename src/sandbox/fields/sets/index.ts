/**
 * Sets of fields, and the managers that own them.
 *
 * Promises: managedFields equal to kube-apiserver's.
 */
export {
  containsAll,
  difference,
  differenceWithBelow,
  type FieldSet,
  has,
  insert,
  intersection,
  isEmpty,
  isMember,
  LEAF,
  nodeOf,
  pathTexts,
  setOf,
  union,
} from "./fieldSet.ts";
export { identify, Managers, type Owned, timeText } from "./managers.ts";
export { type ResetFields, resetFieldsOf } from "./resetFields.ts";

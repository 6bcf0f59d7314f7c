/**
 * Paths into objects, and walks over objects by schema.
 *
 * Promises: lists and maps are merged as their schema says.
 */
export { canonicalJson, escapeHtml } from "./canonicalJson.ts";
export { type FieldType, type ListType, type MapType, objectType, type Scalar } from "./fieldType.ts";
export { compareText } from "./order.ts";
export { canonicalElement, compareElements, elementText, type PathElement, SELF } from "./pathElement.ts";
export {
  elementIfAny,
  elementOf,
  equalValues,
  isObject,
  itemsByElement,
  kindOf,
  met,
  NoElement,
  type ObjectValue,
} from "./walk.ts";
export { zeroObject } from "./zeroObject.ts";

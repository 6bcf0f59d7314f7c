/** The verb `bundle`. */
export { createBundle } from "./create.ts";
export { documentsIn, itemsIn, objectIn, type SourceDocument } from "./sources.ts";

/**
 * What the pages and the chart take from the source: CustomResourceDefinitions and tables of reasons and states.
 *
 * Promises: a generated block is replaced as a whole, and a page without its marks is refused.
 */
export { markdownTable, withBlocks } from "./generatedBlock.ts";

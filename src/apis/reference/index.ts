/**
 * Files that are generated from the source: CustomResourceDefinitions for the chart, and tables of reasons and states
 * for the pages.
 *
 * Promises: a generated block is replaced as a whole, and a page without its markers is refused.
 */
export { markdownTable, withBlocks } from "./generatedBlock.ts";

/**
 * Conversion of a DemoApplication between its versions.
 *
 * Promises: there and back loses nothing; what an older version cannot hold travels in an annotation.
 */
export { V1BETA1_CONVERSION } from "./applicationConversion.ts";
export { type Conversion, ConversionError } from "./conversion.ts";

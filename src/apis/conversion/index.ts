/**
 * Conversion of a DemoApplication between its versions.
 *
 * Promises: a round trip loses nothing. Fields that an older version cannot hold travel in an annotation.
 */
export { V1BETA1_CONVERSION } from "./applicationConversion.ts";
export * from "./conversion.ts";

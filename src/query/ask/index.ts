/**
 * Queries of the fleet: parameters, filters, pages, groups and watches.
 *
 * Promises: rows that a reader may not read have no effect on an answer; a list is of one moment, on all its pages; the
 * events of a watch make of a list the list of a later moment. Pure: time, chance and pauses come in as functions.
 */
export { Engine } from "./engine.ts";
export { allowedParameters, parseQuery, quoted, timeIn } from "./parse.ts";
export { shapeOf } from "./shape.ts";

/**
 * What the page of the dashboard knows and says, apart from how it is drawn.
 *
 * Promises: a stream that goes on after a break gives the same rows as one without; an address in a message is a link only
 * with http or https; a word that a newer server sends is shown as it is. Pure: the time comes in as an argument.
 */
export * from "./address.ts";
export * from "./attention.ts";
export * from "./commands.ts";
export * from "./connection.ts";
export * from "./eventStream.ts";
export * from "./grid.ts";
export * from "./names.ts";
export * from "./regions.ts";
export * from "./route.ts";
export * from "./rowEvents.ts";
export * from "./states.ts";
export * from "./timeline.ts";
export * from "./wholePair.ts";
export * from "./words.ts";

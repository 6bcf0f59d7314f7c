/**
 * Reflector, store and informer: a copy of one kind that follows the server.
 *
 * Promises: a copy is called synced only after a whole list; a gap in the watch is closed by a list.
 */
export { Informer } from "./informer.ts";
export { type InformerEvent, type InformerOptions, isMassVanishing } from "./informerTypes.ts";
export { Reflector, WentBackError } from "./reflector.ts";
export { type Indexers } from "./store.ts";

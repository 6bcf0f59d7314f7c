/**
 * Reflector, store and informer: a copy of the objects of one kind that follows the server.
 *
 * Promises: a copy counts as synced only after a complete list; a gap in the watch is closed by a list.
 */
export { Informer } from "./informer.ts";
export { type InformerEvent, type InformerOptions, isMassVanishing } from "./informerTypes.ts";
export { Reflector, WentBackError } from "./reflector.ts";
export { type Indexers } from "./store.ts";

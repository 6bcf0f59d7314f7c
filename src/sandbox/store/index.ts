/**
 * The storage of a sandbox API server: the objects of every resource, one revision counter, the history for watches and
 * consistent lists, and, with a folder, all of this on disk. Promises that objects are frozen and shared by all
 * readers, that events arrive in the order of their revisions, that a write is on disk before anybody sees it, and that
 * a process killed at any moment loses no acknowledged write. Knows nothing about the meaning of objects: the server
 * handles names, defaults, permissions and owners.
 */
export * from "./collection.ts";
export * from "./continueToken.ts";
export * from "./history.ts";
export { FolderInUse, JournalDamaged } from "./journal.ts";
export * from "./store.ts";

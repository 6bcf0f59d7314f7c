/**
 * What an API server of the sandbox keeps: the objects of every resource, one revision counter for all of them, the history that watches
 * and consistent lists read, and, when a folder is given, all of it on disk.
 * It promises that objects are frozen and shared by everybody who reads them, that events arrive in the order of their revisions,
 * that a write is on disk before anybody hears of it, and that a process killed at any moment loses nothing that it had answered for.
 * It never considers what an object means: names, defaults, rights and owners are the server's business.
 */
export * from "./collection.ts";
export * from "./continueToken.ts";
export * from "./history.ts";
export { FolderInUse, JournalDamaged } from "./journal.ts";
export * from "./store.ts";

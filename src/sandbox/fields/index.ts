/**
 * Field ownership: server-side apply, and the `metadata.managedFields` of every write. Pure functions of values and the
 * time.
 *
 * A write takes four steps, here and in the server:
 * - {@link applyConfiguration} or {@link trackWrite} computes managedFields, in the version of the request.
 * - The server then sets defaults, converts to the stored form, resets immutable fields, admits and validates.
 * - For every update, {@link keepTimesOfNoChange} compares the result with the stored object.
 * - The server stores nothing if both are equal.
 *
 * Promises the managedFields of kube-apiserver 1.35, leaf for leaf, odd cases included (an apply that changes no value
 * gives its manager no time; entries of the scale subresource have none), and the server's texts of refusals. Never
 * changes its arguments; results share parts with them. Never defaults, validates or converts by itself, and knows
 * neither HTTP nor storage.
 */
export { keepTimesOfNoChange } from "./keepTimes.ts";
export { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "./scale.ts";
export { applyConfiguration, trackWrite } from "./track.ts";

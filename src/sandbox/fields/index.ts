/**
 * Who owns which field: server-side apply, and the `metadata.managedFields` of every write. Pure functions of values and a clock reading.
 *
 * A write goes through four steps here and in the server: {@link applyConfiguration} or {@link trackWrite} on the objects in the version of the request;
 * then what the server does anyway (defaults, stored form, what may not change is put back, admission, validation); then, for every update,
 * {@link keepTimesOfNoChange} on what would be stored; and nothing is written when that is equal to what is stored.
 *
 * Promises the managedFields of kube-apiserver 1.35, leaf for leaf, its odd corners included (an apply that changes no value gives its manager no time;
 * what comes by the scale subresource has none), and its texts for refusals. Never changes what it is given; results share parts with it. Never
 * defaults, validates or converts by itself, and knows nothing of HTTP or storage.
 */
export { keepTimesOfNoChange } from "./keepTimes.ts";
export { parentManagedFields, type ReplicasPaths, scaleManagedFields } from "./scale.ts";
export { applyConfiguration, trackWrite } from "./track.ts";

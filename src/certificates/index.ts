/**
 * Certificates that Meridian creates for itself: a certificate authority and the server certificates that it signs (EC
 * P-256), for the API servers of the sandbox and for the webhooks.
 *
 * Promises: a certificate names exactly the hosts that the caller gave. An authority can be stored and loaded again.
 * This module never reads a clock, writes a file or opens a connection.
 */
export * from "./authority.ts";

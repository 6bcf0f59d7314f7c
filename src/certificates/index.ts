/**
 * Certificates that Meridian makes for itself: a certificate authority and the server certificates that it signs (EC P-256), for the
 * API servers of the sandbox and for the webhooks. It promises that a certificate names every host that was asked for and nothing
 * more, and that an authority can be written down and taken up again. It never reads a clock, writes a file or opens a connection.
 */
export * from "./authority.ts";

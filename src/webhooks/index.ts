/**
 * The webhooks: conversion of objects between versions, defaults at creation, and refusals that tell what to change.
 * They are served over TLS, with certificates that are renewed without a gap.
 *
 * Promises: conversion loses nothing. A decision is a pure function of the request and of facts about the hub. An
 * update is refused only for problems that it adds. The manager's own writes never wait for its own webhooks (see
 * configurations.ts). The webhooks never write an object of a user, and read only the address from a member's Secret.
 */
export { isProtected } from "./admission/deletion.ts";
export { type WebhookTarget } from "./configurations.ts";
export { ADMISSION_TYPES } from "./publisher.ts";
export { startWebhooks, type WebhookCertificates, type Webhooks } from "./run.ts";
export { DELETION_PROTECTION_LABEL } from "./wellknown.ts";
export { withdrawWebhooks } from "./withdraw.ts";

/**
 * The webhooks: DemoApplication between its versions, what is completed at creation, and what is refused, each with a word on what to
 * change; served over TLS with certificates that are renewed without a gap.
 *
 * Promises: conversion loses nothing; a decision is a pure function of the request and of what is known of the hub; an update answers only
 * for what it makes worse; the manager's own writes never wait for its own webhooks (see configurations.ts for how). Never writes an
 * object of a user, and never reads more of a member's Secret than the address in it.
 */
export { isProtected } from "./admission/deletion.ts";
export { type WebhookTarget } from "./configurations.ts";
export { ADMISSION_TYPES } from "./publisher.ts";
export { startWebhooks, type Webhooks } from "./run.ts";
export { DELETION_PROTECTION_LABEL } from "./wellknown.ts";
export { withdrawWebhooks } from "./withdraw.ts";

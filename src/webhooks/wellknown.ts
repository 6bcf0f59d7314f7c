import { PAAS_GROUP } from "../apis/index.ts";

/** On objects of Meridian and on Namespaces: with any value but `false`, the object cannot be deleted. */
export const DELETION_PROTECTION_LABEL = `${PAAS_GROUP}/deletion-protection`;

/** Field manager of what the webhooks write about themselves. */
export const WEBHOOK_FIELD_MANAGER = "meridian-webhooks";

/** On the Secret of the certificates: a changed value requests a new authority. */
export const ROTATE_ANNOTATION = `${PAAS_GROUP}/rotate-authority`;

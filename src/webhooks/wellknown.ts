import { PAAS_GROUP } from "../apis/index.ts";

/** Names that people write into objects to steer the webhooks, and names that the webhooks write. They are part of the contract. */

/** On any object of Meridian and on Namespaces: with any value but `false`, the object cannot be deleted. */
export const DELETION_PROTECTION_LABEL = `${PAAS_GROUP}/deletion-protection`;

/**
 * Field manager of the fields that the webhooks write about themselves: `clientConfig`, conversion of the CRDs, and
 * configurations that no chart brought.
 */
export const WEBHOOK_FIELD_MANAGER = "meridian-webhooks";

/** On the Secret of the certificates: a changed value requests a new authority. */
export const ROTATE_ANNOTATION = `${PAAS_GROUP}/rotate-authority`;

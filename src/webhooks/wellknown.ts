import { PAAS_GROUP } from "../apis/index.ts";

/** Names that people write into objects to steer the webhooks, and names that the webhooks write. They are part of the contract. */

/** On any object of Meridian and on Namespaces: with any value but `false`, it is not deleted while it is there. */
export const DELETION_PROTECTION_LABEL = `${PAAS_GROUP}/deletion-protection`;

/** Owner of what the webhooks write of themselves: `clientConfig`, conversion of the CRD, and configurations that no chart brought. */
export const WEBHOOK_FIELD_MANAGER = "meridian-webhooks";

/** On the Secret of the certificates: another value than the one before asks for a new authority. */
export const ROTATE_ANNOTATION = `${PAAS_GROUP}/rotate-authority`;

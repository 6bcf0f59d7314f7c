import { z } from "zod";

/**
 * Conditions and addresses of member objects in `status.clusters`. Their number is bounded, since an object may have
 * many clusters.
 */

/** Maximum number of conditions, and of addresses, in one entry. */
export const MOST_REPORTED = 8;

export const memberCondition = z.object({
  type: z.string().min(1).max(316),
  status: z.enum(["True", "False", "Unknown"]),
  reason: z.string().max(1024).exactOptional(),
  message: z.string().max(32768).exactOptional(),
});

export const memberAddress = z.object({
  type: z
    .enum(["LoadBalancer", "Ingress", "NodePort"])
    .describe("LoadBalancer and Ingress have a host; NodePort has a port, which is open on every node of the member."),
  host: z.string().max(253).exactOptional().describe("An IP address or a name."),
  port: z.int().min(0).max(65_535).exactOptional(),
});

/** A condition that a controller of the member wrote into the member object. */
export type MemberCondition = z.infer<typeof memberCondition>;
/** An address under which the member object can be reached. */
export type MemberAddress = z.infer<typeof memberAddress>;

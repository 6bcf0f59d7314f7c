import { z } from "zod";

/** What member objects say of themselves, as entries of `status.clusters` show it. Bounded, since an object may have many clusters. */

/** How many conditions, and how many addresses, an entry shows. */
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
/** Where the member object can be reached. */
export type MemberAddress = z.infer<typeof memberAddress>;

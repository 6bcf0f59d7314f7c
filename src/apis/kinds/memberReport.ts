import { z } from "zod";

/** Conditions, and addresses, in one entry: an object may have many clusters. */
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

export type MemberCondition = z.infer<typeof memberCondition>;
export type MemberAddress = z.infer<typeof memberAddress>;

import { z } from "zod";
import { DNS_LABEL, DURATION, PERCENT, POSITIVE_PERCENT } from "../schema/index.ts";

export const duration = z.string().min(2).max(32).regex(DURATION, "must be a duration, such as 90s, 10m or 1h30m");
export const share = z.union([z.int().min(1).max(100_000), z.string().max(4).regex(POSITIVE_PERCENT)], {
  error: "must be a whole number from 1 to 100000, or a percentage from 1% to 100%",
});
export const percent = z.string().max(4).regex(PERCENT, "must be a percentage, such as 34%");
export const entryName = z
  .string()
  .min(1)
  .max(63)
  .regex(DNS_LABEL, "must be a DNS label: lower-case letters, digits and '-'");

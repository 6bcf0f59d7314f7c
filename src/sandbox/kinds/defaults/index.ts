/**
 * Defaults that an API server sets in Go code, by definition. Each function completes one decoded struct; inner structs
 * are complete already. The defaults of the published schemas are set as well.
 */
import { autoscalingDefaults } from "./autoscaling.ts";
import { containerDefaults } from "./containers.ts";
import { otherDefaults } from "./others.ts";
import { podDefaults } from "./pods.ts";
import { serviceDefaults } from "./services.ts";
import type { StructDefaults } from "./struct.ts";
import { workloadDefaults } from "./workloads.ts";

export type { StructDefaults } from "./struct.ts";

export const structDefaults: Readonly<Record<string, StructDefaults>> = {
  ...containerDefaults,
  ...podDefaults,
  ...workloadDefaults,
  ...serviceDefaults,
  ...autoscalingDefaults,
  ...otherDefaults,
};

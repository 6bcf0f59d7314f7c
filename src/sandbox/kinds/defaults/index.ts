/**
 * The defaults that the Go code of an API server sets by hand, by definition: each function completes one decoded struct, whose inner structs
 * are complete already. They come on top of the defaults of the published schemas.
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

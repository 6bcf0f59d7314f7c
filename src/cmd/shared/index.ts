/**
 * Code that several verbs share: the connection to the hub, options, output, exit codes.
 */
export { allOf, atOnce } from "./allOf.ts";
export {
  clusterUid,
  type CommandContext,
  commandLogger,
  connectGiven,
  connectHub,
  type Connection,
  connectMember,
  connectStored,
  find,
  isLeaseHeld,
  isManagerRunning,
  leaseHeldUntil,
  noSuchMember,
  notInstalled,
} from "./connection.ts";
export { loadCrds } from "./crds.ts";
export { follow } from "./follow.ts";
export { deniedError, HubReader, type Listed, type ReadOptions, rightToList, within } from "./hubReader.ts";
export { describeRelease, type HelmRelease, releaseOf } from "./helmRelease.ts";
export {
  type BundleOptions,
  type CordonOptions,
  type DrainOptions,
  EVERYTHING,
  EXPLAIN_FORMATS,
  type ExplainOptions,
  type HubOptions,
  type InstallOptions,
  type JoinOptions,
  type ManagerOptions,
  type ManagerWebhookOptions,
  OUTPUT_FORMATS,
  parseAllowProtected,
  parseBindAddress,
  parseBoolean,
  parseClusterName,
  parseControllerClass,
  parseDnsLabel,
  parseDuration,
  parseLabel,
  parseLabelValue,
  parseNamespace,
  parsePlurals,
  parsePort,
  parseServiceName,
  parseTaint,
  parseWebhookUrl,
  PLAN_FORMATS,
  type PlanOptions,
  ROLLOUT_FORMATS,
  type RolloutOptions,
  type RolloutVerb,
  type Shell,
  SHELLS,
  type StatusOptions,
  type UninstallOptions,
  type UnjoinOptions,
  VERSION_FORMATS,
  type VersionOptions,
} from "./options.ts";
export { CommandError, describeAnswer, describeError, EXIT, onOneLine, reportError, webhookRemedy } from "./outcome.ts";
export { shippedYaml } from "./shippedFiles.ts";
export { type Cell, formatTable, paint, Progress, systemTerminal, type Terminal, type Tone } from "./terminal.ts";
export { describeUsageError } from "./usageErrors.ts";
export { printVersion, VERSION } from "./version.ts";
export { describeWhere, type Whereabouts } from "./whereabouts.ts";
export { chooseAmong, namesText, quoted } from "./words.ts";

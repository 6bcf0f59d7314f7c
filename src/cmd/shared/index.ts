/** What several verbs share. */
export { allOf, atOnce, tolerating } from "./allOf.ts";
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
export {
  collected,
  DEFAULT_LEASE_NAME,
  duration,
  filename,
  leaseName,
  memberName,
  members,
  objectNamespace,
  otherSystemNamespace,
  protectedNamespace,
  recursive,
  rowsFrom,
  type SourceAsked,
  systemNamespace,
} from "./commonFlags.ts";
export { loadCrds } from "./crds.ts";
export { countText, exitOf, type Finding, findingLines, type Severity, tableLines, worstFirst } from "./findings.ts";
export { follow } from "./follow.ts";
export { HubReader, type Listed, type ReadOptions, rightToList, within } from "./hubReader.ts";
export { describeRelease, type HelmRelease, releaseOf } from "./helmRelease.ts";
export {
  codeOf,
  CommandError,
  describeAnswer,
  describeError,
  EXIT,
  onOneLine,
  reportError,
  webhookRemedy,
} from "./outcome.ts";
export { shippedYaml } from "./shippedFiles.ts";
export {
  type Cell,
  formatColumns,
  formatTable,
  paint,
  Progress,
  systemTerminal,
  type Terminal,
  type Tone,
} from "./terminal.ts";
export { describeUsageError } from "./usageErrors.ts";
export {
  EVERYTHING,
  isDnsLabel,
  isLabelKey,
  isLabelValue,
  parseBoolean,
  parseClusterName,
  parseDnsLabel,
  parseDuration,
  parseLabelValue,
  parseNamespace,
  parsePort,
} from "./values.ts";
export {
  emptyProgram,
  type HubOptions,
  type NewCommand,
  type Offered,
  offeredFor,
  offering,
  type OptionsOf,
  type Verb,
  verb,
} from "./verb.ts";
export { printVersion, version, VERSION } from "./version.ts";
export { describeWhere, type Whereabouts } from "./whereabouts.ts";
export { chooseAmong, namesText, quoted, refText, structured } from "./words.ts";

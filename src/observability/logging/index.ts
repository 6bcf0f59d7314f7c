/**
 * The log: structured lines, with secrets masked.
 *
 * Promises: no secret is written, whatever a caller passes in.
 */
export { createLogger, errorReason, errorType, LOG_LEVELS, logContext, type Logger, type LogLevel } from "./logger.ts";
export { Gathering } from "./gathering.ts";
export { LogTee } from "./logOutput.ts";
export { isSecretKey, redactText } from "./redaction.ts";
export { type LineOutput, openLineOutput } from "./lineOutput.ts";

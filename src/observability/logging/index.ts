/**
 * The log: structured lines, with secrets masked.
 *
 * Promises: no secret is written, whatever a caller passes in.
 */
export { createLogger, errorReason, errorType, LOG_LEVELS, logContext, type Logger, type LogLevel } from "./logger.ts";
export { redactText } from "./redaction.ts";

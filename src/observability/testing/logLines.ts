import { createLogger, type Logger, type LogLevel } from "../logging/logger.ts";

/** A logger whose lines the test reads as objects. */
export function logLines(level: LogLevel = "debug"): { logger: Logger; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string): void => void lines.push(JSON.parse(line) as Record<string, unknown>);
  return { logger: createLogger({ level, destination: { write } }), lines };
}

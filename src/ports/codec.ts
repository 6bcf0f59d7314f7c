import type { z } from "zod";
import { issueText, parseJson } from "../apis/index.ts";
import type { ClusterAnswer, ClusterMessage } from "./clusterReport.ts";
import type { ConnectionAnswer, ConnectionMessage, ConnectionRequest } from "./connections.ts";
import type { Report, ReportAnswer, ReportSession } from "./report.ts";
import {
  assignmentRequest,
  clusterAnswer,
  clusterMessage,
  connectionAnswer,
  connectionMessage,
  connectionRequest,
  report,
  reportAnswer,
  reportSession,
  workMessage,
} from "./schemas/index.ts";
import type { AssignmentRequest, WorkMessage } from "./work.ts";

export interface MessageBounds {
  characters: number;
  levels: number;
  /** Maps, lists and their members. A few characters of JSON may take many bytes of memory. */
  values: number;
}

/** A row holds objects of at most 100 levels (OBJECT_BOUNDS), beneath some levels of its own. */
export const MESSAGE_BOUNDS: MessageBounds = { characters: 64 << 20, levels: 128, values: 4_000_000 };

/** `error`: where the message is wrong, and what is wrong there. Never its content, as a row may hold a Secret. */
export type Decoded<T> = { value: T } | { error: string };

type Sent =
  | AssignmentRequest
  | ClusterAnswer
  | ClusterMessage
  | ConnectionAnswer
  | ConnectionMessage
  | ConnectionRequest
  | Report
  | ReportAnswer
  | ReportSession
  | WorkMessage;

/** Members that are undefined are left out. Integers beyond 2^53 are written in full, see `apis/values/json.ts`. */
export function encode(message: Sent): string {
  return JSON.stringify(message);
}

export const decodeWork = decoderOf<WorkMessage>(workMessage);
export const decodeRequest = decoderOf<AssignmentRequest>(assignmentRequest);
export const decodeSession = decoderOf<ReportSession>(reportSession);
export const decodeReport = decoderOf<Report>(report);
export const decodeAnswer = decoderOf<ReportAnswer>(reportAnswer);
export const decodeConnections = decoderOf<ConnectionMessage>(connectionMessage);
export const decodeConnectionRequest = decoderOf<ConnectionRequest>(connectionRequest);
export const decodeConnectionAnswer = decoderOf<ConnectionAnswer>(connectionAnswer);
export const decodeClusterMessage = decoderOf<ClusterMessage>(clusterMessage);
export const decodeClusterAnswer = decoderOf<ClusterAnswer>(clusterAnswer);

type Decode<T> = (text: string, bounds?: MessageBounds) => Decoded<T>;

/** Integers of 64 bits beyond 2^53 become BigInt, as in an answer of an API server. */
function decoderOf<T>(schema: z.ZodType<T>): Decode<T> {
  return (text, bounds = MESSAGE_BOUNDS) => {
    const tooMuch = excessOfText(text, bounds);
    if (tooMuch !== undefined) return { error: `the message ${tooMuch}` };
    let given: unknown;
    try {
      given = parseJson(text);
    } catch (error) {
      // The words of a SyntaxError quote the text.
      if (error instanceof SyntaxError) return { error: "the message is not valid JSON" };
      throw error;
    }
    const { success, data, error } = schema.safeParse(given);
    return success ? { value: data } : { error: errorOf(error.issues) };
  };
}

const [QUOTE, COMMA, OPEN_LIST, BACKSLASH, CLOSE_LIST, OPEN_MAP, CLOSE_MAP] = [34, 44, 91, 92, 93, 123, 125] as const;

/** Looks at the text alone: the parser would have allocated all of a message that is too large. */
function excessOfText(text: string, { characters, levels, values }: MessageBounds): string | undefined {
  if (text.length > characters) return `has more than ${characters} characters`;
  let level = 0;
  let count = 0;
  let isInText = false;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (isInText) {
      if (code === BACKSLASH) at += 1;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if (code === COMMA) count += 1;
    else if (code === CLOSE_LIST || code === CLOSE_MAP) level -= 1;
    else if (code === OPEN_LIST || code === OPEN_MAP) {
      count += 1;
      level += 1;
      if (level > levels) return `is nested deeper than ${levels} levels`;
    }
    if (count > values) return `has more than ${values} values`;
  }
  return undefined;
}

type Path = readonly PropertyKey[];

interface Problem {
  path: Path;
  what: string;
}

/** The first problem. A message that another version sent may have the same problem in every row. */
function errorOf([first]: readonly z.core.$ZodIssue[]): string {
  if (first === undefined) return "the message is not valid";
  const { path, what } = problemOf(first, []);
  return `${path.length === 0 ? "the message" : pathText(path)} ${what}`;
}

function problemOf(issue: z.core.$ZodIssue, above: Path): Problem {
  const path = [...above, ...issue.path];
  switch (issue.code) {
    case "unrecognized_keys":
      return { path: [...path, ...issue.keys.slice(0, 1)], what: "is a field that this version does not know" };
    case "invalid_union": {
      if (issue.errors.length === 0) return { path, what: "is missing, or is a word that this version does not know" };
      const within = closest(issue.errors);
      return within === undefined ? { path, what: issueText(issue) } : problemOf(within, path);
    }
    default:
      return { path, what: issueText(issue) };
  }
}

/** The problem of the form that the value most resembles: only there was something of the value right. */
function closest(forms: readonly (readonly z.core.$ZodIssue[])[]): z.core.$ZodIssue | undefined {
  const resembled = forms.flatMap(([first]) => {
    const isOther = first === undefined || (first.path.length === 0 && first.code !== "unrecognized_keys");
    return isOther ? [] : [first];
  });
  const isMissing = ({ code, message }: z.core.$ZodIssue) => code === "invalid_type" && message.endsWith("undefined");
  return resembled.find((issue) => !isMissing(issue)) ?? resembled[0];
}

/** Keys that are names. Any other key may be content, and may break a line of a log. */
const NAME = /^[\w./-]{1,64}$/;

function pathText(path: Path): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else text += `${text === "" ? "" : "."}${NAME.test(String(part)) ? String(part) : "?"}`;
  }
  return text;
}

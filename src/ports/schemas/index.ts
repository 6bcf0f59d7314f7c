/**
 * The zod schemas of the messages. The types stay where they are; each schema is compared with its type when the
 * project is compiled.
 *
 * Promises: a field of our own messages that the schema does not know is an error that names the field. The content of
 * Kubernetes objects is any JSON, and is handed on as it is.
 */
export {
  clusterAnswer,
  clusterMessage,
  connectionAnswer,
  connectionMessage,
  connectionRequest,
} from "./connections.ts";
export { report, reportAnswer, reportSession } from "./report.ts";
export { assignmentRequest, workMessage } from "./work.ts";

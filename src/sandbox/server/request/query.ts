import { validateFieldManager } from "../../kinds/index.ts";
import { badRequest, invalid } from "../../statusError.ts";
import type { FieldError, RequestContext } from "../../types.ts";
import { isTrue } from "./requestInfo.ts";

/** Query parameters of writes, lists and watches, read and checked as the API server does. */

export type FieldValidation = RequestContext["fieldValidation"];

export interface WriteOptions {
  dryRun: boolean;
  fieldManager: string;
  fieldValidation: FieldValidation;
  force: boolean;
}

const VALIDATIONS: readonly string[] = ["", "Ignore", "Strict", "Warn"];
/** Maximum length of a field manager's name. */
const LONGEST_MANAGER = 128;

/** `kind`: CreateOptions, UpdateOptions, PatchOptions, DeleteOptions. Throws a StatusError 422. */
export function writeOptionsOf(query: URLSearchParams, kind: string, isApply = false): WriteOptions {
  const errors: FieldError[] = [];
  const dryRun = query.getAll("dryRun").filter((value) => value !== "");
  const wrong = dryRun.filter((value) => value !== "All");
  const manager = query.get("fieldManager") ?? "";
  const validation = query.get("fieldValidation") ?? "";
  const force = query.get("force");
  if (isApply && manager === "") {
    errors.push({
      reason: "FieldValueRequired",
      field: "fieldManager",
      message: "Required value: is required for apply patch",
    });
  }
  if (!isApply && kind === "PatchOptions" && force !== null) {
    errors.push({
      reason: "FieldValueForbidden",
      field: "force",
      message: "Forbidden: may not be specified for non-apply patch",
    });
  }
  errors.push(...validateFieldManager(manager, "fieldManager"));
  if (wrong.length > 0) {
    const values = `[${dryRun.map((value) => JSON.stringify(value)).join(",")}]`;
    errors.push(unsupported("dryRun", values, ["All"]));
  }
  if (!VALIDATIONS.includes(validation)) {
    errors.push(unsupported("fieldValidation", JSON.stringify(validation), VALIDATIONS));
  }
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind, name: "" }, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager,
    fieldValidation: (validation === "" ? "Warn" : validation) as FieldValidation,
    force: isTrue(force),
  };
}

/** The default field manager: the first part of the user agent. */
export function managerOf(userAgent: string | undefined): string {
  const [product = ""] = (userAgent ?? "").split("/");
  return product.replaceAll(/\p{C}/gu, "").slice(0, LONGEST_MANAGER);
}

export interface ListOptions {
  labelSelector: string;
  fieldSelector: string;
  /** 0: no limit. */
  limit: number;
  continue: string;
  /** "" if absent. */
  resourceVersion: string;
  resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  sendInitialEvents: boolean | undefined;
  allowWatchBookmarks: boolean;
  timeoutSeconds: number | undefined;
}

/** Throws a StatusError: 400 for an invalid number, 422 for a forbidden combination of parameters. */
export function listOptionsOf(query: URLSearchParams, isWatch: boolean): ListOptions {
  const sendInitialEvents = query.get("sendInitialEvents");
  const options: ListOptions = {
    labelSelector: query.get("labelSelector") ?? "",
    fieldSelector: query.get("fieldSelector") ?? "",
    limit: Math.max(0, wholeNumber(query.get("limit")) ?? 0),
    continue: query.get("continue") ?? "",
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: (query.get("resourceVersionMatch") ?? "") as ListOptions["resourceVersionMatch"],
    sendInitialEvents: sendInitialEvents === null ? undefined : isTrue(sendInitialEvents),
    allowWatchBookmarks: isTrue(query.get("allowWatchBookmarks")),
    timeoutSeconds: wholeNumber(query.get("timeoutSeconds")),
  };
  const errors = isWatch ? watchErrors(options) : listErrors(options);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions", name: "" }, errors);
  return options;
}

const MATCHES: readonly string[] = ["Exact", "NotOlderThan", ""];

function listErrors(options: ListOptions): FieldError[] {
  const { resourceVersion, resourceVersionMatch: match, sendInitialEvents } = options;
  const errors: FieldError[] = [];
  if (match !== "") {
    if (resourceVersion === "") {
      errors.push(
        forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (options.continue !== "") {
      errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    }
    if (!MATCHES.includes(match)) {
      errors.push(unsupported("resourceVersionMatch", JSON.stringify(match), MATCHES));
    }
    if (match === "Exact" && resourceVersion === "0") {
      errors.push(
        forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'),
      );
    }
  }
  if (sendInitialEvents !== undefined) {
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function watchErrors({ resourceVersionMatch: match, sendInitialEvents }: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "" && sendInitialEvents === undefined) {
    const why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(forbidden("resourceVersionMatch", why));
  }
  if (sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    errors.push(forbidden("resourceVersionMatch", why));
    if (match !== "") errors.push(unsupported("resourceVersionMatch", JSON.stringify(match), ["NotOlderThan"]));
  }
  return errors;
}

/** A resourceVersion as a number; 0 for an empty text. Throws the result of `refusal` for an invalid one. */
export function revisionOf(resourceVersion: string, refusal: (why: string) => Error): number {
  if (resourceVersion === "") return 0;
  if (/^\d+$/.test(resourceVersion)) return Number(resourceVersion);
  const shown = JSON.stringify(resourceVersion);
  throw refusal(`resourceVersion: Invalid value: ${shown}: strconv.ParseUint: parsing ${shown}: invalid syntax`);
}

function wholeNumber(text: string | null): number | undefined {
  if (text === null || text === "") return undefined;
  if (/^-?\d+$/.test(text)) return Number(text);
  throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
}

function forbidden(field: string, why: string): FieldError {
  return { reason: "FieldValueForbidden", field, message: `Forbidden: ${why}` };
}

function unsupported(field: string, value: string, supported: readonly string[]): FieldError {
  const list = supported.map((one) => JSON.stringify(one)).join(", ");
  return { reason: "FieldValueNotSupported", field, message: `Unsupported value: ${value}: supported values: ${list}` };
}

import { dns1035Label, dnsSubdomain } from "../../kinds/names.ts";
import type { FieldError } from "../../types.ts";
import { forbidden, invalid, notSupported, required } from "../../fieldErrors.ts";
import type { CrdConversion } from "./crdTypes.ts";

const KNOWN_REVIEWS = ["v1", "v1beta1"];

/** Validates the conversion settings of a CRD. */
export function validateConversion(conversion: CrdConversion, field: string): FieldError[] {
  const { strategy = "", webhook } = conversion;
  const errors: FieldError[] = [];
  if (strategy === "") errors.push(required(`${field}.strategy`));
  else if (strategy !== "None" && strategy !== "Webhook") {
    errors.push(notSupported(`${field}.strategy`, strategy, ["None", "Webhook"]));
  }
  const client = webhook?.clientConfig;
  const reviews = webhook?.conversionReviewVersions ?? [];
  const at = `${field}.webhookClientConfig`;
  if (strategy !== "Webhook") {
    const why = "should not be set when strategy is not set to Webhook";
    if (client !== undefined) errors.push(forbidden(at, why));
    if (reviews.length > 0) errors.push(forbidden(`${field}.conversionReviewVersions`, why));
    return errors;
  }
  if (client === undefined) errors.push(required(at, "required when strategy is set to Webhook"));
  else if ((client.url === undefined) === (client.service === undefined)) {
    errors.push(required(at, "exactly one of url or service is required"));
  } else if (client.url !== undefined) errors.push(...validateUrl(client.url, `${at}.url`));
  else if (client.service !== undefined) errors.push(...validateService(client.service, `${at}.service`));
  return [...errors, ...validateReviews(reviews, `${field}.conversionReviewVersions`)];
}

function validateReviews(versions: readonly string[], field: string): FieldError[] {
  if (versions.length === 0) return [required(field)];
  const errors: FieldError[] = [];
  for (const [index, version] of versions.entries()) {
    if (versions.indexOf(version) !== index) errors.push(invalid(`${field}[${index}]`, version, "duplicate version"));
    else errors.push(...dns1035Label(version).map((why) => invalid(`${field}[${index}]`, version, why)));
  }
  if (!versions.some((version) => KNOWN_REVIEWS.includes(version))) {
    errors.push(invalid(field, versions, `must include at least one of ${KNOWN_REVIEWS.join(", ")}`));
  }
  return errors;
}

const FORM = "desired format: https://host[/path]";

function validateUrl(url: string, field: string): FieldError[] {
  if (!URL.canParse(url)) return [required(field, `url must be a valid URL: ${FORM}`)];
  const { protocol, host, username, hash, search } = new URL(url);
  const errors: FieldError[] = [];
  const refused = (value: string, why: string) => errors.push(invalid(field, value, why));
  const scheme = protocol.slice(0, -1);
  if (scheme !== "https") refused(scheme, `'https' is the only allowed URL scheme; ${FORM}`);
  if (host === "") refused(host, `host must be specified; ${FORM}`);
  if (username !== "") refused(username, "user information is not permitted in the URL");
  if (hash !== "") refused(hash.slice(1), "fragments are not permitted in the URL");
  if (search !== "") refused(search.slice(1), "query parameters are not permitted in the URL");
  return errors;
}

interface Service {
  name?: string;
  namespace?: string;
  path?: string;
  port?: number;
}

function validateService({ name = "", namespace = "", path, port = 443 }: Service, field: string): FieldError[] {
  const errors: FieldError[] = [];
  // The API server swaps the field names of these two errors, and so does the sandbox.
  if (namespace === "") errors.push(required(`${field}.name`));
  if (name === "") errors.push(required(`${field}.namespace`));
  if (port < 1 || port > 65_535) {
    errors.push(invalid(`${field}.port`, port, "port is not valid: must be between 1 and 65535, inclusive"));
  }
  if (path === undefined || path === "" || path === "/") return errors;
  if (!path.startsWith("/")) errors.push(invalid(`${field}.path`, path, "must start with a '/'"));
  for (const [index, step] of path.slice(1).replace(/\/$/, "").split("/").entries()) {
    const wrong = step === "" ? ["may not be empty"] : dnsSubdomain(step).map((why) => `: ${why}`);
    for (const why of wrong) {
      errors.push(invalid(`${field}.path`, path, `segment[${index}]${why.startsWith(":") ? why : ` ${why}`}`));
    }
  }
  return errors;
}

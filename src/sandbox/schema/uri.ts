/** URLs, parsed as Go's `net/url` does. */

export interface GoUrl {
  scheme: string;
  /** Host with port. */
  host: string;
  hostname: string;
  port: string;
  escapedPath: string;
  rawQuery: string;
}

/** True if Go's `url.ParseRequestURI` accepts the text: an absolute URL, or a path from the root. */
export function isRequestUri(text: string): boolean {
  return requestUriError(text) === undefined;
}

/** The error of an invalid request URI; undefined for a valid one. */
export function requestUriError(text: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what Go refuses here
  if (/[\u0000-\u001f\u007f]/.test(text)) return "it has a control character";
  if (text === "*") return undefined;
  const [, scheme, rest = text] = /^([A-Za-z][A-Za-z0-9+\-.]*):(.*)$/s.exec(text) ?? [];
  if (!rest.startsWith("/")) {
    return scheme === undefined || rest === "" ? "it has neither a scheme nor a path from the root" : undefined;
  }
  const [authority = ""] = scheme !== undefined && rest.startsWith("//") ? rest.slice(2).split(/[/?]/) : [];
  if (!isAuthority(authority)) return "its host, port or user is malformed";
  return isRightlyEscaped(rest.split("?")[0] ?? "") ? undefined : "it has a malformed escape";
}

function isAuthority(authority: string): boolean {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (authority.includes("@") && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority)) return false;
  const [, bracketed, port = ""] = /^(\[.*\])(.*)$/s.exec(host) ?? [];
  if (host.startsWith("[")) return bracketed !== undefined && isPort(port);
  const colon = host.lastIndexOf(":");
  if (colon !== -1 && !isPort(host.slice(colon))) return false;
  return !/[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.test(host) && isRightlyEscaped(host);
}

function isPort(port: string): boolean {
  return /^(?::\d*)?$/.test(port);
}

function isRightlyEscaped(text: string): boolean {
  return !/%(?![0-9A-Fa-f]{2})/.test(text);
}

/** Parses a URL that {@link requestUriError} accepts. */
export function parseUrl(text: string): GoUrl {
  const [withoutFragment = ""] = text.split("#");
  const [, scheme = "", rest = withoutFragment] = /^([A-Za-z][A-Za-z0-9+\-.]*):(.*)$/s.exec(withoutFragment) ?? [];
  const question = rest.indexOf("?");
  const beforeQuery = question === -1 ? rest : rest.slice(0, question);
  const rawQuery = question === -1 ? "" : rest.slice(question + 1);
  const [, authority = "", path = beforeQuery] = /^\/\/([^/]*)(.*)$/s.exec(beforeQuery) ?? [];
  const host = decoded(authority.slice(authority.lastIndexOf("@") + 1));
  const [, bracketed, plain = host, port = ""] = /^(?:\[(.*)\]|([^:]*))(?::(\d*))?$/.exec(host) ?? [];
  return {
    scheme: scheme.toLowerCase(),
    host,
    hostname: bracketed ?? plain,
    port,
    escapedPath: path.startsWith("/") || path === "" ? escapedPath(path) : "",
    rawQuery,
  };
}

/** The path unchanged if it is properly escaped, else escaped again. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path;
  return encodeURI(decoded(path)).replaceAll("%5B", "[").replaceAll("%5D", "]");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Go keeps bytes that are no UTF-8; a JavaScript string cannot.
    return text;
  }
}

/** The values of each query parameter, in order. */
export function parseQuery(rawQuery: string): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const part of rawQuery.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const [name = "", ...value] = part.split("=").map((one) => one.replaceAll("+", " "));
    const key = decoded(name);
    query.set(key, [...(query.get(key) ?? []), decoded(value.join("="))]);
  }
  return query;
}

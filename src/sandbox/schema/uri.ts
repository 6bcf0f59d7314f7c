/** URLs as Go's `net/url` reads them. */

export interface GoUrl {
  scheme: string;
  /** With the port. */
  host: string;
  hostname: string;
  port: string;
  escapedPath: string;
  rawQuery: string;
}

/** Whether Go's `url.ParseRequestURI` takes the text: an absolute URL, or a path from the root. */
export function isRequestUri(text: string): boolean {
  return requestUriError(text) === undefined;
}

/** In the words of Go; undefined when it is one. */
export function requestUriError(text: string): string | undefined {
  const said = (why: string) => `parse ${JSON.stringify(text)}: ${why}`;
  // oxlint-disable-next-line no-control-regex -- control characters are what Go refuses here
  if (/[\u0000-\u001f\u007f]/.test(text)) return said("net/url: invalid control character in URL");
  if (text === "") return said("empty url");
  if (text === "*") return undefined;
  if (text.startsWith(":")) return said("missing protocol scheme");
  const [, scheme, rest = text] = /^([A-Za-z][A-Za-z0-9+\-.]*):(.*)$/s.exec(text) ?? [];
  if (!rest.startsWith("/")) {
    return scheme === undefined || rest === "" ? said("invalid URI for request") : undefined;
  }
  if (scheme !== undefined && rest.startsWith("//")) {
    const [authority = ""] = rest.slice(2).split(/[/?]/);
    const wrong = authorityError(authority);
    if (wrong !== undefined) return said(wrong);
  }
  const [path = ""] = rest.split("?");
  const escape = badEscape(path);
  return escape === undefined ? undefined : said(`invalid URL escape ${JSON.stringify(escape)}`);
}

function authorityError(authority: string): string | undefined {
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (authority.includes("@") && !/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(authority)) {
    return "net/url: invalid userinfo";
  }
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    if (end === -1) return "missing ']' in host";
    return portError(host.slice(end + 1));
  }
  const colon = host.lastIndexOf(":");
  if (colon !== -1) {
    const wrong = portError(host.slice(colon));
    if (wrong !== undefined) return wrong;
  }
  const odd = /[^A-Za-z0-9\-._~!$&'()*+,;=:[\]<>"%\u0080-\u{10ffff}]/u.exec(host)?.[0];
  if (odd !== undefined) return `invalid character ${JSON.stringify(odd)} in host name`;
  const escape = badEscape(host);
  return escape === undefined ? undefined : `invalid URL escape ${JSON.stringify(escape)}`;
}

function portError(port: string): string | undefined {
  return /^(?::\d*)?$/.test(port) ? undefined : `invalid port ${JSON.stringify(port)} after host`;
}

function badEscape(text: string): string | undefined {
  return /%(?![0-9A-Fa-f]{2}).{0,2}/s.exec(text)?.[0];
}

/** Reads a URL that {@link requestUriError} has nothing against. */
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

/** As it stands when it is rightly escaped, else escaped anew. */
function escapedPath(path: string): string {
  if (/^[A-Za-z0-9\-._~!$&'()*+,;=:@/[\]%]*$/.test(path)) return path;
  return encodeURI(decoded(path)).replaceAll("%5B", "[").replaceAll("%5D", "]");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Bytes that are no UTF-8: Go keeps them, a JavaScript string cannot.
    return text;
  }
}

/** The values of each name, in order. */
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

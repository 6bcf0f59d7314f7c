import { readdir, readFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join } from "node:path";

/** Where the page is. Its files, and the query API, are named from here. */
const ROOT = "/dashboard";

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
].join("; ");

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
};

const SAFE: Readonly<Record<string, string>> = {
  "content-security-policy": POLICY,
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
};

interface PageFile {
  type: string;
  body: Buffer;
  /** The name has a hash of the content. */
  isFixed: boolean;
}

/** Gives the files of the page, and nothing else. They are public: rows come from the query API alone. */
export class DashboardFiles {
  readonly #files: ReadonlyMap<string, PageFile>;

  constructor(files: ReadonlyMap<string, PageFile>) {
    this.#files = files;
  }

  /** Reads the folder once: a path of a request never reaches the disk. */
  static async load(folder: string): Promise<DashboardFiles> {
    const files = new Map<string, PageFile>();
    for (const name of await readdir(folder)) {
      const type = TYPES[extname(name)];
      if (type === undefined) continue;
      const path = name === "index.html" ? `${ROOT}/` : `${ROOT}/${name}`;
      files.set(path, { type, body: await readFile(join(folder, name)), isFixed: name !== "index.html" });
    }
    if (!files.has(`${ROOT}/`)) throw new Error(`${folder} has no index.html; build the dashboard with npm run build`);
    return new DashboardFiles(files);
  }

  /** False: the path is not one of the dashboard, and nothing was answered. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const [path = ""] = (request.url ?? "/").split("?", 1);
    if (path !== ROOT && !path.startsWith(`${ROOT}/`)) return false;
    const { method } = request;
    if (method !== "GET" && method !== "HEAD") {
      send(response, 405, "the dashboard is read-only: it answers GET and HEAD\n", { allow: "GET, HEAD" });
    } else if (path === ROOT) {
      // Relative: a proxy in between may have a prefix of its own.
      send(response, 308, "", { location: "dashboard/" });
    } else {
      this.#give(path, method === "HEAD", response);
    }
    return true;
  }

  #give(path: string, isHead: boolean, response: ServerResponse): void {
    const file = this.#files.get(path);
    if (file === undefined) return send(response, 404, "there is no such file of the dashboard\n");
    response.writeHead(200, {
      ...SAFE,
      "content-type": file.type,
      "content-length": file.body.length,
      "cache-control": file.isFixed ? "public, max-age=31536000, immutable" : "no-cache",
    });
    response.end(isHead ? undefined : file.body);
  }
}

function send(response: ServerResponse, code: number, text: string, headers: Record<string, string> = {}): void {
  response.writeHead(code, {
    ...SAFE,
    "content-type": "text/plain; charset=utf-8",
    "cache-control": "no-store",
    ...headers,
  });
  response.end(text);
}

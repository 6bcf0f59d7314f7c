/**
 * The rules of this project that oxlint does not have: which module may import which, and that pure modules do not read the clock.
 * They are tried with deliberate violations in test/integration/lintRules.test.ts.
 */

import { INSIDE } from "./folders.js";

/** A module imports only modules that stand before it. */
const ORDER = [
  "apis",
  "interpreter",
  "scheduler",
  "override",
  "rollout",
  "desiredstate",
  "status",
  "observability",
  "certificates",
  "runtime",
  "ports",
  "hub",
  "clusters",
  "controllers",
  "webhooks",
  "query",
  "dashboard",
  "sandbox",
  "cmd",
];

/**
 * Files besides `index.ts` and `types.ts` that other folders may import. The declaration of a verb is read before the verb is loaded; the quickstart
 * is a program of its own.
 */
const ALSO_ENTRANCES = { cmd: /^(verb|load)\.ts$/ };

/** What other modules may import of a module; tests also what is there for tests. */
const ENTRANCES = /^(index|types)\.ts$/;
const TEST_ENTRANCES = /^(index\.ts|types\.ts|testing\.ts|testing\/.+|testdata\/.+)$/;
const TEST_FILES = /(\.test\.ts$|\/(testing|testdata)\/|\/testing\.ts$)/;

/** @returns {{ module: string, rest: string } | undefined} where a path stands below `src` */
function place(path) {
  const parts = /(?:^|\/)src\/([^/]+)\/(.+)$/.exec(path);
  return parts === null ? undefined : { module: parts[1], rest: parts[2] };
}

/** Resolves `..` and `.`; no file is read. */
function resolve(from, specifier) {
  const segments = from.split("/").slice(0, -1);
  for (const segment of specifier.split("/")) {
    if (segment === "..") segments.pop();
    else if (segment !== ".") segments.push(segment);
  }
  return segments.join("/");
}

/** The innermost room with folders of its own that holds both. */
function roomOf(one, other) {
  const rooms = Object.keys(INSIDE).filter((room) => [one, other].every((path) => path.startsWith(`${room}/`)));
  return rooms.toSorted((a, b) => b.length - a.length)[0];
}

/** Why a file may not import another one of the same room; undefined when it may. */
function refusalInside(here, there) {
  const [from, to] = [here, there].map(({ module, rest }) => `${module}/${rest}`);
  const room = roomOf(from, to);
  if (room === undefined) return undefined;
  const [fromParts, toParts] = [from, to].map((path) => path.slice(room.length + 1).split("/"));
  if (fromParts[0] === toParts[0]) return undefined;
  const rank = ([first, ...inner]) => {
    const place = INSIDE[room].indexOf(first);
    return place < 0 && inner.length === 0 ? INSIDE[room].length : place;
  };
  for (const parts of [fromParts, toParts]) {
    if (rank(parts) < 0) return `${parts[0]} is not in the list of folders of ${room}.`;
  }
  const both = INSIDE[room].length;
  if (rank(toParts) >= rank(fromParts) && !(rank(toParts) === both && rank(fromParts) === both)) {
    return `In ${room}, ${fromParts[0]} imports only what stands before it in the list, and ${toParts[0]} does not.`;
  }
  const [folder, ...inner] = toParts;
  const file = inner.join("/");
  if (file === "" || ENTRANCES.test(file) || ALSO_ENTRANCES[room]?.test(file)) return undefined;
  return `Import from ${folder} through its index.ts, or types.ts for types.`;
}

/** Why a file may not import that; undefined when it may. */
function refusal(filename, specifier) {
  if (!specifier.startsWith(".")) return undefined;
  const here = place(filename);
  const target = resolve(filename, specifier);
  const there = place(target);
  if (here === undefined) return undefined;
  const isTest = TEST_FILES.test(filename);
  if (there === undefined) {
    const allowed = isTest || target.endsWith("/package.json");
    return allowed ? undefined : `${here.module} imports nothing from outside src.`;
  }
  if (here.module === there.module) {
    if (isTest) return undefined;
    return TEST_FILES.test(target) ? "What is there for tests is for tests." : refusalInside(here, there);
  }
  if (here.module === "sandbox" && there.module === "runtime") {
    return "The sandbox shares nothing with the runtime: a mistake in both would hide itself.";
  }
  if (here.module === "clusters" && (there.module === "hub" || there.module === "controllers")) {
    return "A worker knows the ports of src/ports, and nothing of the hub's side.";
  }
  if (there.module === "sandbox" && !isTest && !here.rest.startsWith("quickstart/")) {
    return "Only the quickstart uses the sandbox: the manager's program does not hold it.";
  }
  if (!ORDER.includes(here.module)) return `${here.module} is not in the list of modules.`;
  if (ORDER.indexOf(there.module) >= ORDER.indexOf(here.module) || !ORDER.includes(there.module)) {
    return `${here.module} imports only modules that stand before it in the list, and ${there.module} does not.`;
  }
  if (!(isTest ? TEST_ENTRANCES : ENTRANCES).test(there.rest)) {
    return `Import from ${there.module} through its index.ts, or types.ts for types.`;
  }
  return undefined;
}

const moduleOrder = {
  create(context) {
    const check = (node) => {
      if (node === null || typeof node.value !== "string") return;
      const message = refusal(context.filename.replaceAll("\\", "/"), node.value);
      if (message !== undefined) context.report({ node, message });
    };
    return {
      ImportDeclaration: (node) => check(node.source),
      ImportExpression: (node) => check(node.source),
      ExportAllDeclaration: (node) => check(node.source),
      ExportNamedDeclaration: (node) => check(node.source),
    };
  },
};

/** Refuses `Date.now`, `Date()` and `new Date()`: they read the clock. `new Date(ms)` and `Date.parse` compute. */
const noAmbientTime = {
  create(context) {
    const message = "A pure module gets the time as an argument.";
    const isDate = (node) => node.type === "Identifier" && node.name === "Date";
    return {
      MemberExpression(node) {
        const name = node.computed ? node.property.value : node.property.name;
        if (isDate(node.object) && name === "now") context.report({ node, message });
      },
      NewExpression(node) {
        if (isDate(node.callee) && node.arguments.length === 0) context.report({ node, message });
      },
      CallExpression(node) {
        if (isDate(node.callee)) context.report({ node, message });
      },
    };
  },
};

export default { meta: { name: "meridian" }, rules: { "module-order": moduleOrder, "no-ambient-time": noAmbientTime } };

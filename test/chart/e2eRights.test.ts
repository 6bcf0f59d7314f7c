import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { chartRights, USER } from "../envtest/index.ts";
import type { Rendered } from "./chart.ts";
import type { UsedRight } from "./rights.ts";
import { covers, type GrantedRight, grantedRights, inWords, isForbidden, neededBy, unusedRights } from "./rights.ts";

/** Granted, and not used in the e2e suite; each with what it is for. */
const SELDOM: readonly [RegExp, string][] = [
  [/^create selfsubjectreviews\./, "a manager asks for its own name only if it has a port of its own for queries"],
  [/^list pods$/, "pods are read only where an application does not become healthy on the hub itself"],
  [/^(list|watch) (persistentvolumeclaims|serviceaccounts)$/, "they are read only where an object refers to one"],
  [/^get services$/, "what holds a name on the hub is read only when the name is taken"],
  [/^patch secrets in meridian-system$/, "the token of a member is renewed after 80 % of its life"],
  [/^patch events\.events\.k8s\.io$/, "an Event that repeats for half a minute becomes a series"],
  [
    /^patch cluster(overridepolicies|placements)\S+\/status$/,
    "policies of the whole cluster would touch other tests: install.test.ts has them",
  ],
  [
    /^(create|patch|delete) (cluster)?resourcebindings\S+$/,
    "which kinds have bindings is said with the release: install.test.ts has them",
  ],
  [/^patch manifestbundles\S+$/, "install.test.ts has a bundle"],
];

/** What the managers of the e2e suite asked of their hubs, by the API servers' own record. Runs after that suite: `npm run e2e:rbac`. */
const folder = process.env["MERIDIAN_E2E_AUDIT"];

let used: UsedRight[];
let granted: GrantedRight[];

beforeAll(async () => {
  if (folder === undefined) throw new Error("there is no record: run `npm run e2e:rbac`");
  const found = new Map<string, UsedRight>();
  for (const file of await readdir(folder)) {
    const lines = (await readFile(join(folder, file), "utf8")).split("\n");
    for (const line of lines) {
      const right = line === "" ? undefined : rightOf(JSON.parse(line) as AuditEvent);
      for (const one of right === undefined ? [] : neededBy(right)) found.set(JSON.stringify(one), one);
    }
  }
  used = [...found.values()];
  const [, , namespace = "", name = ""] = USER.split(":");
  granted = grantedRights((await chartRights()) as Rendered[], { namespace, name });
});

interface AuditEvent {
  verb: string;
  user: { username: string };
  objectRef?: { resource: string; subresource?: string; apiGroup?: string; namespace?: string; name?: string };
  responseStatus?: { code?: number };
}

function rightOf({ verb, user, objectRef, responseStatus }: AuditEvent): UsedRight | undefined {
  if (user.username !== USER || objectRef === undefined) return undefined;
  const { resource, subresource, apiGroup: group = "", namespace, name } = objectRef;
  const whole = subresource === undefined ? resource : `${resource}/${subresource}`;
  return { group, resource: whole, verb, namespace, name, status: responseStatus?.code ?? 0 };
}

test("nothing that a manager asked for was missing in the chart's roles", () => {
  expect(used.length).toBeGreaterThan(50);
  expect(used.filter((one) => !granted.some((right) => covers(right, one))).map(inWords)).toEqual([]);
  // An API server that starts again serves before it has read its roles; what it refuses then it grants to the next request.
  const allowed = used.filter(({ status }) => !isForbidden(status)).map(inWords);
  const refused = used.filter(({ status }) => isForbidden(status)).map(inWords);
  expect(refused.filter((one) => !allowed.includes(one))).toEqual([]);
});

test("every right that is granted is used, but for those of which it is said why", () => {
  const unused = unusedRights(granted, used);
  expect(unused.filter((right) => !SELDOM.some(([seldom]) => seldom.test(right)))).toEqual([]);
});

import type { PageBlock } from "./commands.ts";

/** Who reads which part of the pages, and which commands nobody runs here. A command that is in neither list fails a test. */

const README = "README.md";
const RUNNING = "charts/meridian/README.md";
const POLICIES = "placements/README.md";
const TROUBLE = "placements/TROUBLE.md";
const TENANTS = "placements/TENANTS.md";
const TESTS = "test/README.md";
const SOURCE = "src/README.md";

/** Each is a file of tests: `quickstart.test.ts`. */
export type Walk = "quickstart" | "ownFleet" | "helm";

export interface Visit {
  by: Walk;
  page: string;
  title: string;
  /** These commands of the section alone; without it all of them. */
  commands?: RegExp;
}

export const VISITS: readonly Visit[] = [
  { by: "quickstart", page: README, title: "Quickstart" },
  { by: "quickstart", page: README, title: "An operator in three regions" },
  { by: "quickstart", page: TESTS, title: "The quickstart as a test bench" },
  { by: "ownFleet", page: README, title: "Meridian" },
  { by: "ownFleet", page: README, title: "A fleet of your own" },
  { by: "ownFleet", page: POLICIES, title: "Ask before and after" },
  { by: "ownFleet", page: POLICIES, title: "See what a change does before you apply it" },
  { by: "ownFleet", page: POLICIES, title: "Ask why an object runs where it does" },
  { by: "ownFleet", page: POLICIES, title: "Ask what files would not do as meant" },
  { by: "ownFleet", page: TROUBLE, title: "Where to look first" },
  { by: "ownFleet", page: TROUBLE, title: "It runs nowhere" },
  { by: "ownFleet", page: TROUBLE, title: "It runs on some clusters and not on others" },
  { by: "ownFleet", page: TROUBLE, title: "It does not go away" },
  { by: "ownFleet", page: TENANTS, title: "What you do" },
  { by: "ownFleet", page: RUNNING, title: "Install without Helm" },
  { by: "ownFleet", page: RUNNING, title: "Join members" },
  { by: "ownFleet", page: RUNNING, title: "Rights on the hub", commands: /^npm run meridian/ },
  { by: "ownFleet", page: RUNNING, title: "Leaving", commands: /^kubectl annotate/ },
  { by: "ownFleet", page: RUNNING, title: "Bad nights" },
  { by: "helm", page: README, title: "Helm" },
  { by: "helm", page: RUNNING, title: "Install with Helm" },
  { by: "helm", page: RUNNING, title: "Rights on the hub", commands: /^helm/ },
  { by: "helm", page: RUNNING, title: "Security" },
  { by: "helm", page: RUNNING, title: "Upgrade and rollback" },
  { by: "helm", page: RUNNING, title: "Upgrade with two releases" },
  { by: "helm", page: RUNNING, title: "Leaving", commands: /uninstall/ },
];

export interface LeftOut {
  page: string;
  commands: RegExp;
  reason: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  {
    page: POLICIES,
    commands: /^meridian why shop/,
    reason: "`explain` is followed with the same object; src/cmd/inspect/onHub.test.ts shows that `why` says the same",
  },
  {
    page: RUNNING,
    commands: /^helm test /,
    reason: "needs a kubelet that runs the pod: chart/serviceMode.test.ts plays one",
  },
  {
    page: SOURCE,
    commands: /^(npm|npx) /,
    reason: "the suites themselves, which .ci/run runs; two of them write into the sources",
  },
  { page: TESTS, commands: /^npm run (bench|bench:sandbox|mutate) /, reason: "each takes minutes of both cores" },
  {
    page: TESTS,
    commands: /kind create cluster|^ *npm start -- --kubeconfig/,
    reason: "kind runs clusters in containers",
  },
  {
    page: RUNNING,
    commands: /^kube-apiserver /,
    reason: "flags of a hub's API server: helm.test.ts starts its hub with them",
  },
];

/** Blocks that show what a program says, or what a file has: the beginning of each. */
const SHOWN: readonly (readonly [string, string])[] = [
  [README, "hub   "],
  [README, "REGION  "],
  [POLICIES, "1 object on 4 of 4 clusters"],
  [POLICIES, "demoapplication/shop in namespace default, placed by"],
  [RUNNING, "- seriesQuery:"],
];

export function isShown(page: string, { firstLine }: PageBlock): boolean {
  return SHOWN.some(([of, start]) => of === page && firstLine.startsWith(start));
}

export function isLeftOut(page: string, command: string): boolean {
  return LEFT_OUT.some((left) => left.page === page && left.commands.test(command));
}

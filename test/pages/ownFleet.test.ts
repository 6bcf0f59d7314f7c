import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DemoApplication } from "../../src/apis/index.ts";
import { expectNoTraces } from "../e2e/installation.ts";
import { eventually, type Fleet, startFleet } from "../envtest/index.ts";
import { fencedBlocks, read } from "../integration/pages/markdown.ts";
import { exampleOf } from "./examples.ts";
import { Reader } from "./reader.ts";

/**
 * What the pages let somebody do who has a hub and three members of his own, all of them real control planes: from the first command to the
 * last trace of Meridian. Tests build on each other.
 */

const README = "README.md";
const RUNNING = "charts/meridian/README.md";
const POLICIES = "placements/README.md";
const TROUBLE = "placements/TROUBLE.md";
const TENANTS = "placements/TENANTS.md";

const FLEET = "A fleet of your own";
const CITIES = { shanghai: "cn-shanghai", singapore: "ap-southeast-1", frankfurt: "eu-central-1" };
const MERIDIAN = "npm run -s meridian --";
const NAMESPACE_GONE = "wait --for=delete namespace/meridian-system --timeout=60s";
/** What the manager logs when its work begins. */
const LEADS = /became the leader/;

/** The groups are those of the Roles on the page for tenants. */
const ANNA = { name: "anna", groups: ["team-shop", "tenants"], token: randomBytes(16).toString("hex") };

let fleet: Fleet;
let reader: Reader;

beforeAll(async () => {
  fleet = await startFleet({
    hub: { people: [ANNA] },
    members: Object.entries(CITIES).map(([name, region]) => ({ name, region })),
  });
  reader = await Reader.arrive("ownFleet", { NAME: "shanghai-1" });
  await reader.has("hub.kubeconfig", fleet.hub.kubeconfig);
  for (const { name, plane } of fleet.members) await reader.has(`${name}.kubeconfig`, plane.kubeconfig);
});
afterAll(async () => {
  await reader?.[Symbol.asyncDispose]();
  await fleet?.[Symbol.asyncDispose]();
});

/** So that what a page says of one application is seen, and not what went before. */
async function untilRuns(name: string, namespace: string, clusters: string[]): Promise<void> {
  await eventually(
    async () => {
      const { stdout } = await reader.does(`kubectl get demoapplication ${name} -n ${namespace} -o json`);
      const { status, metadata } = JSON.parse(stdout) as DemoApplication;
      expect(status?.observedGeneration).toBe(metadata.generation);
      const available = (status?.clusters ?? []).filter(({ state }) => state === "Available");
      expect(available.map((cluster) => cluster.name).sort()).toEqual([...clusters].sort());
    },
    { timeout: 60_000, interval: 250 },
  );
}

describe("a fleet of your own", () => {
  test("is a table of three clusters, a few commands after the hub", async () => {
    await reader.follow(README, FLEET, [
      [/-- manager/, { until: LEADS }],
      [/apply -f placements/, {}],
      [/status -o wide$/, { exits: [0, 1], afterwards: ({ stdout }) => expect(stdout).toContain("nginx-demo") }],
    ]);
    await reader.followSentence(README, FLEET, "kubectl wait --for=condition=Ready demo/nginx-demo");
    await reader.follow(README, "Meridian", [
      [/status$/, { afterwards: ({ stdout }) => expect(stdout).toMatch(/nginx-demo +10\/10 +3\/3 /) }],
    ]);
  });

  test("puts back what somebody scales by hand, and says who it was", async () => {
    await reader.does("kubectl --kubeconfig shanghai.kubeconfig scale deployment nginx-demo --replicas 9");
    await eventually(async () => {
      const events = await reader.does(
        "kubectl get events --field-selector reason=DriftHealed -o jsonpath={.items[*].message}",
      );
      expect(events.stdout).toMatch(/spec\.replicas.*kubectl/);
    });
    await untilRuns("nginx-demo", "default", ["shanghai-1", "singapore-1", "frankfurt-1"]);
  });
});

test("a stopped region keeps its last numbers, and status says so", async () => {
  const { plane } = fleet.member("frankfurt");
  await plane.stop();
  const inTrouble = /frankfurt-1 +.*Unknown.*ClusterUnreachable/;
  await eventually(
    async () => {
      const { stdout } = await reader.does(`${MERIDIAN} status nginx-demo`, [1]);
      expect(stdout).toMatch(inTrouble);
    },
    { timeout: 90_000, interval: 1_000 },
  );
  await plane.start();
  await untilRuns("nginx-demo", "default", ["shanghai-1", "singapore-1", "frankfurt-1"]);
});

describe("before and after", () => {
  test("plan and explain say what an application does and would do", async () => {
    await reader.has(
      "first.yaml",
      `${exampleOf("The application of the examples")}---\n${exampleOf("Run in some regions")}`,
    );
    await reader.does("kubectl apply -f first.yaml");
    await untilRuns("shop", "default", ["shanghai-1", "singapore-1"]);
    await reader.has("shop.yaml", exampleOf("The application of the examples").replace("replica: 6", "replica: 4"));
    await reader.has("placement.yaml", exampleOf("Prefer one group of clusters"));

    await reader.follow(POLICIES, "Ask before and after");
    await reader.follow(POLICIES, "See what a change does before you apply it", [
      [
        /plan -f shop.yaml/,
        { exits: [1], afterwards: ({ stdout }) => expect(stdout).toContain("spec.replicas: 6 -> 4") },
      ],
      [/plan --policy/, { exits: [1] }],
      [/plan --without/, { exits: [1], afterwards: ({ stdout }) => expect(stdout).toContain("held on frankfurt-1") }],
      [/plan --drain/, { exits: [0, 1] }],
      [/plan --cordon/, { exits: [0], afterwards: ({ stdout }) => void JSON.parse(stdout) }],
      [
        /plan --without-hub/,
        { exits: [1], afterwards: ({ stdout }) => expect(stdout).toContain("demoapplication/shop") },
      ],
    ]);
    await reader.follow(POLICIES, "Ask why an object runs where it does", [
      [/explain shop -n default/, { afterwards: ({ stdout }) => expect(stdout).toContain("singapore-1") }],
      [/--cluster frankfurt-1/, { exits: [1] }],
      [/explain shop -o wide/, {}],
      [/explain --without-hub/, { afterwards: ({ stdout }) => void JSON.parse(stdout) }],
    ]);
    await reader.follow(POLICIES, "Ask what files would not do as meant", [
      [/analyze -f placements/, { exits: [0, 1], afterwards: ({ stdout }) => expect(stdout).toContain("objects: ") }],
      [/analyze -f shop.yaml/, { exits: [0, 1], afterwards: ({ stdout }) => void JSON.parse(stdout) }],
    ]);
  });

  test("the page for trouble has an answer to each command", async () => {
    await reader.follow(TROUBLE, "Where to look first", [
      [/meridian status/, { afterwards: ({ stdout }) => expect(stdout).toMatch(/READY.*\n.*shop/) }],
      [/get demoapplication/, { afterwards: ({ stdout }) => expect(stdout).toContain("REASON") }],
      [/get events/, { afterwards: ({ stdout }) => expect(stdout).toContain("demoapplication/shop") }],
    ]);
    await reader.follow(TROUBLE, "It runs nowhere", [[/plan -f shop.yaml/, { exits: [1] }]]);
    await reader.follow(TROUBLE, "It runs on some clusters and not on others");
    await reader.follow(TROUBLE, "It does not go away");
    await reader.does("kubectl delete -f first.yaml");
  });
});

test("a tenant applies, sees and explains in a namespace, and nothing else", async () => {
  await reader.has("tenants.yaml", fencedBlocks(read(TENANTS), "yaml").join("---\n"));
  await reader.does("kubectl create namespace shop");
  await reader.does("kubectl apply -f tenants.yaml");
  await reader.has("anna.kubeconfig", fleet.hub.kubeconfigFor({ token: ANNA.token }));
  await reader.has(
    "shop.yaml",
    `${exampleOf("The application of the examples")}---\n${exampleOf("Run in some regions")}`,
  );
  await reader.does("export KUBECONFIG=anna.kubeconfig");
  await reader.does("kubectl config set-context --current --namespace shop");
  await eventually(() => reader.does("kubectl auth can-i create placements -n shop"), { interval: 250 });
  await reader.follow(TENANTS, "What you do", [
    [/plan -f shop.yaml/, { exits: [1], afterwards: ({ stdout }) => expect(stdout).toContain("shanghai-1") }],
    [/kubectl apply/, { afterwards: () => untilRuns("shop", "shop", ["shanghai-1", "singapore-1"]) }],
    [/status -n shop/, { afterwards: ({ stdout }) => expect(stdout).toContain("shop") }],
    [/explain shop/, { afterwards: ({ stdout }) => expect(stdout).toContain("frankfurt-1") }],
  ]);
  await reader.followSentence(TENANTS, "What the platform decides", "kubectl get memberclusters");
  for (const refused of [
    "get secrets -n meridian-system",
    "get demoapplications -n default",
    "delete membercluster shanghai-1",
  ]) {
    const { stderr } = await reader.does(`kubectl ${refused}`, [1]);
    expect(stderr).toContain("Forbidden");
  }
  await reader.does("export KUBECONFIG=hub.kubeconfig");
  await reader.does("kubectl delete -f tenants.yaml");
});

describe("running it", () => {
  test("rights for a kind are added to an installation", () => reader.follow(RUNNING, "Rights on the hub"));

  test("what a bad night asks for can be typed", async () => {
    await reader.follow(RUNNING, "Bad nights", [
      [/custom-columns/, { afterwards: ({ stdout }) => expect(stdout).toMatch(/^NAME +HELD\nfrankfurt-1 +<none>/) }],
    ]);
    // Agreed to what did not happen: taken back.
    await reader.does("kubectl annotate membercluster shanghai-1 federation.paas.cmft.com/accept-deletions-");
    await reader.does("kubectl annotate crd demoapplications.paas.cmft.com federation.paas.cmft.com/allow-deletion-");
  });

  test("a member is drained, comes back, leaves, and is joined again", async () => {
    const where = "Leaving";
    await reader.followSentence(RUNNING, "Running Meridian", "alias meridian='npm run -s meridian --'");
    await reader.followSentence(RUNNING, where, "meridian plan --drain NAME", { exits: [0, 1] });
    await reader.followSentence(RUNNING, where, "meridian cordon NAME");
    await reader.followSentence(RUNNING, where, "meridian uncordon NAME");
    await reader.followSentence(README, FLEET, "npm run meridian -- unjoin NAME");
    // The cluster's own controllers empty the namespace a moment after the command.
    await reader.does(`kubectl --kubeconfig shanghai.kubeconfig ${NAMESPACE_GONE}`);
    await reader.follow(RUNNING, "Join members", [
      [/--dry-run/, {}],
      [/--region cn-shanghai$/, {}],
      [/--renew$/, {}],
      [/--kinds/, {}],
      [
        /--namespaces/,
        {
          afterwards: async () => {
            const namespaces = await reader.does("kubectl --kubeconfig shanghai.kubeconfig get namespaces -o name");
            expect(namespaces.stdout).toContain("namespace/orders");
          },
        },
      ],
    ]);
    await reader.does(`${MERIDIAN} join shanghai-1 --member-kubeconfig shanghai.kubeconfig --renew --namespaces '*'`);
    await reader.follow(RUNNING, where);
  });

  test("uninstall says every step first, and leaves nothing", async () => {
    const { stdout, stderr } = await reader.followSentence(
      README,
      FLEET,
      "npm run meridian -- uninstall --drain --dry-run",
    );
    for (const city of Object.keys(CITIES)) expect(stdout).toContain(`${city}-1`);
    expect(stderr).not.toContain("could not be looked at");
    const leaving = reader.terminal.open(`KUBECONFIG=hub.kubeconfig ${MERIDIAN} uninstall --drain --yes`);
    try {
      await leaving.until(/wait until the manager is stopped/);
      expect(await reader.running.interrupt()).toBe(0);
      expect(await leaving.exited, leaving.output).toBe(0);
    } finally {
      await leaving[Symbol.asyncDispose]();
    }
    await expectNoTraces([fleet.hub, ...fleet.members.map(({ plane }) => plane)]);
  });
});

test("the program is installed without Helm, with managers on the hub", async () => {
  await reader.does(`kubectl ${NAMESPACE_GONE}`);
  await reader.does("unset KUBECONFIG && mkdir -p ~/.kube && cp hub.kubeconfig ~/.kube/config");
  await reader.follow(RUNNING, "Install without Helm", [
    [/install --dry-run/, {}],
    [/-- install$/, {}],
    [/-- manager/, { until: LEADS, afterwards: async () => expect(await reader.running.interrupt()).toBe(0) }],
    [/install --manager/, {}],
  ]);
});

test("nothing that was to be followed was left out", () => expect(reader.unvisited()).toEqual([]));

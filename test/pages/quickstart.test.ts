import { existsSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stringify } from "yaml";
import type { DemoApplication } from "../../src/apis/index.ts";
import { MYSQL_CRDS } from "../e2e/mysqlOperator.ts";
import { renderedOperator } from "../e2e/operatorChart.ts";
import { eventually } from "../envtest/index.ts";
import { commandsIn, Reader } from "./reader.ts";

/** What the pages let a newcomer do who has nothing but Node, and kubectl and helm for the operator. Tests build on each other. */

const BENCH = { page: "test/README.md", title: "The quickstart as a test bench" };

let reader: Reader;

beforeAll(async () => {
  reader = await Reader.arrive("quickstart");
  // The operator's chart, as `helm pull --untar` leaves it, under the name that the page gives it.
  await reader.has("CHART/Chart.yaml", stringify({ apiVersion: "v2", name: "mysql-operator", version: "0.6.3" }));
  for (const crd of MYSQL_CRDS) await reader.has(`CHART/crds/${crd.metadata.name}.yaml`, stringify(crd));
  await reader.has("CHART/templates/all.yaml", renderedOperator("{{ .Release.Namespace }}", []));
});
afterAll(() => reader?.[Symbol.asyncDispose]());

async function expectClusters(expected: Record<string, unknown>, timeout = 40_000): Promise<void> {
  await eventually(
    async () => {
      const { stdout } = await reader.does("kubectl get demoapplication nginx-demo -o json");
      const { status } = JSON.parse(stdout) as DemoApplication;
      const clusters = (status?.clusters ?? []).map(({ name, state, replicas }) => [
        name,
        `${state} ${replicas.desired}`,
      ]);
      expect(Object.fromEntries(clusters)).toMatchObject(expected);
    },
    { timeout, interval: 500 },
  );
}

test("npm start shows four regions at work, and Ctrl-C leaves nothing", async () => {
  await reader.follow("README.md", "Quickstart", [[/^npm start$/, { until: /Ctrl-C/ }]]);
  const { output } = reader.running;
  for (const region of ["cn-shanghai", "ap-southeast-1", "eu-central-1"])
    expect(output).toMatch(new RegExp(`${region}.*Available`));
  const [folder = ""] = /\/\S+(?= \(temporary\))/.exec(output) ?? [];
  expect(existsSync(folder)).toBe(true);
  expect(await reader.running.interrupt()).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

test("an operator and its database come to three regions, and leave again", async () => {
  const gone = async () => {
    for (const region of ["cn-shanghai", "ap-southeast-1", "eu-central-1"]) {
      const member = `kubectl --kubeconfig fleet/${region}.kubeconfig`;
      await eventually(async () => {
        const { stdout } = await reader.does(`${member} get crd,deployment,clusterrole -o name | grep mysql || true`);
        expect(stdout).toBe("");
      });
    }
  };
  await reader.follow("README.md", "An operator in three regions", [
    [/^npm start/, { until: /Ctrl-C/ }],
    [
      /status mysqlcluster\/my-db$/,
      {
        exits: [0, 1],
        afterwards: async ({ stdout }) => {
          expect(stdout).toContain("my-db");
          for (const [region, replicas] of Object.entries({
            "cn-shanghai": "5",
            "ap-southeast-1": "2",
            "eu-central-1": "2",
          })) {
            const database = `kubectl --kubeconfig fleet/${region}.kubeconfig get mysqlcluster my-db`;
            await eventually(async () => {
              const said = await reader.does(`${database} -o jsonpath={.spec.replicas}`);
              expect(said.stdout).toBe(replicas);
            });
          }
          // The quickstart runs no containers: the page says what the database stays there.
          const said = await reader.does("npm run -s meridian -- status mysqlcluster/my-db", [1]);
          expect(said.stdout).toMatch(/Unknown +.*NoReport/);
        },
      },
    ],
    [/^kubectl delete -f CHART\/crds/, { afterwards: gone }],
  ]);
});

test("the quickstart can be broken as its screen says, and mended", async () => {
  const screen = reader.running.output.replaceAll(/kubectl --kubeconfig \S+ /g, "kubectl ");
  for (const { text } of commandsIn(BENCH.page, BENCH.title).filter((command) => command.text.startsWith("kubectl"))) {
    expect(screen).toContain(text.replace(/\s+#.*/, ""));
  }
  await reader.follow(BENCH.page, BENCH.title, [
    [/fault=partition/, { afterwards: () => expectClusters({ "eu-central-1": "Unknown 2" }) }],
    [/sandbox.paas.cmft.com\/fault-/, { afterwards: () => expectClusters({ "eu-central-1": "Available 2" }) }],
    [/patch overridepolicy/, { afterwards: () => expectClusters({ "cn-shanghai": "Available 8" }) }],
    [/delete overridepolicy/, {}],
    [
      /kubectl scale/,
      { afterwards: () => expectClusters({ "us-east-1": "Available 6", "cn-shanghai": "Available 8" }) },
    ],
    [
      /does-not-exist/,
      {
        afterwards: async () => {
          await expectClusters({ "cn-shanghai": "Progressing 8" });
          await expectClusters({ "cn-shanghai": "Available 8", "us-east-1": "Available 6" });
        },
      },
    ],
    [
      /nginx:latest/,
      { afterwards: () => expectClusters({ "cn-shanghai": "Available 8", "us-east-1": "Available 6" }) },
    ],
  ]);
  expect(await reader.running.interrupt()).toBe(0);
});

test("nothing that was to be followed was left out", () => expect(reader.unvisited()).toEqual([]));

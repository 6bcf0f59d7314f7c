import { describe, expect, test } from "vitest";
import { joinCommand, nextStep, renewCommand } from "../../../src/apis/index.ts";
import { REASONS } from "../../../src/apis/reasons/reasons.ts";
import { commandsIn, flawOf, printedCommands } from "./printedCommands.ts";

/** Commands that a text names and asks nobody to run: descriptions of fields, and the beginning of a longer command. */
const MENTIONED: ReadonlySet<string> = new Set([
  "kubectl --kubeconfig VALUE",
  "meridian bundle create",
  "meridian join --namespaces",
  "meridian rollout resume",
]);

describe("a command that the program prints can be run as it stands:", () => {
  test("every one that stands in a text", async () => {
    const printed = printedCommands().filter(({ command }) => !MENTIONED.has(command));
    expect(printed.length).toBeGreaterThan(80);
    const flaws = await Promise.all(
      printed.map(async ({ file, command }) => {
        const flaw = await flawOf(command);
        return flaw === undefined ? [] : [`${file}: ${command}: ${flaw}`];
      }),
    );
    expect(flaws.flat()).toEqual([]);
  });

  test.each([
    joinCommand("shanghai-1"),
    renewCommand("shanghai-1"),
    renewCommand("shanghai-1", "--namespaces '*'"),
    renewCommand("shanghai-1", "--kinds mysqlclusters.mysql.presslabs.org"),
    renewCommand("NAME", "--allow-protected kube-system/Role"),
  ])("%s", async (command) => expect(await flawOf(command)).toBeUndefined());

  test.each(Object.keys(REASONS))("the next step of %s", async (reason) => {
    const where = { cluster: "shanghai-1", object: "statefulset/db -n shop", namespace: "shop" };
    const step = nextStep(reason, where);
    expect(step).not.toMatch(/[{}]|undefined/);
    for (const command of commandsIn(step)) expect({ command, flaw: await flawOf(command) }).toEqual({ command });
  });

  test("the next step of a reason that a member gives", async () => {
    const commands = commandsIn(nextStep("CreateContainerConfigError", { object: "shop -n team", namespace: "team" }));
    expect(commands).toHaveLength(2);
    for (const command of commands) expect(await flawOf(command)).toBeUndefined();
  });
});

test.each([
  ["meridian join shanghai-1 --renew", /--member-kubeconfig/],
  ["meridian stauts", /unknown command/],
  ["kubectl describe pods", /no namespace/],
  ["kubectl logs --previous", /needs/],
  ["kubectl delete crd x --force", /no flag --force/],
])("%s would be found", async (command, flaw) => expect(await flawOf(command)).toMatch(flaw));

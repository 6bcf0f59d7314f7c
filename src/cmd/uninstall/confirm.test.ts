import { describe, expect, test } from "vitest";
import { DEMOAPPLICATIONS, RESOURCEBINDINGS } from "../../runtime/index.ts";
import { confirm, printWhatStays } from "./confirm.ts";
import type { Application, Observed } from "./state.ts";
import { EMPTY_HUB } from "./testing/emptyHub.ts";

function application(name: string, clusters: string[], keepsCopies = false): Application {
  const life = { uid: name, deleting: false, finalizers: [], guarded: false, owner: false };
  return { type: DEMOAPPLICATIONS, namespace: "default", name, clusters, keepsCopies, ...life };
}

const seen: Observed = {
  ...EMPTY_HUB,
  applications: [application("shop", ["a", "b"]), application("kept", ["b"], true)],
  managerAlive: true,
};

/** What a person at the terminal sees and types; no answer: there is no terminal. */
async function asked(objects: "Drain" | "Orphan", yes: boolean, answer?: string) {
  let said = "";
  const say = (text: string): void => void (said += text);
  const ask = (question: string): Promise<string> => {
    say(question);
    return Promise.resolve(answer ?? "");
  };
  const terminal = { out: say, err: say, color: false, interactive: false, ...(answer === undefined ? {} : { ask }) };
  const { signal } = new AbortController();
  const agreed = await confirm(seen, { objects, yes }, { terminal, signal }).then(
    () => true,
    () => false,
  );
  return { said, agreed };
}

describe("before anything is removed", () => {
  test.each([
    ["a person who types yes agrees", false, "yes\n", true],
    ["whatever else they type is a no", false, "y", false],
    ["an empty line is a no", false, "", false],
    ["--yes is not asked about", true, "no", true],
    ["--yes needs no terminal", true, undefined, true],
    ["without a terminal --yes is needed", false, undefined, false],
  ])("%s", async (_, yes, answer, want) => expect((await asked("Drain", yes, answer)).agreed).toBe(want));

  test("the question has the counts", async () => {
    const { said } = await asked("Drain", false, "no");
    expect(said).toContain("Remove Meridian with 2 demoapplications from this hub? Type yes to go on: ");
  });

  test("what an orphaning leaves is named, cluster by cluster", async () => {
    const { said } = await asked("Orphan", true);
    expect(said).toBe("left running on a: default/shop\nleft running on b: default/shop, default/kept\n");
  });

  test("what is left of objects that are sent as they are is named as well", async () => {
    const life = { uid: "b", deleting: false, finalizers: [], guarded: false };
    const bound = { type: RESOURCEBINDINGS, namespace: "default", name: "configmap.settings", ...life };
    const bindings = [{ ...bound, resource: "configmap default/settings", clusters: ["a"], keepsCopies: false }];
    let said = "";
    const err = (text: string): void => void (said += text);
    const terminal = { out: () => undefined, err, color: false, interactive: false };
    printWhatStays({ ...EMPTY_HUB, bindings }, "Orphan", terminal);
    printWhatStays({ ...EMPTY_HUB, bindings }, "Drain", terminal);
    expect(said).toBe(
      "left running on a: configmap default/settings\nkept on the hub, and removed from the members: configmap default/settings\n",
    );
  });

  test("what a policy keeps of a drain is named, too", async () => {
    expect((await asked("Drain", true)).said).toBe("left running on b: default/kept\n");
  });
});

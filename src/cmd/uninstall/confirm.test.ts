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
async function asked(
  objects: "Drain" | "Orphan",
  yes: boolean,
  answer?: string,
): Promise<{ said: string; agreed: boolean }> {
  let said = "";
  const say = (text: string): void => void (said += text);
  const terminal = {
    out: say,
    err: say,
    color: false,
    interactive: false,
    ...(answer === undefined
      ? {}
      : {
          ask: (question: string) => {
            say(question);
            return Promise.resolve(answer);
          },
        }),
  };
  try {
    await confirm(seen, { objects, yes }, { terminal, signal: new AbortController().signal });
    return { said, agreed: true };
  } catch (error) {
    return { said: `${said}${(error as Error).message}`, agreed: false };
  }
}

describe("before anything is removed", () => {
  test.each([
    { name: "a person who types yes agrees", yes: false, answer: "yes\n", want: true },
    { name: "whatever else they type is a no", yes: false, answer: "y", want: false },
    { name: "an empty line is a no", yes: false, answer: "", want: false },
    { name: "--yes is not asked about", yes: true, answer: "no", want: true },
    { name: "--yes needs no terminal", yes: true, answer: undefined, want: true },
    { name: "without a terminal --yes is needed", yes: false, answer: undefined, want: false },
  ])("$name", async ({ yes, answer, want }) => expect((await asked("Drain", yes, answer)).agreed).toBe(want));

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
    const terminal = {
      out: () => undefined,
      err: (text: string) => void (said += text),
      color: false,
      interactive: false,
    };
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

import { afterAll, beforeAll, chai, describe, expect, inject, test } from "vitest";
import { knownDifferences } from "../index.ts";
import { Client, type Side } from "./client.ts";
import { differences } from "./differences.ts";
import { type Outcome, Play } from "./play.ts";
import type { Cases, Step } from "./requests.ts";

// By default the values in a failure are cut to one line.
chai.config.truncateThreshold = 4000;

declare module "vitest" {
  interface ProvidedContext {
    conformance: {
      real: Side;
      sandbox: Side;
    };
    /** Files: of the two that are compared, and of a sandbox with controllers. */
    kubeconfigs: { real: string; sandbox: string; living: string };
  }
}

/** The two servers, as clients, until the file's tests are done. */
export function bothSides(): { readonly real: Client; readonly sandbox: Client } {
  const { real, sandbox } = inject("conformance");
  const sides = { real: new Client(real), sandbox: new Client(sandbox) };
  afterAll(async () => {
    await Promise.all([sides.real[Symbol.asyncDispose](), sides.sandbox[Symbol.asyncDispose]()]);
  });
  return sides;
}

export interface TopicOptions {
  /** Values of placeholders `{name}` besides `{ns}`, the case's namespace. */
  words?: () => Record<string, string>;
  /** First steps of every case, which are compared as well. */
  before?: readonly Step[];
}

/** One test for each case: in a namespace of its own, on both servers at once, answer by answer. */
export function conformance(topic: string, cases: Cases, options: TopicOptions = {}): void {
  describe(topic, () => {
    const { real, sandbox } = bothSides();
    let words: Record<string, string> = {};
    beforeAll(() => {
      words = options.words?.() ?? {};
    });
    const prefix = namespaceOf(topic);
    for (const [index, [name, steps]] of Object.entries(cases).entries()) {
      const differs = knownDifferences[`${topic} > ${name}`];
      test.concurrent(name, async () => {
        const ns = `${prefix}-${index}`;
        const played = [...(options.before ?? []), ...steps];
        const playOn = async (client: Client, checked: boolean) => {
          await makeNamespace(client, ns);
          return new Play(client, { ...words, ns }, checked).run(played);
        };
        const [wanted, got] = await Promise.all([playOn(real, true), playOn(sandbox, false)]);
        if (differs === undefined) expectSame(got, wanted);
        else expect(got, `it no longer differs (${differs})`).not.toEqual(wanted);
      });
    }
  });
}

/** Fails at the first step at which the sandbox did something else. */
export function expectSame(got: readonly Outcome[], wanted: readonly Outcome[]): void {
  for (const [index, outcome] of wanted.entries()) {
    expect(differences(outcome, got[index]), `step ${index + 1}, ${outcome.request}`).toEqual([]);
  }
}

/** Creates an empty namespace: without controllers it has no ServiceAccount and no ConfigMap. */
export async function makeNamespace(client: Client, name: string): Promise<void> {
  const { code, body } = await client.send({
    method: "POST",
    path: "/api/v1/namespaces",
    headers: {
      authorization: `Bearer ${client.side.token}`,
      "content-type": "application/json",
      "user-agent": "conformance",
    },
    body: JSON.stringify({ apiVersion: "v1", kind: "Namespace", metadata: { name } }),
  });
  if (code !== 201) throw new Error(`${client.side.name} refuses the namespace ${name}: ${JSON.stringify(body)}`);
}

function namespaceOf(topic: string): string {
  return topic
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, 40)
    .replace(/^-|-$/g, "");
}

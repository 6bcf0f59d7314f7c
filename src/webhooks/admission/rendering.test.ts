import { describe, expect, test } from "vitest";
import { applicationObject, overrideObject } from "../../../test/builders/policyObjects.ts";
import type { KubeObject } from "../../apis/index.ts";
import { factsOf, requestOf } from "../testing/facts.ts";
import { cluster, demo, NOW, said } from "../testing/judging.ts";
import { judgeRequest } from "./judge.ts";

describe("a policy that makes too much of its objects", () => {
  const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
  const copies = (from: number, to: number): object[] =>
    times(to - from, (n) => ({
      op: "copy",
      kind: "Deployment",
      from: "/spec/template",
      path: `/spec/template/c${from + n}`,
    }));
  const doubling = [{ patches: copies(0, 30) }];
  const policyOf = (rules: object[]): KubeObject => ({
    ...overrideObject({}),
    spec: { resourceSelectors: [demo], rules },
  });
  const on = (name: string, rule: object): object => ({ targetClusters: { clusterNames: [name] }, ...rule });

  test.each([
    { what: "by a template that is copied into itself", rules: doubling, field: "spec.rules[0]" },
    {
      what: "by rules that meet on one cluster",
      rules: [
        on("a", { patches: copies(0, 12) }),
        on("b", { patches: copies(12, 14) }),
        on("a", { patches: copies(14, 28) }),
      ],
      field: "spec.rules[2]",
    },
    {
      what: "by a value of 9,000 levels",
      rules: [
        {
          patches: [
            { op: "add", path: "/spec/deep", value: JSON.parse(`${"[".repeat(9_000)}${"]".repeat(9_000)}`) as unknown },
          ],
        },
      ],
      field: "spec.rules[0].patches[0].value",
    },
  ])("is refused: $what", ({ rules, field }) => {
    const request = requestOf("CREATE", policyOf(rules));
    const { problems } = judgeRequest(request, factsOf({ clusters: [cluster("a"), cluster("b")] }), NOW);
    expect(problems).toMatchObject([{ field, message: expect.stringMatching(/levels|bytes|fields/) }]);
  });

  test("is refused for what it makes of an object that it selects", () => {
    const large = applicationObject({ env: times(200, (n) => ({ name: `V${n}`, value: "x".repeat(1_000) })) });
    const policy = policyOf([{ patches: copies(0, 8) }]);
    expect(said(requestOf("CREATE", policy))).toBe("");
    expect(said(requestOf("CREATE", policy), { selectedBy: () => [large] })).toMatch(
      /spec.rules\[0\]: patch \d on Deployment/,
    );
  });

  test("is let through where its rules never meet, and where a path is for another object to have", () => {
    const rules = [
      on("a", { patches: copies(0, 12) }),
      on("b", { patches: copies(0, 12) }),
      { patches: [{ op: "remove", path: "/spec/none" }] },
    ];
    expect(said(requestOf("CREATE", policyOf(rules)), { clusters: [cluster("a"), cluster("b")] })).toBe("");
  });

  test("that was stored before the bound was is mended, and deleted", () => {
    const before = policyOf(doubling);
    expect(said(requestOf("UPDATE", policyOf([{ labels: { a: "b" } }]), before))).toBe("");
    expect(said(requestOf("DELETE", before))).toBe("");
  });
});

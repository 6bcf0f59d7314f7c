import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../apis/index.ts";
import { fieldChanges } from "./fieldChanges.ts";

const object = (content: object, metadata: object = {}, kind = "Deployment"): KubeObject => ({
  apiVersion: kind === "Deployment" ? "apps/v1" : "v1",
  kind,
  metadata: { name: "shop", ...metadata },
  ...content,
});

const pod = (spec: object): object => ({ spec: { template: { spec } } });

interface Case {
  name: string;
  before: KubeObject | undefined;
  after: KubeObject | undefined;
  want: unknown[];
}

describe("fieldChanges", () => {
  test.each<Case>([
    { name: "nothing", before: object({ spec: { a: 1 } }), after: object({ spec: { a: 1 } }), want: [] },
    {
      name: "one value",
      before: object({ spec: { replicas: 3, paused: false } }),
      after: object({ spec: { replicas: 5, paused: false } }),
      want: [{ path: "spec.replicas", before: 3, after: 5 }],
    },
    {
      name: "an item of a list, by its name",
      before: object(
        pod({
          containers: [
            { name: "web", image: "a:1" },
            { name: "side", image: "b:1" },
          ],
        }),
      ),
      after: object(
        pod({
          containers: [
            { name: "side", image: "b:1" },
            { name: "web", image: "a:2" },
          ],
        }),
      ),
      want: [{ path: "spec.template.spec.containers[name=web].image", before: "a:1", after: "a:2" }],
    },
    {
      name: "an item that is new, and one that goes, each as a whole",
      before: object(pod({ env: [{ name: "A", value: "1" }] })),
      after: object(pod({ env: [{ name: "B", value: "2" }] })),
      want: [
        { path: "spec.template.spec.env[name=A]", before: { name: "A", value: "1" } },
        { path: "spec.template.spec.env[name=B]", after: { name: "B", value: "2" } },
      ],
    },
    {
      name: "a list without names, as a whole",
      before: object(pod({ args: ["a", "b"] })),
      after: object(pod({ args: ["a"] })),
      want: [{ path: "spec.template.spec.args", before: ["a", "b"], after: ["a"] }],
    },
    {
      name: "labels one by one, also the first",
      before: object({}),
      after: object({}, { labels: { team: "web", "example.com/tier": "front" } }),
      want: [
        { path: "metadata.labels[example.com/tier]", after: "front" },
        { path: "metadata.labels.team", after: "web" },
      ],
    },
    {
      name: "neither the status, nor Meridian's marks, nor what servers write",
      before: object({ status: { replicas: 1 } }, { resourceVersion: "1" }),
      after: object(
        { status: { replicas: 2 } },
        { resourceVersion: "2", annotations: { "federation.paas.cmft.com/desired-hash": "x" } },
      ),
      want: [],
    },
    {
      name: "of a Secret which key changes, and no value",
      before: object({ data: { password: "b2xk", user: "YQ==" } }, { annotations: { note: "old" } }, "Secret"),
      after: object({ data: { password: "bmV3", user: "YQ==" } }, { annotations: { note: "b2xk" } }, "Secret"),
      want: [
        { path: "data.password", masked: true },
        { path: "metadata.annotations.note", masked: true },
      ],
    },
    {
      name: "that pods read other content, and not its hash",
      before: object({ spec: { annotations: { "federation.paas.cmft.com/dependencies-hash": "1" } } }),
      after: object({ spec: { annotations: { "federation.paas.cmft.com/dependencies-hash": "2" } } }),
      want: [{ path: "spec.annotations[federation.paas.cmft.com/dependencies-hash]", masked: true }],
    },
  ])("says $name", ({ before, after, want }) => expect(fieldChanges(before, after)).toEqual(want));

  test("never shows a value of a Secret that comes or goes", () => {
    const secret = object({ data: { password: "b2xk" }, stringData: { more: "plain" } }, {}, "Secret");
    for (const changes of [fieldChanges(undefined, secret), fieldChanges(secret, undefined)])
      expect(JSON.stringify(changes)).not.toMatch(/b2xk|plain/);
  });
});

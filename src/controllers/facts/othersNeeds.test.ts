import { describe, expect, onTestFinished, test } from "vitest";
import { clusterPlacementObject } from "../../../test/builders/policyObjects.ts";
import { CONTROLLER_CLASS_LABEL, type KubeObject } from "../../apis/index.ts";
import { application, SELECTS_APPLICATIONS, setUpHub } from "../../hub/testing/fakeHub.ts";
import { CLUSTERPLACEMENTS, DEMOAPPLICATIONS } from "../../runtime/index.ts";
import { ControllerClasses } from "./controllerClasses.ts";

const SECRET = { apiVersion: "v1", kind: "Secret", namespace: "default" };

/** An application of another class, which refers to the Secret `own` and names the Secret `declared` in its image. */
const theirs = (): KubeObject =>
  application("theirs", "default", {
    metadata: { name: "theirs", uid: "t", labels: { [CONTROLLER_CLASS_LABEL]: "v2" } },
    spec: { image: "declared", envFrom: [{ secretRef: { name: "own" } }] },
  });

const policy = (dependencies: object = { mode: "Auto" }, generation = 1): KubeObject => {
  const object = clusterPlacementObject({ resourceSelectors: [SELECTS_APPLICATIONS], dependencies });
  return { ...object, metadata: { ...object.metadata, generation } };
};

describe("what an object of another class needs", () => {
  async function others(...policies: KubeObject[]) {
    const { hub, server, cache, start, settle } = setUpHub();
    server.create(DEMOAPPLICATIONS, theirs());
    for (const one of policies) server.create(CLUSTERPLACEMENTS, one);
    await start();
    const classes = new ControllerClasses({ hub: cache, client: hub, classes: new Set(["default"]) });
    onTestFinished(() => classes[Symbol.dispose]());
    const needing = () =>
      ["own", "declared"].filter((name) =>
        [...classes.needing({ ...SECRET, name })].some((one) => one.name === "theirs"),
      );
    return { server, settle, needing };
  }

  test("is what it refers to, whether or not a policy places it", async () => {
    expect((await others()).needing()).toEqual(["own"]);
    expect((await others(policy())).needing()).toEqual(["own"]);
  });

  test("is nothing where its policy says so", async () => {
    expect((await others(policy({ mode: "None" }))).needing()).toEqual([]);
  });

  test("is also what its policy declares, from the moment on at which the policy does", async () => {
    const { server, settle, needing } = await others(policy());
    const fields = [{ kind: "Secret", path: "spec.image" }];
    server.apply(CLUSTERPLACEMENTS, policy({ mode: "Auto", fields }, 2));
    await settle();
    expect(needing()).toEqual(["own", "declared"]);
    server.apply(CLUSTERPLACEMENTS, policy({ mode: "None" }, 3));
    await settle();
    expect(needing()).toEqual([]);
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import type { MemberCluster } from "../../../apis/index.ts";
import { FAULT_ANNOTATION, type FaultPlan } from "./faultPlan.ts";
import { FaultSwitch } from "./faultSwitch.ts";

let asked: Record<string, string>;
let set: (FaultPlan | undefined)[];
let said: string[];
const view = {
  cluster: (name: string) =>
    ({
      metadata: { name, annotations: name in asked ? { [FAULT_ANNOTATION]: asked[name] ?? "" } : {} },
    }) as MemberCluster,
};

beforeEach(() => {
  asked = {};
  set = [];
  said = [];
});

const say = (text: string): void => void said.push(text);

function switchOf(answer: (plan: FaultPlan | undefined) => Promise<string | undefined>): FaultSwitch {
  const setFault = async (plan: FaultPlan | undefined) => {
    set.push(plan);
    return answer(plan);
  };
  return new FaultSwitch([{ name: "m1", kubeconfigFile: "", setFault }], say);
}

/** Refreshes once with what is asked, and waits for what comes of it. */
async function obey(faults: FaultSwitch, wanted: string): Promise<void> {
  asked["m1"] = wanted;
  faults.refresh(view);
  await faults.settled();
}

describe("the annotation of a MemberCluster", () => {
  test("breaks its cluster once, and its absence mends it", async () => {
    const faults = switchOf(async () => undefined);
    faults.refresh(view);
    asked["m1"] = "partition";
    faults.refresh(view);
    faults.refresh(view);
    delete asked["m1"];
    faults.refresh(view);
    await faults.settled();
    expect(set).toEqual([{ crash: false, settings: { partition: "silent" } }, undefined]);
    expect(said).toEqual(["m1: broken on purpose (partition)", "m1: mended"]);
  });

  test("that means nothing breaks nothing, and the person reads what there is", async () => {
    await obey(
      switchOf(async () => undefined),
      "fire",
    );
    expect(set).toEqual([]);
    expect(said[0]).toMatch(/^m1: "fire" is no fault; there are partition/);
  });

  test("asks in vain for what the cluster cannot do, and that is said", async () => {
    await obey(
      switchOf(async () => "only a sandbox can"),
      "errors=10%",
    );
    expect(said).toEqual(["m1: broken on purpose (errors=10%)", "m1: only a sandbox can"]);
  });

  test("that cannot be obeyed does not end the quickstart", async () => {
    await obey(
      switchOf(() => Promise.reject(new Error("no such process"))),
      "crash",
    );
    expect(said).toEqual(["m1: not broken: no such process"]);
  });

  test("does not break a cluster of the person", async () => {
    await obey(new FaultSwitch([{ name: "m1", kubeconfigFile: "" }], say), "crash");
    expect(said).toEqual(["m1: quickstart breaks only clusters that it started itself"]);
  });
});

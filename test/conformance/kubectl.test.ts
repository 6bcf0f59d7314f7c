import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../envtest/index.ts";
import { Kubectl } from "./framework/kubectl.ts";

/** The real kubectl against a sandbox cluster whose controllers run: what takes time, and what changes by itself. */

const deployment = (name: string, image = "nginx:1", replicas = 2) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: "${image}"}]}
`;

/** What a rollout replaced may take a moment to go. */
async function untilImagesAre(kubectl: (line: string) => Promise<string>, images: string): Promise<void> {
  await eventually(async () =>
    expect(await kubectl("get pods -o jsonpath={.items[*].spec.containers[0].image}")).toBe(images),
  );
}

describe("kubectl on a cluster that is alive", { timeout: 300_000 }, () => {
  let tool: Kubectl;
  let namespaces = 0;
  beforeAll(async () => {
    tool = await Kubectl.of(inject("kubeconfigs").living);
  });
  afterAll(() => tool[Symbol.asyncDispose]());

  /** kubectl in a namespace of its own; it has to succeed. */
  async function inNamespace() {
    const namespace = `alive-${++namespaces}`;
    const kubectl = async (line: string, stdin?: string) => {
      const { code, stdout, stderr } = await tool.run(namespace, { line, ...(stdin === undefined ? {} : { stdin }) });
      if (code !== 0) throw new Error(`kubectl ${line}: exit code ${code}\n${stdout}${stderr}`);
      return stdout + stderr;
    };
    await kubectl(`create namespace ${namespace}`);
    // Pods are refused until their ServiceAccount is there.
    await kubectl("wait serviceaccount/default --for=create --timeout=120s");
    return { namespace, kubectl };
  }

  test.concurrent("a deployment rolls out and its pods run", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    expect(await kubectl("rollout status deployment/web --timeout=120s")).toContain("successfully rolled out");
    expect(await kubectl("get deployment web")).toMatch(/web\s+2\/2\s+2\s+2/);
    const pods = await kubectl("get pods -o wide --no-headers");
    expect(pods.trim().split("\n")).toHaveLength(2);
    expect(pods).toMatch(/web-\w+-\w{5}\s+1\/1\s+Running\s+0/);
    await kubectl("wait deployment/web --for=condition=Available --timeout=120s");
    expect(await kubectl("get all")).toContain("replicaset.apps/web-");
  });

  test.concurrent("describe shows conditions, the new replica set and events", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    await kubectl("rollout status deployment/web --timeout=120s");
    const described = await eventually(async () => {
      const text = await kubectl("describe deployment web");
      // Events are written behind the work.
      expect(text).toMatch(/ScalingReplicaSet.*Scaled up replica set web-\w+ from 0 to 2/);
      return text;
    });
    expect(described).toMatch(/Available\s+True\s+MinimumReplicasAvailable/);
    expect(described).toMatch(/Progressing\s+True\s+NewReplicaSetAvailable/);
    expect(described).toMatch(/NewReplicaSet:\s+web-\w+ \(2\/2 replicas created\)/);
    const pod = await kubectl("get pods -o name");
    const text = await kubectl(`describe ${pod.split("\n")[0]}`);
    expect(text).toMatch(/Status:\s+Running/);
    expect(text).toMatch(/Controlled By:\s+ReplicaSet\/web-/);
    expect(text).toMatch(/Ready\s+True/);
  });

  test.concurrent("a rollout can be followed, looked back on and undone", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web", "nginx:1"));
    await kubectl("rollout status deployment/web --timeout=120s");
    await kubectl("apply -f -", deployment("web", "nginx:2"));
    expect(await kubectl("rollout status deployment/web --timeout=120s")).toContain("successfully rolled out");
    expect(await kubectl("rollout history deployment/web")).toMatch(/1\s+<none>\n2\s+<none>/);
    expect(await kubectl("rollout history deployment/web --revision=1")).toContain("nginx:1");
    expect(await kubectl("rollout undo deployment/web")).toContain("rolled back");
    await kubectl("rollout status deployment/web --timeout=120s");
    await untilImagesAre(kubectl, "nginx:1 nginx:1");
    expect(await kubectl("rollout history deployment/web")).toMatch(/2\s+<none>\n3\s+<none>/);
  });

  test.concurrent("a restart replaces the pods", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    await kubectl("rollout status deployment/web --timeout=120s");
    const before = await kubectl("get pods -o name");
    await kubectl("rollout restart deployment/web");
    await kubectl("rollout status deployment/web --timeout=120s");
    await eventually(async () => {
      const after = await kubectl("get pods -o name");
      for (const pod of before.trim().split("\n")) expect(after).not.toContain(pod);
    });
  });

  test.concurrent("scaling adds and removes pods", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web", "nginx:1", 1));
    await kubectl("scale deployment web --replicas=4");
    await kubectl("wait deployment/web --for=jsonpath={.status.readyReplicas}=4 --timeout=120s");
    await kubectl("scale deployment web --replicas=0");
    await kubectl("wait pods -l app=web --for=delete --timeout=120s");
    await eventually(async () => expect(await kubectl("get deployment web")).toMatch(/web\s+0\/0/));
  });

  test.concurrent("an image that cannot be pulled stops the rollout and says why", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web", "nginx:1"));
    await kubectl("rollout status deployment/web --timeout=120s");
    await kubectl("set image deployment/web app=nginx:does-not-exist");
    await expect(kubectl("rollout status deployment/web --timeout=3s")).rejects.toThrow(/timed out/);
    await eventually(async () =>
      expect(await kubectl("get pods --no-headers")).toMatch(/0\/1\s+(ImagePullBackOff|ErrImagePull)/),
    );
    expect(await kubectl("get deployment web -o jsonpath={.status.readyReplicas}")).toBe("2");
    await kubectl("rollout undo deployment/web");
    await kubectl("rollout status deployment/web --timeout=120s");
  });

  test.concurrent("get -w shows each change as it comes", async () => {
    const { namespace, kubectl } = await inNamespace();
    const watching = spawn(tool.binary, tool.args(namespace, "get deployments -w --no-headers"), {
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const lines: string[] = [];
      const seen = (async () => {
        for await (const line of createInterface({ input: watching.stdout })) {
          lines.push(line.replace(/\s+/g, " "));
          if (line.includes("2/2")) return;
        }
      })();
      await kubectl("apply -f -", deployment("web"));
      await Promise.race([seen, sleep(120_000, undefined, { ref: false })]);
      expect(lines[0]).toMatch(/^web 0\/2 0 0/);
      expect(lines.at(-1)).toMatch(/^web 2\/2 2 2/);
    } finally {
      watching.kill();
      await once(watching, "exit");
    }
  });

  test.concurrent("deleting a deployment takes its pods along, and orphaning leaves them", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web") + "---\n" + deployment("kept"));
    await kubectl("rollout status deployment/web --timeout=120s");
    await kubectl("rollout status deployment/kept --timeout=120s");
    await kubectl("delete deployment web --timeout=120s");
    await kubectl("wait pods -l app=web --for=delete --timeout=120s");
    await kubectl("delete deployment kept --cascade=orphan --timeout=120s");
    expect(await kubectl("get replicasets,pods -l app=kept -o name")).toMatch(/replicaset.*\n.*pod\/kept-/s);
  });

  test.concurrent("a wait for a deletion ends when another process deletes", async () => {
    const { namespace, kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    await kubectl("rollout status deployment/web --timeout=120s");
    await kubectl(`patch deployment web --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`);
    const line = "wait deployment/web --for=delete --timeout=120s -v=8";
    const waiting = spawn(tool.binary, tool.args(namespace, line), { stdio: ["ignore", "pipe", "pipe"] });
    try {
      const ended = once(waiting, "exit");
      // It says so when its watch stands: from then on it is told, and does not look by itself.
      for await (const text of createInterface({ input: waiting.stderr })) if (text.includes("watch=true")) break;
      waiting.stderr.resume();
      await kubectl("delete deployment web --wait=false");
      expect(waiting.exitCode).toBeNull();
      await kubectl(`patch deployment web --type=merge -p '{"metadata":{"finalizers":null}}'`);
      expect(await ended).toEqual([0, null]);
    } finally {
      waiting.kill();
    }
  });

  test.concurrent("an edit through an editor is rolled out", async () => {
    const { namespace, kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    const env = { EDITOR: "sed -i s/nginx:1/nginx:2/", KUBE_EDITOR: "" };
    expect((await tool.run(namespace, { line: "edit deployment web", env })).stdout).toContain("edited");
    await kubectl("rollout status deployment/web --timeout=120s");
    await untilImagesAre(kubectl, "nginx:2 nginx:2");
  });

  test.concurrent("deleting in the foreground waits for what it owns", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    await kubectl("rollout status deployment/web --timeout=120s");
    await kubectl("delete deployment web --cascade=foreground --timeout=120s");
    expect(await kubectl("get replicasets,pods -o name")).toBe("");
  });

  test.concurrent("deleting a namespace removes what is in it", async () => {
    const { namespace, kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web"));
    await kubectl(`delete namespace ${namespace} --timeout=120s`);
    const { code, stderr } = await tool.run("default", { line: `get namespace ${namespace}` });
    expect(code).toBe(1);
    expect(stderr).toContain("not found");
  });

  test.concurrent("a pod that is deleted comes back under another name", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web", "nginx:1", 1));
    await kubectl("rollout status deployment/web --timeout=120s");
    const pod = (await kubectl("get pods -o name")).trim();
    await kubectl(`delete ${pod} --timeout=120s`);
    await eventually(async () => {
      const next = (await kubectl("get pods -o name")).trim();
      expect(next).toMatch(/^pod\/web-[\w-]+$/);
      expect(next).not.toBe(pod);
    });
    await kubectl("rollout status deployment/web --timeout=120s");
  });

  test.concurrent("a job runs to its end", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("create job once --image=busybox -- true");
    await kubectl("wait job/once --for=condition=Complete --timeout=120s");
    expect(await kubectl("get jobs")).toMatch(/once\s+Complete\s+1\/1/);
  });

  test.concurrent("logs of a running pod can be read", async () => {
    const { kubectl } = await inNamespace();
    await kubectl("apply -f -", deployment("web", "nginx:1", 1));
    await kubectl("rollout status deployment/web --timeout=120s");
    await expect(kubectl("logs deployment/web --tail=5")).resolves.toBeTypeOf("string");
  });

  test.concurrent("nodes are ready", async () => {
    const { kubectl } = await inNamespace();
    expect(await kubectl("get nodes --no-headers")).toMatch(/Ready/);
    const node = (await kubectl("get nodes -o name")).split("\n")[0] ?? "";
    expect(await kubectl(`describe ${node}`)).toMatch(/Ready\s+True/);
  });
});

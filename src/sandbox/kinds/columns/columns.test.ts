import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../types.ts";
import { builtinResources } from "../index.ts";

const NOW = Date.UTC(2026, 0, 1, 0, 10);
const CREATED = "2026-01-01T00:00:00Z";

/** The row of an object as kubectl shows it, by the names of the columns. */
function row(group: string, plural: string, fields: object, metadata: object = {}): Record<string, unknown> {
  const resource = builtinResources().find((one) => one.group === group && one.plural === plural);
  const version = resource?.versions[0];
  if (resource === undefined || version === undefined) throw new Error(`${plural} is not built in`);
  const apiVersion = group === "" ? version.name : `${group}/${version.name}`;
  const object = {
    apiVersion,
    kind: resource.kind,
    metadata: { name: "x", creationTimestamp: CREATED, ...metadata },
    ...fields,
  } as KubeObject;
  return Object.fromEntries(version.columns.map((column) => [column.name, column.value?.(object, NOW)]));
}

const container = (fields: object) => ({ name: "a", ready: false, restartCount: 0, state: {}, ...fields });
const running = { running: { startedAt: CREATED } };

describe("Pods", () => {
  const pod = (status: object, spec: object = {}, metadata: object = {}) =>
    row("", "pods", { spec: { containers: [{ name: "a" }], ...spec }, status }, metadata);

  test.each([
    {
      name: "waiting for a node",
      status: { phase: "Pending" },
      want: { Ready: "0/1", Status: "Pending", Restarts: "0" },
    },
    {
      name: "running, after a crash",
      status: {
        phase: "Running",
        containerStatuses: [
          container({
            ready: true,
            restartCount: 2,
            state: running,
            lastState: { terminated: { exitCode: 1, finishedAt: "2026-01-01T00:05:00Z" } },
          }),
        ],
      },
      want: { Ready: "1/1", Status: "Running", Restarts: "2 (5m ago)", Age: "10m" },
    },
    {
      name: "without its image",
      status: {
        phase: "Pending",
        containerStatuses: [container({ state: { waiting: { reason: "ImagePullBackOff" } } })],
      },
      want: { Status: "ImagePullBackOff" },
    },
    {
      name: "ended",
      status: {
        phase: "Succeeded",
        containerStatuses: [container({ state: { terminated: { exitCode: 0, reason: "Completed" } } })],
      },
      want: { Status: "Completed" },
    },
    {
      name: "failed without a word",
      status: { phase: "Failed", containerStatuses: [container({ state: { terminated: { exitCode: 3 } } })] },
      want: { Status: "ExitCode:3" },
    },
    { name: "evicted", status: { phase: "Failed", reason: "Evicted" }, want: { Status: "Evicted" } },
    {
      name: "in the middle of its beginning",
      spec: { initContainers: [{ name: "i" }, { name: "j" }] },
      status: {
        phase: "Pending",
        initContainerStatuses: [
          container({ name: "i", state: { terminated: { exitCode: 0 } } }),
          container({ name: "j", state: running }),
        ],
      },
      want: { Status: "Init:1/2" },
    },
    {
      name: "with a sidecar",
      spec: { initContainers: [{ name: "s", restartPolicy: "Always" }] },
      status: {
        phase: "Running",
        initContainerStatuses: [container({ name: "s", ready: true, started: true, restartCount: 1, state: running })],
        containerStatuses: [container({ ready: true, state: running })],
      },
      want: { Ready: "2/2", Status: "Running", Restarts: "1" },
    },
    {
      name: "going",
      metadata: { deletionTimestamp: CREATED },
      status: { phase: "Running" },
      want: { Status: "Terminating" },
    },
  ])("$name", ({ status, spec, metadata, want }) => expect(pod(status, spec, metadata)).toMatchObject(want));
});

describe("other kinds", () => {
  test("a Deployment counts its replicas", () => {
    const spec = {
      replicas: 3,
      selector: { matchLabels: { app: "web" }, matchExpressions: [{ key: "a", operator: "In", values: ["c", "b"] }] },
      template: {
        spec: {
          containers: [
            { name: "a", image: "i" },
            { name: "b", image: "j" },
          ],
        },
      },
    };
    const status = { readyReplicas: 2, updatedReplicas: 1, availableReplicas: 2 };
    expect(row("apps", "deployments", { spec, status })).toEqual({
      Name: "x",
      Ready: "2/3",
      "Up-to-date": 1,
      Available: 2,
      Age: "10m",
      Containers: "a,b",
      Images: "i,j",
      Selector: "a in (b,c),app=web",
    });
  });

  test("a Service shows its addresses and ports", () => {
    const ports = [
      { port: 80, nodePort: 30_002, protocol: "TCP" },
      { port: 53, protocol: "UDP" },
    ];
    const service = (spec: object, status: object = {}) => row("", "services", { spec, status });
    expect(service({ type: "NodePort", clusterIPs: ["10.0.0.1"], ports, selector: { b: "c", a: "b" } })).toMatchObject({
      Type: "NodePort",
      "Cluster-IP": "10.0.0.1",
      "External-IP": "<none>",
      "Port(s)": "80:30002/TCP,53/UDP",
      Selector: "a=b,b=c",
    });
    expect(service({ type: "LoadBalancer" })).toMatchObject({ "External-IP": "<pending>", "Port(s)": "<none>" });
    expect(service({ type: "LoadBalancer" }, { loadBalancer: { ingress: [{ ip: "9.9.9.9" }] } })["External-IP"]).toBe(
      "9.9.9.9",
    );
    expect(service({ type: "ExternalName", externalName: "a.b" })["External-IP"]).toBe("a.b");
  });

  test("a Node shows its roles and whether it takes Pods", () => {
    const status = { conditions: [{ type: "Ready", status: "True" }], nodeInfo: { kubeletVersion: "v1" } };
    const labels = { "node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/edge": "" };
    expect(row("", "nodes", { spec: { unschedulable: true }, status }, { labels })).toMatchObject({
      Status: "Ready,SchedulingDisabled",
      Roles: "edge,worker",
      Version: "v1",
      "Internal-IP": "<none>",
    });
    expect(row("", "nodes", {})).toMatchObject({ Status: "Unknown", Roles: "<none>" });
  });

  test("an autoscaler shows what it measures against what it aims at", () => {
    const metrics = [
      { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
    ];
    const spec = { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 3, metrics };
    const shown = row("autoscaling", "horizontalpodautoscalers", { spec, status: { currentReplicas: 2 } });
    expect(shown).toMatchObject({
      Reference: "Deployment/web",
      Targets: "cpu: <unknown>/80%",
      MinPods: "<unset>",
      Replicas: 2,
    });
  });

  test("an Event shows when it was last seen", () => {
    const about = { kind: "Pod", name: "p" };
    expect(
      row("", "events", { involvedObject: about, lastTimestamp: CREATED, count: 4, message: " m " }),
    ).toMatchObject({
      "Last Seen": "10m",
      Object: "pod/p",
      Message: "m",
      Count: 4,
    });
  });
});

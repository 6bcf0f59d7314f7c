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

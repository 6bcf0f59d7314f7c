import { describe, expect, test } from "vitest";
import { create, created, deployment, type Submission, texts, update } from "../testing/objects.ts";

const container = (fields: object = {}) => ({ name: "web", image: "nginx", ...fields });
const template = (spec: object) => ({ template: { metadata: { labels: { app: "web" } }, spec } });
const at = "spec.template.spec";

describe("Deployments", () => {
  test.each([
    {
      name: "a negative number of replicas",
      spec: { replicas: -1 },
      want: ["spec.replicas: Invalid value: -1: must be greater than or equal to 0"],
    },
    {
      name: "a selector that is missing",
      spec: { selector: undefined },
      want: [
        "spec.selector: Required value",
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      ],
    },
    {
      name: "a selector that does not match",
      spec: { selector: { matchLabels: { app: "other" } } },
      want: [
        'spec.template.metadata.labels: Invalid value: {"app":"web"}: `selector` does not match template `labels`',
      ],
    },
    {
      name: "a strategy that does not exist",
      spec: { strategy: { type: "Foo" } },
      want: ['spec.strategy: Unsupported value: {"type":"Foo"}: supported values: "Recreate", "RollingUpdate"'],
    },
    {
      name: "an update that can never move",
      spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } },
      want: ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"],
    },
    {
      name: "a deadline that cannot be met",
      spec: { minReadySeconds: 600 },
      want: ["spec.progressDeadlineSeconds: Invalid value: 600: must be greater than minReadySeconds"],
    },
    { name: "no containers", spec: template({ containers: [] }), want: [`${at}.containers: Required value`] },
    {
      name: "two containers of one name",
      spec: template({ containers: [container(), container()] }),
      want: [`${at}.containers[1].name: Duplicate value: "web"`],
    },
    {
      name: "a port out of range",
      spec: template({ containers: [container({ ports: [{ containerPort: 70_000 }] })] }),
      want: [
        `${at}.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`,
      ],
    },
    {
      name: "a mount of a volume that is not there",
      spec: template({ containers: [container({ volumeMounts: [{ name: "v", mountPath: "/v" }] })] }),
      want: [`${at}.containers[0].volumeMounts[0].name: Not found: "v"`],
    },
    {
      name: "more requested than allowed",
      spec: template({ containers: [container({ resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } })] }),
      want: [
        `${at}.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`,
      ],
    },
    {
      name: "Pods that end",
      spec: template({ restartPolicy: "Never", containers: [container()] }),
      want: [`${at}.restartPolicy: Unsupported value: "Never": supported values: "Always"`],
    },
  ])("$name is refused, with what is wrong", ({ spec, want }) =>
    expect(texts(create(deployment(spec)).errors)).toEqual(want),
  );

  test("a client cannot set the status of a new one", () => {
    const { object } = create({ ...deployment(), status: { replicas: 5 } } as Submission);
    expect(object["status"]).toEqual({});
  });

  test("a changed spec or annotation raises the generation, a changed label does not", () => {
    const live = created(deployment());
    const generation = (change: Parameters<typeof update>[1]) => update(live, change).object.metadata.generation;
    expect(generation((object) => Object.assign(object["spec"] as object, { replicas: 2 }))).toBe(2);
    expect(generation((object) => (object.metadata.annotations = { a: "b" }))).toBe(2);
    expect(generation((object) => (object.metadata.labels = { a: "b" }))).toBe(1);
    expect(generation((object) => (object.metadata.generation = 7))).toBe(1);
  });

  test("the status survives an update, the spec one of the status", () => {
    const live = created(deployment());
    const withStatus = update(live, (object) => (object["status"] = { replicas: 2 }), undefined, "status").object;
    expect(withStatus["status"]).toEqual({ replicas: 2 });
    const changed = update(live, (object) => Object.assign(object, { status: { replicas: 9 }, spec: live["spec"] }));
    expect(changed.object["status"]).toEqual({});
    const kept = update(live, (object) => (object["spec"] = { replicas: 9 }), undefined, "status").object;
    expect(kept["spec"]).toEqual(live["spec"]);
    const labelled = update(live, (object) => (object.metadata.labels = { a: "b" }), undefined, "status").object;
    expect(labelled.metadata.labels).toBeUndefined();
  });

  test("the selector never changes", () => {
    const live = created(deployment());
    const { errors } = update(live, (object) => {
      const labels = { app: "web", a: "b" };
      Object.assign(object["spec"] as object, { selector: { matchLabels: labels } });
      Object.assign((object["spec"] as { template: { metadata: object } }).template.metadata, { labels });
    });
    expect(texts(errors)).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"web","a":"b"}}: field is immutable',
    ]);
  });

  test("the metadata is found wrong twice on an update, by the server and by the kind", () => {
    const { errors } = update(created(deployment()), (object) => (object.metadata.labels = { "a b": "" }));
    expect(errors.length).toBeGreaterThan(1);
    expect(texts(errors)).toHaveLength(1);
  });
});

describe("other workloads", () => {
  const workload = (kind: string, spec: object = {}): Submission => ({
    ...deployment(spec),
    kind,
  });

  test("of a StatefulSet only a few fields change", () => {
    const live = created(workload("StatefulSet", { serviceName: "a" }));
    const { errors } = update(live, (object) => Object.assign(object["spec"] as object, { serviceName: "b" }));
    expect(texts(errors)[0]).toMatch(/^spec: Forbidden: updates to statefulset spec for fields other than 'replicas'/);
    expect(update(live, (object) => Object.assign(object["spec"] as object, { replicas: 5 })).errors).toEqual([]);
  });

  test("a StatefulSet's claims are volumes of its Pods", () => {
    const claim = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
    const { object, errors } = create(
      workload("StatefulSet", {
        volumeClaimTemplates: [{ metadata: { name: "data" }, spec: claim }],
        ...template({ containers: [container({ volumeMounts: [{ name: "data", mountPath: "/data" }] })] }),
      }),
    );
    expect(errors).toEqual([]);
    expect(object["spec"]).toMatchObject({
      volumeClaimTemplates: [{ apiVersion: "v1", kind: "PersistentVolumeClaim", status: { phase: "Pending" } }],
    });
  });

  test("a DaemonSet counts the versions of its template", () => {
    const annotation = "deprecated.daemonset.template.generation";
    const live = created(workload("DaemonSet"));
    expect(live.metadata.annotations).toEqual({ [annotation]: "1" });
    const changed = update(live, (object) =>
      Object.assign(object["spec"] as object, template({ containers: [container({ image: "b" })] })),
    );
    expect(changed.errors).toEqual([]);
    expect(changed.object.metadata).toMatchObject({ generation: 2, annotations: { [annotation]: "2" } });
  });

  test("a Job finds its Pods by its uid", () => {
    const { object, errors } = create({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "once" },
      spec: { template: { spec: { restartPolicy: "Never", containers: [container()] } } },
    });
    expect(errors).toEqual([]);
    expect(object["spec"]).toMatchObject({
      completions: 1,
      backoffLimit: 6,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "uid-1" } },
      template: { metadata: { labels: { "job-name": "once", "controller-uid": "uid-1" } } },
    });
  });
});

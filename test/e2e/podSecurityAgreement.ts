import { expect } from "vitest";
import { evaluatePodSecurity } from "../../src/desiredstate/podSecurity/evaluate.ts";
import { POD_CASES } from "../builders/podCases.ts";
import { type Api, eventually } from "../envtest/index.ts";
import { ask } from "./asking.ts";
import { collectionPath, objectPath } from "./objects.ts";

export const LEVELS = (["baseline", "restricted"] as const).flatMap((level) =>
  [Infinity, 34, 31, 24].map((minor) => ({ level, minor, version: minor === Infinity ? "latest" : `v1.${minor}` })),
);

/** Asks the server about every pod in a namespace of that level, and our check about the same pods. */
export async function expectAgreement(api: Api, { level, minor, version }: (typeof LEVELS)[number]): Promise<void> {
  const namespace = `${level}-${version.replaceAll(".", "-")}`;
  await api.create(collectionPath("Namespace"), {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: {
      name: namespace,
      labels: {
        "pod-security.kubernetes.io/enforce": level,
        "pod-security.kubernetes.io/enforce-version": version,
      },
    },
  });
  await eventually(() => api.get(objectPath("ServiceAccount", namespace, "default")), { message: "its account" });
  const answers = await Promise.all(
    POD_CASES.map(async ({ name, spec, annotations = {} }) => {
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", annotations }, spec };
      const { status, message } = await ask(api, "POST", `${collectionPath("Pod", namespace)}?dryRun=All`, pod);
      const ours = evaluatePodSecurity(pod, { level, minor }).length > 0;
      // What is no pod at all is refused before anybody asks how secure it is.
      if (status === 422) return { name, refused: ours };
      if (status === 403) expect(message).toContain("violates PodSecurity");
      else expect({ name, status, message }).toMatchObject({ status: 201 });
      return { name, refused: status === 403 };
    }),
  );
  expect(answers.filter(({ refused }) => refused).length).toBeGreaterThan(20);
  expect(
    POD_CASES.map(({ name, spec, annotations = {} }) => {
      const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", annotations }, spec };
      return { name, refused: evaluatePodSecurity(pod, { level, minor }).length > 0 };
    }),
  ).toEqual(answers);
}

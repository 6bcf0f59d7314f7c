import { expect, test } from "vitest";
import type { KubeObject } from "../apis/index.ts";
import type { NamespaceFacts } from "../hub/index.ts";
import { validated } from "./validated.ts";

const app = (replica: unknown, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: "paas.cmft.com/v1",
  kind: "DemoApplication",
  metadata: { name: "shop", namespace: "default" },
  spec: { replica, image: "nginx:1.27" },
  ...more,
});
const annotated = (bounds: string): { get: (name: string) => NamespaceFacts | undefined } => ({
  get: (name) =>
    name === "default" ? { metadata: { name, annotations: { "paas.cmft.com/replica-bounds": bounds } } } : undefined,
});
const refused = (replica: number, least: number, most: number) => ({
  refusal: {
    reason: "ReplicasOutOfBounds",
    message: `spec.replica: ${replica} is not within ${least} to ${most}, the bounds of the namespace; admission was not asked`,
  },
});
const fine = { refusal: undefined };

test.each([
  { name: "within the usual bounds", object: app(100), want: fine },
  { name: "more than the usual bounds", object: app(101), want: refused(101, 1, 100) },
  { name: "none", object: app(0), want: refused(0, 1, 100) },
  { name: "within the namespace's own bounds", object: app(200), bounds: "0-500", want: fine },
  { name: "more than the namespace's own bounds", object: app(6), bounds: "1-5", want: refused(6, 1, 5) },
  { name: "bounds that say nothing are the usual ones", object: app(101), bounds: "many", want: refused(101, 1, 100) },
  { name: "an object without the number", object: app(undefined), want: fine },
  {
    name: "another kind is not judged",
    object: app(500, { apiVersion: "apps/v1", kind: "Deployment" }),
    want: undefined,
  },
])("$name", ({ object, bounds, want }) => {
  expect(validated(object, bounds === undefined ? undefined : annotated(bounds))).toEqual(want);
});

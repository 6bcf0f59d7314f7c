import { expect, test } from "vitest";
import { isProtectedNamespace } from "./protectedNamespaces.ts";

test.each([
  { name: "kube-system", named: [], want: true },
  { name: "kube-flannel", named: [], want: true },
  { name: "meridian-system", named: [], want: true },
  { name: "fed", named: ["fed"], want: true },
  { name: "kubernetes-dashboard", named: [], want: false },
  { name: "default", named: ["fed"], want: false },
])("$name beside $named: $want", ({ name, named, want }) => expect(isProtectedNamespace(name, named)).toBe(want));

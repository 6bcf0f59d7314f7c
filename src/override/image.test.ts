import { describe, expect } from "vitest";
import { fc, test } from "@fast-check/vitest";
import { formatImage, overrideImage, parseImage, type ImageOverride, type ImageReference } from "./image.ts";

const SHA = `sha256:${"0".repeat(64)}`;
const SHA2 = `sha256:${"1".repeat(64)}`;

describe("parseImage", () => {
  test.each<[string, ImageReference | undefined]>([
    ["nginx", { repository: "nginx" }],
    ["nginx:latest", { repository: "nginx", tag: "latest" }],
    ["docker.io/library/nginx", { registry: "docker.io", repository: "library/nginx" }],
    ["localhost:5000/team/web:1", { registry: "localhost:5000", repository: "team/web", tag: "1" }],
    ["[::1]:5000/web:2", { registry: "[::1]:5000", repository: "web", tag: "2" }],
    ["Harbor/web", { registry: "Harbor", repository: "web" }],
    [`ghcr.io/team/web:1@${SHA}`, { registry: "ghcr.io", repository: "team/web", tag: "1", digest: SHA }],
    ["web.app", { repository: "web.app" }],
    ["", undefined],
    ["registry.example.cn/", undefined],
  ])("%s", (text, want) => expect(parseImage(text)).toStrictEqual(want));

  test.prop([
    fc.record(
      {
        registry: fc.constantFrom("docker.io", "localhost", "localhost:5000", "r.example.cn:443"),
        repository: fc.constantFrom("nginx", "library/nginx", "a/b-c/d_e"),
        tag: fc.constantFrom("latest", "1.27", "v1_x"),
        digest: fc.constantFrom(SHA, SHA2),
      },
      { requiredKeys: ["repository"] },
    ),
  ])("reads back what formatImage writes", (image) => {
    expect(parseImage(formatImage(image))).toEqual(image);
  });
});

describe("overrideImage", () => {
  test.each<[string, ImageOverride, string]>([
    ["nginx:latest", { registry: "registry.example.cn" }, "registry.example.cn/nginx:latest"],
    ["docker.io/library/nginx:1", { registry: "registry.example.cn:5000" }, "registry.example.cn:5000/library/nginx:1"],
    ["nginx", { registry: "mirror.example.cn/hub" }, "mirror.example.cn/hub/nginx"],
    ["ghcr.io/team/web:1", { repository: "other/web" }, "ghcr.io/other/web:1"],
    ["nginx", { repository: "team/web.app" }, "team/web.app"],
    ["nginx", { tag: "1.28" }, "nginx:1.28"],
    ["nginx", { digest: `sha512-tree.b64+v2:${"a".repeat(32)}` }, `nginx@sha512-tree.b64+v2:${"a".repeat(32)}`],
    [`nginx:1@${SHA}`, { tag: "2" }, "nginx:2"],
    ["nginx:1", { digest: SHA }, `nginx@${SHA}`],
    [`nginx:1@${SHA}`, { registry: "r.example.cn" }, `r.example.cn/nginx:1@${SHA}`],
    ["nginx:1", {}, "nginx:1"],
  ])("%s with %j", (image, override, want) => expect(overrideImage(image, override)).toBe(want));

  test.each<[string, ImageOverride, string]>([
    ["nginx", { registry: "https://registry.example.cn" }, "image.registry https://registry.example.cn is malformed"],
    ["nginx", { repository: "Nginx" }, "image.repository Nginx is malformed"],
    [
      "nginx",
      { repository: "ghcr.io/nginx" },
      "image.repository ghcr.io/nginx begins with a registry: say it in image.registry",
    ],
    ["nginx", { tag: "a b" }, "image.tag a b is malformed"],
    ["nginx", { digest: "sha256:12" }, "image.digest sha256:12 is malformed"],
    ["registry.example.cn/", { tag: "1" }, "image registry.example.cn/ of the object is malformed"],
  ])("%s with %j is refused", (image, override, message) => {
    expect(() => overrideImage(image, override)).toThrow(
      expect.objectContaining({ name: "RuleError", reason: "InvalidOverride", message }),
    );
  });
});

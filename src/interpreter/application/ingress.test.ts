import { describe, expect, test } from "vitest";
import { ingressSpec } from "./ingress.ts";

const PORTS = [{ port: 53, protocol: "UDP" }, { port: 80 }, { name: "web", port: 81, protocol: "TCP" }];
const HOST = "shop.example.com";
const rules = (path: object): object[] => [{ host: HOST, http: { paths: [path] } }];
const backend = (port: object): object => ({ service: { name: "shop", port } });

describe("the spec of an Ingress", () => {
  test("says no more than was asked for", () => {
    expect(ingressSpec("shop", { host: HOST }, PORTS)).toStrictEqual({
      rules: rules({ path: "/", pathType: "Prefix", backend: backend({ number: 80 }) }),
    });
  });

  test("says all that was asked for", () => {
    const ingress = {
      host: HOST,
      path: "/cart",
      pathType: "Exact",
      className: "nginx",
      tlsSecretName: "shop-tls",
      port: "web",
    };
    expect(ingressSpec("shop", ingress, PORTS)).toStrictEqual({
      ingressClassName: "nginx",
      tls: [{ hosts: [HOST], secretName: "shop-tls" }],
      rules: rules({ path: "/cart", pathType: "Exact", backend: backend({ name: "web" }) }),
    });
  });

  test.each<[name: string, want: object | undefined, port?: unknown, ports?: object[]]>([
    ["the number that it names", { number: 81 }, 81],
    ["the first TCP port", { number: 80 }],
    ["none that is UDP", undefined, undefined, PORTS.slice(0, 1)],
    ["none where there are none, though it names one", undefined, "web", []],
    ["none without a number", undefined, undefined, [{ name: "web" }]],
  ])("leads to %s", (_name, want, port, ports = PORTS) => {
    const spec = ingressSpec("shop", { host: HOST, port }, ports as Record<string, unknown>[]);
    expect(spec?.["rules"]).toStrictEqual(
      want === undefined ? undefined : rules({ path: "/", pathType: "Prefix", backend: backend(want) }),
    );
  });
});

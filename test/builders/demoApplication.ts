import { type DemoApplicationSpec, PAAS_GROUP } from "../../src/apis/index.ts";
import { Builder, type Metadata } from "./builder.ts";

type Input = Partial<Omit<DemoApplicationSpec, "ports">> & {
  ports?: (Partial<NonNullable<DemoApplicationSpec["ports"]>[number]> & { port: number })[];
};

class DemoApplicationBuilder extends Builder<Input, DemoApplicationBuilder> {
  protected readonly apiVersion = `${PAAS_GROUP}/v1`;
  protected readonly kind = "DemoApplication";

  protected copy(metadata: Metadata, spec: Input): DemoApplicationBuilder {
    return new DemoApplicationBuilder(metadata, spec);
  }

  replica(replica: number): DemoApplicationBuilder {
    return this.withSpec({ replica });
  }

  image(image: string): DemoApplicationBuilder {
    return this.withSpec({ image });
  }

  /** Adds one; the name is `port-<number>` unless given. */
  port(
    port: number,
    more: { name?: string; targetPort?: number | string; nodePort?: number } = {},
  ): DemoApplicationBuilder {
    return this.withSpec({ ports: [...(this.spec.ports ?? []), { name: `port-${port}`, port, ...more }] });
  }

  env(name: string, value: string): DemoApplicationBuilder {
    return this.withSpec({ env: [...(this.spec.env ?? []), { name, value }] });
  }

  envFromSecret(name: string): DemoApplicationBuilder {
    return this.withSpec({ envFrom: [...(this.spec.envFrom ?? []), { secretRef: { name } }] });
  }

  envFromConfigMap(name: string): DemoApplicationBuilder {
    return this.withSpec({ envFrom: [...(this.spec.envFrom ?? []), { configMapRef: { name } }] });
  }

  requests(requests: Record<string, string>): DemoApplicationBuilder {
    return this.withSpec({ resources: { requests } });
  }

  /** Below the whole of that host. */
  ingress(host: string, tlsSecretName?: string): DemoApplicationBuilder {
    const certificate = tlsSecretName === undefined ? {} : { tlsSecretName };
    return this.withSpec({ ingress: { host, path: "/", pathType: "Prefix", ...certificate } });
  }

  args(...args: string[]): DemoApplicationBuilder {
    return this.withSpec({ args });
  }
}

/** In the namespace `default`, one replica of nginx:1.27, no ports. */
export function demoApplication(name: string): DemoApplicationBuilder {
  return new DemoApplicationBuilder({ name, namespace: "default" }, { replica: 1, image: "nginx:1.27" });
}

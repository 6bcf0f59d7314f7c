/** Bodies that many cases share; apiVersion, kind and name come from the path. */

type Fields = Record<string, unknown>;

/** A Deployment that the server takes, with a container `app`. */
export function deployment(spec: Fields = {}, container: Fields = {}): Fields {
  return {
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "app", image: "nginx:1", ...container }] },
      },
      ...spec,
    },
  };
}

/** The part of a Deployment that a manager of the containers alone applies. */
export function containers(...list: Fields[]): Fields {
  return { spec: { template: { spec: { containers: list } } } };
}

export function service(spec: Fields = {}): Fields {
  return { spec: { selector: { app: "web" }, ports: [{ port: 80 }], ...spec } };
}

export function pod(spec: Fields = {}, metadata: Fields = {}): Fields {
  return {
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    spec: { containers: [{ name: "app", image: "nginx:1" }], ...spec },
  };
}

/** Part of an answer, by a dotted path. */
export const at =
  (path: string) =>
  (answer: unknown): unknown => {
    let value = answer;
    for (const field of path.split(".")) value = (value as Fields | undefined)?.[field];
    return value;
  };

/** The names of a list's items, in the list's order. */
export const names = (answer: unknown): unknown =>
  (answer as { items?: { metadata: { name: string } }[] }).items?.map(({ metadata }) => metadata.name) ?? answer;

/** Environment variables: `variables("A=1", "B=2")`. */
export const variables = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [name, value] = pair.split("=");
    return { name, value };
  });

import { parse } from "yaml";

interface Kubeconfig {
  "current-context"?: string;
  contexts?: { name?: string; context?: { cluster?: string } }[];
  clusters?: { name?: string; cluster?: { server?: string } }[];
}

/** The server that a kubeconfig's current context leads to. Undefined when the text does not say; nothing else of it is read. */
export function serverOf(text: string): string | undefined {
  const config = readKubeconfig(text);
  const current = config?.["current-context"];
  const context = config?.contexts?.find(({ name }) => name === current);
  const server = config?.clusters?.find(({ name }) => name === context?.context?.cluster)?.cluster?.server;
  return typeof server === "string" ? server : undefined;
}

function readKubeconfig(text: string): Kubeconfig | undefined {
  try {
    return parse(text) as Kubeconfig;
  } catch {
    // Its text may hold credentials, and so would the parser's message; the connection says later what is wrong with it.
    return undefined;
  }
}

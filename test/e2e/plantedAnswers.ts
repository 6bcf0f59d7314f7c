import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { VALUES } from "./plantedObjects.ts";

/** Reads everything that the query API and the dashboard give, as one who may read all of it. */

const PATH = "/apis/query.federation.paas.cmft.com/v1alpha1";
const RESOURCES = ["federatedobjects", "placedobjects", "fleetclusters", "causes", "transitions"];
const DOCUMENTS = ["/apis", `${PATH.split("/").slice(0, 3).join("/")}`, PATH, "/openapi/v3", `/openapi/v3${PATH}`];

interface Row {
  metadata: { name: string; namespace?: string };
}

export class Reader {
  readonly #url: string;
  readonly #token: string;
  /** By address. */
  readonly answers = new Map<string, string>();

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async readAll(): Promise<void> {
    for (const path of DOCUMENTS) await this.#read(path);
    for (const resource of RESOURCES) {
      const rows = await this.#rowsOf(resource);
      const list = `${PATH}/${resource}`;
      await this.#read(`${list}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true&includeObject=Object`);
      await this.#read(`${list}?timeoutSeconds=1`, { accept: "text/event-stream" });
      await this.#read(list, { accept: "application/json;as=Table;g=meta.k8s.io;v=v1" });
      if (resource === "placedobjects") await this.#read(`${list}?groupBy=reason`);
      if (resource === "causes" || resource === "transitions") continue;
      for (const { metadata } of rows) await this.#readRow(resource, metadata);
    }
    await this.#readErrors();
    await this.#readPage();
  }

  /** All pages, of few rows each. */
  async #rowsOf(resource: string): Promise<Row[]> {
    const rows: Row[] = [];
    let next = "";
    do {
      const path = `${PATH}/${resource}?limit=5${next === "" ? "" : `&continue=${encodeURIComponent(next)}`}`;
      const text = await this.#read(path);
      const { items, metadata } = JSON.parse(text) as { items: Row[]; metadata: { continue?: string } };
      rows.push(...items);
      next = metadata.continue ?? "";
    } while (next !== "");
    expect(rows.length, resource).toBeGreaterThan(0);
    return rows;
  }

  async #readRow(resource: string, { name, namespace }: Row["metadata"]): Promise<void> {
    const within = namespace === undefined ? "" : `/namespaces/${namespace}`;
    const path = `${PATH}${within}/${resource}/${encodeURIComponent(name)}`;
    await this.#read(path);
    if (resource === "federatedobjects") await this.#read(`${path}/full`);
    if (resource !== "placedobjects") return;
    for (const part of ["pods", "events", "log"]) await this.#read(`${path}/${part}`, {}, [200, 400, 404, 503]);
  }

  async #readErrors(): Promise<void> {
    const token = VALUES.address.text;
    const list = `${PATH}/federatedobjects`;
    const forged = { authorization: `Bearer ${VALUES.forged.text}` };
    await this.#read(list, forged, [401]);
    await this.#read(list, { ...forged, authorization: `Basic ${VALUES.forged.base64}` }, [401]);
    for (const name of ["token", "access_token", "cel", "sort", "fields", "labelSelector", "changedSince", "continue"])
      await this.#read(`${list}?${name}=${token}%22`, {}, [400, 410]);
    await this.#read(`${list}/DemoApplication.paas.cmft.com:nothing/full`, {}, [404]);
    await this.#read(`${PATH}/nothing`, {}, [404]);
  }

  async #readPage(): Promise<void> {
    const page = await this.#read("/dashboard/");
    const files = [...page.matchAll(/(?:src|href)="([^"#:]+)"/g)].map(([, file = ""]) => file);
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) await this.#read(new URL(file, "http://page/dashboard/").pathname);
  }

  /** Waits as long as the server says where it is asked too often. */
  async #read(path: string, headers: Record<string, string> = {}, codes: readonly number[] = [200]): Promise<string> {
    for (;;) {
      const authorization = `Bearer ${this.#token}`;
      const answer = await fetch(`${this.#url}${path}`, { headers: { authorization, ...headers } });
      const text = await answer.text();
      if (answer.status === 429) {
        await sleep(1000 * Number(answer.headers.get("retry-after") ?? 1));
        continue;
      }
      expect(codes, `${path}: ${answer.status} ${text.slice(0, 300)}`).toContain(answer.status);
      const key = headers["accept"] === undefined ? path : `${path} as ${headers["accept"]}`;
      this.answers.set(key, `${text}\n${JSON.stringify([...answer.headers])}`);
      return text;
    }
  }
}

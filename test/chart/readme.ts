import { isMap, isScalar, type Pair, parseDocument, type YAMLMap } from "yaml";

/** What a line of a value begins with when it is for the README. */
const MARK = "-- ";

interface Row {
  name: string;
  value: string;
  description: string;
}

/** README.md of the chart: how it is used, and every value that a line of values.yaml describes. Throws for a value without such a line. */
export function generatedReadme(values: string): string {
  const document = parseDocument(values);
  if (!isMap(document.contents)) throw new Error("values.yaml holds no map");
  const rows = [...rowsOf(document.contents as YAMLMap<unknown, unknown>, "", first(values))];
  return `${HEAD}\n${table(rows)}${TAIL}`;
}

/** The comment of the first value is the document's: it is found in the text. */
function first(values: string): string {
  const comments = values.split(/^[A-Za-z]/m)[0] ?? "";
  return comments
    .split("\n")
    .map((line) => line.replace(/^#/, ""))
    .join("\n");
}

function* rowsOf(map: YAMLMap<unknown, unknown>, path: string, firstComment: string | undefined): Iterable<Row> {
  for (const [index, pair] of map.items.entries()) {
    const key = isScalar(pair.key) ? pair.key : undefined;
    const name = path === "" ? String(key?.value) : `${path}.${String(key?.value)}`;
    // The comment before the first key of a map is the map's.
    const comment = key?.commentBefore ?? (index === 0 ? firstComment : undefined) ?? "";
    const description = marked(comment);
    if (description !== undefined) yield { name, value: valueOf(pair), description };
    else if (isMap(pair.value)) yield* rowsOf(pair.value, name, pair.value.commentBefore ?? undefined);
    else throw new Error(`${name} has no line that begins with "# ${MARK}"`);
  }
}

function marked(comment: string): string | undefined {
  const line = comment
    .split("\n")
    .map((text) => text.trim())
    .findLast((text) => text.startsWith(MARK));
  return line?.slice(MARK.length);
}

function valueOf(pair: Pair): string {
  const { value } = pair;
  return `\`${JSON.stringify((value as { toJSON(): unknown }).toJSON())}\``;
}

/** Columns are as wide as the formatter makes them. */
function table(rows: readonly Row[]): string {
  const cells = [
    ["Value", "Default", "What it is"],
    ...rows.map(({ name, value, description }) => [`\`${name}\``, value, description.replaceAll("|", "\\|")]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...cells.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const [head = [], ...body] = cells;
  return `${[line(head), line(widths.map((width) => "-".repeat(width))), ...body.map(line)].join("\n")}\n`;
}

const HEAD = `<!-- Generated from values.yaml by test/chart/generate.ts. Do not edit. -->

# Meridian's chart

Installs Meridian on a hub: CRDs, managers, webhooks, and no right that is not used.

    helm install meridian charts/meridian --namespace meridian-system --create-namespace
    helm test meridian --namespace meridian-system

Unknown keys, wrong types and values that contradict each other are refused before anything is sent.

## Values
`;

const TAIL = `
## Secrets of applications

The manager reads Secrets of its own namespace (the members' credentials) and, so that it can propagate the Secrets that applications
refer to, those of the namespaces in \`rbac.secrets.namespaces\`. Each gets a Role of its own there. Allow one more with

    helm upgrade meridian charts/meridian --namespace meridian-system --reuse-values --set 'rbac.secrets.namespaces={shop}'

## Autoscaling

The HPA asks for the metric \`controller_runtime_reconcile_errors_total\` of the pods, per minute. For the Prometheus adapter:

    - seriesQuery: controller_runtime_reconcile_errors_total{namespace!="",pod!=""}
      resources: {overrides: {namespace: {resource: namespace}, pod: {resource: pod}}}
      name: {as: controller_runtime_reconcile_errors_total}
      metricsQuery: sum by (<<.GroupBy>>) (increase(<<.Series>>{<<.LabelMatchers>>}[1m]))

## Security

Pods hold to the restricted pod-security profile: user 65532, a read-only root, no capabilities, the runtime's seccomp profile, a token of
an hour that nobody else can read. A namespace can demand it:

    kubectl label namespace meridian-system pod-security.kubernetes.io/enforce=restricted

The network policy lets in webhook calls and scrapes, and lets out DNS and TCP, but never to link-local and metadata addresses.

## Uninstalling

\`helm uninstall\` leaves the CRDs and every object of their kinds while \`crds.keep\` is true. With \`crds.keep=false\` it deletes the CRDs with these
objects; unjoin the members first, or their finalizers wait for a manager that is gone.
`;

import { spawn } from "node:child_process";

/** Reviews that are sent at once. */
export const REVIEWS = 100;

/** In a process of its own, since it has the work of so many API servers: sends reviews of 3 MiB at once, and prints the answers' statuses. */
const SENDERS = `
import { request } from "node:https";
const port = Number(process.argv[1]);
const size = 3 * 1024 * 1024 - 600;
const review = (spec) => JSON.stringify({
  apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview",
  request: {
    uid: "u", operation: "CREATE", namespace: "default",
    kind: { group: "paas.cmft.com", version: "v1", kind: "DemoApplication" },
    resource: { group: "paas.cmft.com", version: "v1", resource: "demoapplications" },
    object: { apiVersion: "paas.cmft.com/v1", kind: "DemoApplication", metadata: { name: "a", namespace: "default" }, spec: "SPEC" },
  },
}).replace('"SPEC"', spec);
const bodies = [
  review('{"image":"nginx","ports":[{"port":80,"targetPort":"' + "a".repeat(size) + '!"}]}'),
  review('{"image":' + "[".repeat(size)),
  review('{"image":"nginx","ports":[' + Array(24000).fill('{"port":1,"name":"' + "x".repeat(80) + '"}').join(",") + "]}"),
];
const send = (n) => new Promise((resolve) => {
  const to = { host: "127.0.0.1", port, path: "/validate", method: "POST", rejectUnauthorized: false, agent: false };
  const sent = request(to, (response) => { response.resume(); resolve(response.statusCode); });
  sent.on("error", () => sent.on("close", () => resolve(0)));
  sent.end(bodies[n % bodies.length]);
});
console.log(JSON.stringify(await Promise.all(Array.from({ length: ${REVIEWS} }, (_, n) => send(n)))));
`;

/** Sends {@link REVIEWS} reviews of 3 MiB at once to the webhooks on that port. The status of each answer; 0 where the server hung up. */
export async function floodWithReviews(port: number): Promise<number[]> {
  const args = ["--input-type=module", "-e", SENDERS, String(port)];
  const senders = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  for await (const chunk of senders.stdout) printed += String(chunk);
  return JSON.parse(printed) as number[];
}

import { describe, expect, test } from "vitest";
import { ApiError, CredentialsError, TransportError, type TransportReason } from "../../runtime/index.ts";
import { CommandError, describeAnswer, describeError } from "./outcome.ts";
import { tellWhere } from "./whereabouts.ts";

const HUB = {
  name: "the hub",
  server: "https://10.0.0.1:6443",
  origin: "kubeconfig /home/me/hub.yaml, context blue",
  otherwise: "choose another cluster with --kubeconfig or --context",
};
const WHERE = "the hub (https://10.0.0.1:6443, kubeconfig /home/me/hub.yaml, context blue)";

function fromHub<E extends Error>(error: E): E {
  tellWhere(error, HUB);
  return error;
}

describe("an error of a cluster names the cluster, what is wrong, and what to do", () => {
  test.each<{ reason: TransportReason; next: string }>([
    { reason: "ConnectionRefused", next: "check that it runs and that this machine can reach it" },
    { reason: "Timeout", next: "check that it runs" },
    { reason: "DNS", next: "correct the server in that kubeconfig" },
    { reason: "TLS", next: "correct server and certificates in that kubeconfig" },
  ])("that was not reached: $reason", ({ reason, next }) => {
    const text = describeError(fromHub(new TransportError(reason, "it is so")));
    expect(text).toBe(`${WHERE} was not reached: it is so; ${text.slice(text.indexOf(next))}`);
    expect(text.endsWith(", or choose another cluster with --kubeconfig or --context")).toBe(true);
  });

  test.each([
    {
      error: new ApiError(401, "Unauthorized", "Unauthorized"),
      says: "does not accept the credentials: Unauthorized; log in again, or choose",
    },
    {
      error: new ApiError(403, "Forbidden", "no right"),
      says: "refuses: no right; ask its administrator for this right, or choose",
    },
    {
      error: new ApiError(403, "Forbidden", 'x is forbidden: User "system:anonymous" cannot list resource "x"'),
      says: "takes you for nobody (system:anonymous): the kubeconfig's user gives no token, client certificate or exec, and API servers do not look at username and password; add one, or choose",
    },
    { error: new ApiError(503, "ServiceUnavailable", "busy"), says: "cannot answer now: busy; try again in a moment" },
    { error: new ApiError(422, "Invalid", "bad field"), says: "answers: bad field" },
    {
      error: new ApiError(
        500,
        "InternalError",
        'failed calling webhook "federation.paas.cmft.com": Post "https://meridian-webhook.fed.svc:443/validate": connection refused',
      ),
      says: `answers: failed calling webhook "federation.paas.cmft.com": Post "https://meridian-webhook.fed.svc:443/validate": connection refused; no manager answers the hub's webhooks: see whether one runs (\`kubectl get pods -n fed\`), or start one (\`meridian manager --webhooks --webhook-url https://HOST:9443\`)`,
    },
  ])("that answered $error.status", ({ error, says }) => {
    expect(describeError(fromHub(error))).toContain(`${WHERE} ${says}`);
  });

  test("that is none", () => {
    expect(describeError(fromHub(new TransportError("Protocol", "10.0.0.1 answered with a text")))).toBe(
      `${WHERE} does not answer as a Kubernetes API server: 10.0.0.1 answered with a text; correct the server in that kubeconfig, or choose another cluster with --kubeconfig or --context`,
    );
  });

  test("for which there is no credential", () => {
    expect(describeError(fromHub(new CredentialsError("Unavailable", "the token file /tok cannot be read")))).toBe(
      `${WHERE}: the token file /tok cannot be read; put that right, or choose another cluster with --kubeconfig or --context`,
    );
  });

  test.each([
    new ApiError(400, "BadRequest", "the server answered 400 BadRequest"),
    new TransportError("ConnectionReset", "connection closed by 127.0.0.1:6443"),
  ])("that may speak https on a port that is asked in http: $message", (error) => {
    tellWhere(error, { ...HUB, server: "http://127.0.0.1:6443" });
    expect(describeError(error)).toContain(
      `${error.message}; if the server speaks https, write https:// in that kubeconfig, or choose another cluster`,
    );
  });

  test("also as the cause of another error", () => {
    const cause = fromHub(new TransportError("DNS", "no such name"));
    expect(describeError(new CommandError("nothing was drained", { cause }))).toMatch(
      /^nothing was drained: the hub \(.*\) was not reached: no such name; correct/,
    );
  });

  test("but not where the text around it does so", () => {
    expect(describeAnswer(fromHub(new ApiError(422, "Invalid", "bad field")))).toBe("bad field");
  });
});

test("an error of no cluster is its own message, on one line", () => {
  expect(describeError(new Error("one\n  two"))).toBe("one two");
});

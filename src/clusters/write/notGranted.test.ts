import { fullMessage } from "../../apis/index.ts";
import { describe, expect, test } from "vitest";
import { ApiError, CONFIGMAPS, type ResourceType, TransportError } from "../../runtime/index.ts";
import { allNotGranted, isWriteForbidden, notGranted, whyUnwatched, withGrant } from "./notGranted.ts";
import { classify } from "./outcome.ts";

const DATABASES: ResourceType = {
  group: "mysql.presslabs.org",
  version: "v1alpha1",
  kind: "MysqlCluster",
  plural: "mysqlclusters",
  namespaced: true,
};
const user = 'User "system:serviceaccount:meridian-system:meridian-0f3c1d2e"';
const refusal = (what: string): ApiError => new ApiError(403, "Forbidden", what);
const told = (error: ApiError, cluster: string | undefined = "shanghai-1"): unknown => {
  const outcome = withGrant(classify(error), error, cluster);
  return outcome?.kind === "Refused" ? `${outcome.reason}: ${fullMessage(outcome.message)}` : outcome;
};

describe("a right that is missing on a member", () => {
  test("is granted by name, or by joining again where every account has it", () => {
    expect(fullMessage(notGranted("shanghai-1", { group: "", plural: "persistentvolumeclaims" }))).toBe(
      "persistentvolumeclaims are not granted; run `meridian join shanghai-1 --renew --kinds persistentvolumeclaims --member-kubeconfig FILE`",
    );
    expect(told(refusal(`${user} cannot patch resource "services/status" in API group ""`))).toBe(
      "Forbidden: services are not granted; run `meridian join shanghai-1 --renew --member-kubeconfig FILE`",
    );
  });

  test("of several kinds is granted by one command, of which nothing is cut", () => {
    const many = Array.from({ length: 12 }, (_, n) => ({
      group: "applications.platform.example.com",
      plural: `kinds${n}`,
    }));
    const { where, remedy } = allNotGranted("shanghai-1", [...many, CONFIGMAPS]);
    expect(where).toHaveLength(13);
    for (const { group, plural } of many) expect(remedy).toContain(`${plural}.${group}`);
  });

  test("is named by the server's refusal", () => {
    const text = `"db" is forbidden: ${user} cannot patch resource "mysqlclusters" in API group "mysql.presslabs.org"`;
    const command =
      "meridian join shanghai-1 --renew --kinds mysqlclusters.mysql.presslabs.org --member-kubeconfig FILE";
    expect(told(refusal(text))).toBe(`Forbidden: mysqlclusters are not granted; run \`${command}\``);
    expect(withGrant(classify(refusal(text)), refusal(text), undefined)).toEqual(classify(refusal(text)));
  });

  test.each([
    'admission webhook "a.example.com" denied the request: cannot patch resource "x" ',
    "exceeded quota: pods",
    'clusterroles.rbac.authorization.k8s.io "x" is forbidden: user is attempting to grant RBAC permissions not currently held',
  ])("is not what %j says", (text) => expect(told(refusal(text))).toEqual(told(refusal(text), undefined)));

  test.each([
    { text: `${user} cannot patch resource "services" in API group ""`, want: true },
    { text: `${user} cannot create resource "services" in API group ""`, want: true },
    { text: `${user} cannot get resource "services" in API group ""`, want: false },
  ])("is one to write: $text: $want", ({ text, want }) => expect(isWriteForbidden(refusal(text))).toBe(want));

  test("says why a kind cannot be watched; other trouble is told as it is", () => {
    const why = (error: Error, cluster?: string) => fullMessage(whyUnwatched(DATABASES, error, cluster));
    const unwatched = "mysqlclusters cannot be watched on the member";
    const error = refusal("mysqlclusters is forbidden");
    expect(why(error, "shanghai-1")).toContain("--kinds mysqlclusters.mysql.presslabs.org");
    expect(why(error)).toBe(`${unwatched}: mysqlclusters is forbidden`);
    expect(why(new TransportError("TooLarge", "too long"), "shanghai-1")).toBe(`${unwatched}: too long`);
    expect(why(new TransportError("Timeout", "no answer"), "shanghai-1")).toBe(unwatched);
  });
});
